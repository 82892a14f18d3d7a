#include "thumbnail.h"

#include <stdlib.h>

webimage_jpeg_thumbnail_status webimage_jt_window_init(decoder *decoder) {
    window *window = &decoder->window;
    size_t wanted = decoder->request->window_bytes;
    window->capacity = wanted >= 4096 && wanted <= WINDOW_BYTES ? wanted : WINDOW_BYTES;
    window->bytes = malloc(window->capacity + WINDOW_PADDING);
    return window->bytes ? WEBIMAGE_JPEG_THUMBNAIL_OK : WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_MEMORY;
}

void webimage_jt_window_start(decoder *decoder) {
    window *window = &decoder->window;
    window->next = decoder->next;
    window->end = decoder->end;
    window->is_at_marker = 0;
    window->filled = 0;
}

/* Whether one of the eight bytes is 0xff. */
static inline uint64_t has_ff(uint64_t word) {
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = UINT64_C(0x8080808080808080);
    return (~word - ones) & word & tops;
}

/* Copies bytes to the next 0xff. Returns the number of bytes. */
static size_t copy_plain(const uint8_t *source, size_t size, uint8_t *target) {
    size_t done = 0;
    while (size - done >= 16) {
        uint64_t words[2];
        memcpy(words, source + done, sizeof words);
        memcpy(target + done, words, sizeof words);
        if (has_ff(words[0]) | has_ff(words[1])) break;
        done += 16;
    }
    while (done < size && source[done] != 0xff) {
        target[done] = source[done];
        done++;
    }
    return done;
}

/* Returns the next 0xff, or the end. In some files every second byte is 0xff; memchr is slow for those. */
static const uint8_t *find_ff(const uint8_t *next, const uint8_t *end) {
    uint64_t words[2];
    for (; end - next >= 16; next += 16) {
        memcpy(words, next, sizeof words);
        if (has_ff(words[0]) | has_ff(words[1])) break;
    }
    while (next < end && *next != 0xff) next++;
    return next;
}

void webimage_jt_window_fill(window *window) {
    while (!window->is_at_marker && window->filled < window->capacity) {
        size_t room = window->capacity - window->filled, left = (size_t)(window->end - window->next);
        size_t copied = copy_plain(window->next, room < left ? room : left, window->bytes + window->filled);
        window->filled += copied;
        window->next += copied;
        if (window->filled == window->capacity) break;
        /* The next byte is 0xff, or the file ends. More than one 0xff before a 0 is treated as a marker, so that the file
           is passed on: libjpeg-turbo decodes such an MCU twice and keeps coefficients of the first time. */
        if (window->end - window->next >= 2 && window->next[1] == 0) {
            window->bytes[window->filled++] = 0xff;
            window->next += 2;
        } else {
            window->is_at_marker = 1;
        }
    }
    memset(window->bytes + window->filled, 0, WINDOW_PADDING);
}

uint32_t webimage_jt_window_advance(window *window, uint32_t position) {
    size_t used = position >> 3;
    window->filled -= used;
    memmove(window->bytes, window->bytes + used, window->filled);
    webimage_jt_window_fill(window);
    return position & 7;
}

int webimage_jt_is_truncated(const window *window) {
    /* Most files end with the end marker. In a file with further data behind it, look for any marker behind the scan. */
    const uint8_t *end = window->end;
    if (end - window->next >= 2 && end[-2] == 0xff && end[-1] == 0xd9) return 0;
    for (const uint8_t *code = find_ff(window->next, end); code < end; code = find_ff(code + 1, end)) {
        while (code < end && *code == 0xff) code++;
        if (code < end && *code != 0 && (*code < 0xd0 || *code > 0xd7)) return 0;
        if (code == end) break;
    }
    return 1;
}

void webimage_jt_window_skip(window *window) {
    while (!window->is_at_marker) {
        const uint8_t *found = find_ff(window->next, window->end), *code = found;
        while (code < window->end && *code == 0xff) code++;
        window->is_at_marker = code == window->end || *code != 0;
        window->next = window->is_at_marker ? found : code + 1;
    }
}

webimage_jpeg_thumbnail_status webimage_jt_window_restart(window *window, unsigned number) {
    webimage_jt_window_skip(window);
    while (window->next < window->end && *window->next == 0xff) window->next++;
    if (window->next == window->end) return WEBIMAGE_JPEG_THUMBNAIL_SHORT;
    if (*window->next != 0xd0 + (number & 7)) return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
    window->next++;
    window->is_at_marker = 0;
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}
