#include "thumbnail.h"

#include <stdlib.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

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

#if !defined(__SSE2__)
/* Whether one of the eight bytes is 0xff. */
static inline uint64_t has_ff(uint64_t word) {
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = UINT64_C(0x8080808080808080);
    return (~word - ones) & word & tops;
}
#endif

/* Copies bytes to the next 0xff. Returns the number of bytes. */
static size_t copy_plain(const uint8_t *source, size_t size, uint8_t *target) {
    size_t done = 0;
    while (size - done >= 16) {
#if defined(__SSE2__)
        __m128i bytes = _mm_loadu_si128((const __m128i *)(source + done));
        _mm_storeu_si128((__m128i *)(target + done), bytes);
        int found = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(-1)));
        if (found) return done + (size_t)__builtin_ctz((unsigned)found);
#else
        uint64_t words[2];
        memcpy(words, source + done, sizeof words);
        memcpy(target + done, words, sizeof words);
        if (has_ff(words[0]) | has_ff(words[1])) break;
#endif
        done += 16;
    }
    while (done < size && source[done] != 0xff) {
        target[done] = source[done];
        done++;
    }
    return done;
}

/* Returns the next 0xff, or the end. In some files every second byte is 0xff; memchr is slow for those. */
static inline const uint8_t *find_ff(const uint8_t *next, const uint8_t *end) {
#if defined(__SSE2__)
    const __m128i wanted = _mm_set1_epi8(-1);
    for (; end - next >= 16; next += 16) {
        int found = _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)next), wanted));
        if (found) return next + __builtin_ctz((unsigned)found);
    }
#else
    uint64_t words[2];
    for (; end - next >= 16; next += 16) {
        memcpy(words, next, sizeof words);
        if (has_ff(words[0]) | has_ff(words[1])) break;
    }
#endif
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
        /* The next byte is 0xff. */
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

/* Returns the next 0xff that is not followed by 0, or the end. */
static const uint8_t *find_marker(const uint8_t *next, const uint8_t *end) {
#if defined(__SSE2__)
    /* Takes the same time however many bytes are 0xff. */
    const __m128i ones = _mm_set1_epi8(-1), zeros = _mm_setzero_si128();
    for (; end - next >= 17; next += 16) {
        __m128i here = _mm_loadu_si128((const __m128i *)next), behind = _mm_loadu_si128((const __m128i *)(next + 1));
        int found = _mm_movemask_epi8(_mm_andnot_si128(_mm_cmpeq_epi8(behind, zeros), _mm_cmpeq_epi8(here, ones)));
        if (found) return next + __builtin_ctz((unsigned)found);
    }
#endif
    for (next = find_ff(next, end); end - next >= 2 && next[1] == 0;) next = find_ff(next + 2, end);
    return next;
}

webimage_jpeg_thumbnail_status webimage_jt_survey_scan(decoder *decoder) {
    size_t mcus = (size_t)decoder->mcus_wide * (size_t)decoder->mcus_high, restarts = 0;
    size_t expected = decoder->restart_interval == 0 ? 0 : (mcus - 1) / (size_t)decoder->restart_interval;
    const uint8_t *next = decoder->next;
    for (;;) {
        const uint8_t *found = find_marker(next, decoder->end), *code = found;
        while (code < decoder->end && *code == 0xff) code++;
        /* Fill bytes inside the data: libjpeg-turbo decodes such an MCU twice and keeps coefficients of the first time. */
        if (code == decoder->end || *code == 0) return WEBIMAGE_JPEG_THUMBNAIL_SHORT;
        if (*code < 0xd0 || *code > 0xd7) {
            decoder->data_bytes += (size_t)(found - decoder->next);
            decoder->next = found;
            return restarts == expected ? WEBIMAGE_JPEG_THUMBNAIL_OK : WEBIMAGE_JPEG_THUMBNAIL_MARKER;
        }
        /* libjpeg-turbo repairs a wrong order, with a warning. */
        if (restarts == expected || (size_t)(*code & 7) != (restarts & 7)) return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
        restarts++;
        next = code + 1;
    }
}

void webimage_jt_window_skip(window *window) {
    while (!window->is_at_marker) {
        const uint8_t *found = find_ff(window->next, window->end), *code = found;
        while (code < window->end && *code == 0xff) code++;
        window->is_at_marker = code == window->end || *code != 0;
        window->next = window->is_at_marker ? found : code + 1;
    }
}

void webimage_jt_window_restart(window *window) {
    webimage_jt_window_skip(window);
    while (window->next < window->end && *window->next == 0xff) window->next++;
    window->next++;
    window->is_at_marker = 0;
}
