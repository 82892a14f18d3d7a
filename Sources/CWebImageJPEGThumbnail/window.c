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

void webimage_jt_window_fill(window *window) {
    while (!window->is_at_marker && window->filled < window->capacity) {
        size_t room = window->capacity - window->filled, left = (size_t)(window->end - window->next);
        size_t copied = copy_plain(window->next, room < left ? room : left, window->bytes + window->filled);
        window->filled += copied;
        window->next += copied;
        if (window->filled == window->capacity) break;
        /* The next byte is 0xff, or the file ends. Further bytes of 0xff are fill bytes. */
        const uint8_t *code = window->next;
        while (code < window->end && *code == 0xff) code++;
        if (code == window->end || *code != 0) {
            window->is_at_marker = 1;
        } else {
            window->bytes[window->filled++] = 0xff;
            window->next = code + 1;
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

void webimage_jt_window_skip(window *window) {
    while (!window->is_at_marker) {
        const uint8_t *found = memchr(window->next, 0xff, (size_t)(window->end - window->next));
        const uint8_t *code = found ? found : window->end;
        while (code < window->end && *code == 0xff) code++;
        window->is_at_marker = code == window->end || *code != 0;
        window->next = window->is_at_marker ? (found ? found : window->end) : code + 1;
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
