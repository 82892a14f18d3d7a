#ifndef COLORS_H
#define COLORS_H

#include "thumbnail.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* What chroma adds to Y in a complete decode of libjpeg-turbo, in whole levels. The factors have 16 bits behind the point. */

enum { CR_TO_RED = 91881, CB_TO_GREEN = -22554, CR_TO_GREEN = -46802, CB_TO_BLUE = 116130, HALF = 32768 };

static inline uint8_t clamped(int value) { return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value); }
static inline int red_offset(int cr) { return (CR_TO_RED * cr + HALF) >> 16; }
static inline int green_offset(int cb, int cr) { return (CB_TO_GREEN * cb + CR_TO_GREEN * cr + HALF) >> 16; }
static inline int blue_offset(int cb) { return (CB_TO_BLUE * cb + HALF) >> 16; }

#if defined(__SSE2__)
/* (factor * a + HALF) >> 16 of eight numbers. */
static inline __m128i scaled(__m128i a, int16_t factor) {
    const __m128i factors = _mm_set1_epi16(factor);
    return _mm_add_epi16(_mm_mulhi_epi16(a, factors), _mm_srli_epi16(_mm_mullo_epi16(a, factors), 15));
}

/* The same offsets of eight pixels. A factor over 16 bits is split: a multiple of 1 is added as it is. */
static inline __m128i red_offsets(__m128i cr) { return _mm_add_epi16(cr, scaled(cr, CR_TO_RED - 65536)); }
static inline __m128i blue_offsets(__m128i cb) {
    return _mm_add_epi16(_mm_add_epi16(cb, cb), scaled(cb, (int16_t)(CB_TO_BLUE - 2 * 65536)));
}
/* Of green without the multiple, for eight pixels whose products are in two vectors: `more` is added to them. */
static inline __m128i green_part(const __m128i products[2], int more) {
    const __m128i half = _mm_set1_epi32(HALF + more);
    return _mm_packs_epi32(
        _mm_srai_epi32(_mm_add_epi32(products[0], half), 16), _mm_srai_epi32(_mm_add_epi32(products[1], half), 16));
}
static inline void green_products(__m128i cb, __m128i cr, __m128i products[2]) {
    const uint32_t first = (uint16_t)CB_TO_GREEN, second = (uint16_t)(CR_TO_GREEN + 65536);
    const __m128i factors = _mm_set1_epi32((int32_t)(second << 16 | first));
    products[0] = _mm_madd_epi16(_mm_unpacklo_epi16(cb, cr), factors);
    products[1] = _mm_madd_epi16(_mm_unpackhi_epi16(cb, cr), factors);
}

/* Writes eight pixels of four bytes. The colours are limited. */
static inline void write_eight(__m128i red, __m128i green, __m128i blue, int is_bgra, uint8_t *target) {
    red = _mm_packus_epi16(red, red);
    green = _mm_packus_epi16(green, green);
    blue = _mm_packus_epi16(blue, blue);
    __m128i first = _mm_unpacklo_epi8(is_bgra ? blue : red, green);
    __m128i second = _mm_unpacklo_epi8(is_bgra ? red : blue, _mm_set1_epi8(-1));
    _mm_storeu_si128((__m128i *)target, _mm_unpacklo_epi16(first, second));
    _mm_storeu_si128((__m128i *)(target + 16), _mm_unpackhi_epi16(first, second));
}
#endif
#endif
