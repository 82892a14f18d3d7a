#include "png_state.h"

#include "../CWebImageDeflate/shim.h"
#include <string.h>

uint32_t cpng_crc32(uint32_t start, const uint8_t *bytes, size_t count) {
    return libdeflate_crc32(start, bytes, count);
}

/* Whether the zlib header declares a window that is large enough for every match in `target_count` bytes of output. A
   match is at most 32768 bytes away. libdeflate does not check the window size. */
static bool has_window(const uint8_t *stream, size_t count, size_t target_count) {
    return count >= 2 && ((size_t)256 << (stream[0] >> 4 & 7)) >= (target_count < 32768 ? target_count : 32768);
}

bool cpng_inflate_whole(const uint8_t *stream, size_t count, uint8_t *target, size_t target_count) {
    if (!has_window(stream, count, target_count)) return false;
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    if (decompressor == NULL) return false;
    enum libdeflate_result result =
        libdeflate_zlib_decompress(decompressor, stream, count, target, target_count, NULL);
    libdeflate_free_decompressor(decompressor);
    return result == LIBDEFLATE_SUCCESS;
}

/* The next functions undo the PNG filters (PNG third edition, §9) in place. `above` is the previous row without its
   filter byte. `bpp` is the number of bytes per pixel. */

static void undo_sub(uint8_t *row, size_t count, size_t bpp) {
    for (size_t i = bpp; i < count; i++) row[i] += row[i - bpp];
}

static void undo_up(uint8_t *restrict row, const uint8_t *restrict above, size_t count) {
    for (size_t i = 0; i < count; i++) row[i] += above[i];
}

static void undo_average(uint8_t *row, const uint8_t *above, size_t count, size_t bpp) {
    for (size_t i = 0; i < bpp; i++) row[i] += above[i] / 2;
    for (size_t i = bpp; i < count; i++) row[i] += (above[i] + row[i - bpp]) / 2;
}

static void undo_paeth(uint8_t *row, const uint8_t *above, size_t count, size_t bpp) {
    undo_up(row, above, bpp);
    for (size_t i = bpp; i < count; i++) {
        int left = row[i - bpp], up = above[i], corner = above[i - bpp];
        int to_left = up - corner, to_up = left - corner, to_corner = to_left + to_up;
        if (to_left < 0) to_left = -to_left;
        if (to_up < 0) to_up = -to_up;
        if (to_corner < 0) to_corner = -to_corner;
        row[i] += to_left <= to_up && to_left <= to_corner ? left : to_up <= to_corner ? up : corner;
    }
}

#ifdef __SSE2__
#include <emmintrin.h>

/* A pixel depends on the previous pixel, so vector code can process only the channels of one pixel at the same time. */

static inline __attribute__((always_inline)) __m128i load(const uint8_t *bytes, size_t bpp) {
    uint32_t pixel = 0;
    memcpy(&pixel, bytes, bpp);
    return _mm_cvtsi32_si128((int)pixel);
}

static inline __attribute__((always_inline)) void store(uint8_t *bytes, __m128i pixel, size_t bpp) {
    uint32_t value = (uint32_t)_mm_cvtsi128_si32(pixel);
    memcpy(bytes, &value, bpp);
}

static inline __attribute__((always_inline)) void sub_pixels(uint8_t *row, size_t count, size_t bpp) {
    __m128i left = _mm_setzero_si128();
    for (size_t i = 0; i < count; i += bpp) {
        left = _mm_add_epi8(load(row + i, bpp), left);
        store(row + i, left, bpp);
    }
}

static inline __attribute__((always_inline)) void average_pixels(
    uint8_t *row, const uint8_t *above, size_t count, size_t bpp) {
    const __m128i one = _mm_set1_epi8(1);
    __m128i left = _mm_setzero_si128();
    for (size_t i = 0; i < count; i += bpp) {
        __m128i up = load(above + i, bpp);
        /* The averaging instruction rounds up, but the filter rounds down. Correct the difference. */
        __m128i odd = _mm_and_si128(_mm_xor_si128(left, up), one);
        left = _mm_add_epi8(load(row + i, bpp), _mm_sub_epi8(_mm_avg_epu8(left, up), odd));
        store(row + i, left, bpp);
    }
}

static __m128i magnitude(__m128i value) { return _mm_max_epi16(value, _mm_sub_epi16(_mm_setzero_si128(), value)); }

static __m128i choose(__m128i mask, __m128i yes, __m128i no) {
    return _mm_or_si128(_mm_and_si128(mask, yes), _mm_andnot_si128(mask, no));
}

static inline __attribute__((always_inline)) void paeth_pixels(
    uint8_t *row, const uint8_t *above, size_t count, size_t bpp) {
    const __m128i zero = _mm_setzero_si128();
    __m128i left = zero, corner = zero;
    for (size_t i = 0; i < count; i += bpp) {
        __m128i up = _mm_unpacklo_epi8(load(above + i, bpp), zero);
        __m128i to_left = _mm_sub_epi16(up, corner), to_up = _mm_sub_epi16(left, corner);
        __m128i to_corner = magnitude(_mm_add_epi16(to_left, to_up));
        to_left = magnitude(to_left);
        to_up = magnitude(to_up);
        __m128i least = _mm_min_epi16(to_left, _mm_min_epi16(to_up, to_corner));
        __m128i nearest = choose(
            _mm_cmpeq_epi16(least, to_left), left, choose(_mm_cmpeq_epi16(least, to_up), up, corner));
        /* Add bytes, not 16-bit words: the filter requires that each sum wraps around at 256. The high byte of each
           word is zero. */
        left = _mm_add_epi8(_mm_unpacklo_epi8(load(row + i, bpp), zero), nearest);
        corner = up;
        store(row + i, _mm_packus_epi16(left, left), bpp);
    }
}

static void undo(int filter, uint8_t *row, const uint8_t *above, size_t count, size_t bpp) {
    switch (filter) {
    case 1:
        bpp == 4 ? sub_pixels(row, count, 4) : bpp == 3 ? sub_pixels(row, count, 3) : undo_sub(row, count, bpp);
        break;
    case 3:
        bpp == 4   ? average_pixels(row, above, count, 4)
        : bpp == 3 ? average_pixels(row, above, count, 3)
                   : undo_average(row, above, count, bpp);
        break;
    case 4:
        bpp == 4   ? paeth_pixels(row, above, count, 4)
        : bpp == 3 ? paeth_pixels(row, above, count, 3)
                   : undo_paeth(row, above, count, bpp);
        break;
    default: undo_up(row, above, count);
    }
}
#else
static void undo(int filter, uint8_t *row, const uint8_t *above, size_t count, size_t bpp) {
    switch (filter) {
    case 1: undo_sub(row, count, bpp); break;
    case 3: undo_average(row, above, count, bpp); break;
    case 4: undo_paeth(row, above, count, bpp); break;
    default: undo_up(row, above, count);
    }
}
#endif

bool cpng_unfilter(uint8_t *rows, size_t row_bytes, size_t pixel_bytes, size_t count) {
    for (size_t index = 0; index < count; index++) {
        uint8_t *row = rows + index * (row_bytes + 1);
        if (row[0] > 4) return false;
        if (row[0] != 0) undo(row[0], row + 1, row - row_bytes, row_bytes, pixel_bytes);
    }
    return true;
}
