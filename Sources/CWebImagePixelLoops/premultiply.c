#include "CWebImagePixelLoops.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

/* libyuv multiplies and divides by alpha with truncated numbers: a colour that is divided and multiplied again can lose
   two steps. The functions in this file round each result to the nearest number. Then the product of a quotient is the
   colour that was divided, because a quotient is wrong by at most 0.5, and alpha makes this error smaller. */

static void premultiply_pixel(const uint8_t *source, uint8_t *target) {
    unsigned alpha = source[3];
    for (int color = 0; color < 3; color++) {
        /* This is the product divided by 255 and rounded, for all products of two bytes. */
        unsigned product = source[color] * alpha + 128;
        target[color] = (uint8_t)((product + (product >> 8)) >> 8);
    }
    target[3] = (uint8_t)alpha;
}

static void unpremultiply_pixel(const uint8_t *source, uint8_t *target) {
    unsigned alpha = source[3], divisor = alpha ? alpha : 1;
    for (int color = 0; color < 3; color++) {
        unsigned quotient = (2 * 255 * source[color] + divisor) / (2 * divisor);
        target[color] = (uint8_t)(quotient < 255 ? quotient : 255);
    }
    target[3] = (uint8_t)alpha;
}

#if defined(__SSE2__)
/* The factors of two pixels: alpha for each colour, and 255 for alpha itself. */
static __m128i factors(__m128i words) {
    __m128i alpha = _mm_shufflehi_epi16(_mm_shufflelo_epi16(words, 0xFF), 0xFF);
    return _mm_or_si128(alpha, _mm_set1_epi64x(0x00FF000000000000));
}

static __m128i premultiply_2(__m128i words) {
    __m128i products = _mm_add_epi16(_mm_mullo_epi16(words, factors(words)), _mm_set1_epi16(128));
    return _mm_srli_epi16(_mm_add_epi16(products, _mm_srli_epi16(products, 8)), 8);
}

static void premultiply_4(const uint8_t *source, uint8_t *target) {
    __m128i pixels = _mm_loadu_si128((const __m128i *)source), zero = _mm_setzero_si128();
    __m128i low = premultiply_2(_mm_unpacklo_epi8(pixels, zero)), high = premultiply_2(_mm_unpackhi_epi8(pixels, zero));
    _mm_storeu_si128((__m128i *)target, _mm_packus_epi16(low, high));
}

__attribute__((target("avx2"))) static __m256i premultiply_4_wide(__m256i words) {
    __m256i alpha = _mm256_shufflehi_epi16(_mm256_shufflelo_epi16(words, 0xFF), 0xFF);
    __m256i factors = _mm256_or_si256(alpha, _mm256_set1_epi64x(0x00FF000000000000));
    __m256i products = _mm256_add_epi16(_mm256_mullo_epi16(words, factors), _mm256_set1_epi16(128));
    return _mm256_srli_epi16(_mm256_add_epi16(products, _mm256_srli_epi16(products, 8)), 8);
}

/* Multiplies groups of eight pixels. Returns the number of pixels that are done. */
__attribute__((target("avx2"))) static int premultiply_eights(const uint8_t *source, uint8_t *target, int width) {
    const __m256i zero = _mm256_setzero_si256();
    int x = 0;
    for (; x + 8 <= width; x += 8) {
        __m256i pixels = _mm256_loadu_si256((const __m256i *)(source + 4 * x));
        __m256i low = premultiply_4_wide(_mm256_unpacklo_epi8(pixels, zero));
        __m256i high = premultiply_4_wide(_mm256_unpackhi_epi8(pixels, zero));
        _mm256_storeu_si256((__m256i *)(target + 4 * x), _mm256_packus_epi16(low, high));
    }
    return x;
}

/* The quotients of one pixel. The addend is a half, and a little more: the least distance of a sum to the next whole
   number is 1/510, so that the error of the division does not change the result. */
static __m128i divided(__m128i colors, __m128i divisors) {
    __m128 quotients = _mm_mul_ps(_mm_div_ps(_mm_cvtepi32_ps(colors), _mm_cvtepi32_ps(divisors)), _mm_set1_ps(255));
    quotients = _mm_add_ps(quotients, _mm_set1_ps(0.5f + 1.0f / 2048));
    return _mm_cvttps_epi32(_mm_min_ps(quotients, _mm_set1_ps(255)));
}

static __m128i unpremultiply_2(__m128i words) {
    __m128i zero = _mm_setzero_si128(), divisors = _mm_max_epi16(factors(words), _mm_set1_epi16(1));
    __m128i low = divided(_mm_unpacklo_epi16(words, zero), _mm_unpacklo_epi16(divisors, zero));
    __m128i high = divided(_mm_unpackhi_epi16(words, zero), _mm_unpackhi_epi16(divisors, zero));
    return _mm_packs_epi32(low, high);
}

static void unpremultiply_4(const uint8_t *source, uint8_t *target) {
    __m128i pixels = _mm_loadu_si128((const __m128i *)source), zero = _mm_setzero_si128();
    int full = _mm_movemask_epi8(_mm_cmpeq_epi8(pixels, _mm_set1_epi8(-1)));
    /* Opaque pixels are frequent, and a division is slow. */
    if ((full & 0x8888) != 0x8888) {
        __m128i low = unpremultiply_2(_mm_unpacklo_epi8(pixels, zero));
        pixels = _mm_packus_epi16(low, unpremultiply_2(_mm_unpackhi_epi8(pixels, zero)));
    }
    _mm_storeu_si128((__m128i *)target, pixels);
}
#endif

int webimage_premultiply_by(
    int instructions, const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height) {
    for (int row = 0; row < height; row++) {
        const uint8_t *from = source + (ptrdiff_t)row * source_stride;
        uint8_t *into = target + (ptrdiff_t)row * stride;
        int x = 0;
#if defined(__SSE2__)
        if (instructions >= WEBIMAGE_INSTRUCTIONS_WIDE) x = premultiply_eights(from, into, width);
        if (instructions >= WEBIMAGE_INSTRUCTIONS_USUAL) {
            for (; x + 4 <= width; x += 4) premultiply_4(from + 4 * x, into + 4 * x);
        }
#endif
        for (; x < width; x++) premultiply_pixel(from + 4 * x, into + 4 * x);
    }
    return 0;
}

int webimage_unpremultiply_by(
    int instructions, const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height) {
    for (int row = 0; row < height; row++) {
        const uint8_t *from = source + (ptrdiff_t)row * source_stride;
        uint8_t *into = target + (ptrdiff_t)row * stride;
        int x = 0;
#if defined(__SSE2__)
        if (instructions >= WEBIMAGE_INSTRUCTIONS_USUAL) {
            for (; x + 4 <= width; x += 4) unpremultiply_4(from + 4 * x, into + 4 * x);
        }
#endif
        for (; x < width; x++) unpremultiply_pixel(from + 4 * x, into + 4 * x);
    }
    return 0;
}

int webimage_widest_instructions(void) {
#if defined(__SSE2__)
    return __builtin_cpu_supports("avx2") ? WEBIMAGE_INSTRUCTIONS_WIDE : WEBIMAGE_INSTRUCTIONS_USUAL;
#else
    return WEBIMAGE_INSTRUCTIONS_PORTABLE;
#endif
}

int webimage_premultiply(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height) {
    return webimage_premultiply_by(
        webimage_widest_instructions(), source, source_stride, target, stride, width, height);
}

int webimage_unpremultiply(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height) {
    return webimage_unpremultiply_by(
        WEBIMAGE_INSTRUCTIONS_USUAL, source, source_stride, target, stride, width, height);
}
