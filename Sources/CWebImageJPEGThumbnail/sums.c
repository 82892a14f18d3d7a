#include "resample.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* The sums of a scaling. resample_avx2.c computes the same integers. */

void webimage_jt_sum_rows(
    const int16_t *const *rows, const int16_t *weights, int taps, size_t width, int is_vectorized, int16_t *target) {
    const int shift = WEIGHT_BITS + PLANE_BITS - POINT_BITS, half = 1 << (shift - 1);
    size_t x = 0;
#if HAS_AVX2_CODE
    if (is_vectorized) x = webimage_jt_sum_rows_avx2(rows, weights, taps, width, target);
#else
    (void)is_vectorized;
#endif
#if defined(__SSE2__)
    for (; x + 8 <= width; x += 8) {
        __m128i low = _mm_set1_epi32(half), high = low;
        for (int tap = 0; tap < taps; tap += 2) {
            __m128i a = _mm_loadu_si128((const __m128i *)(rows[tap] + x));
            __m128i b = _mm_loadu_si128((const __m128i *)(rows[tap + 1] + x));
            __m128i factors = _mm_set1_epi32((int32_t)((uint32_t)(uint16_t)weights[tap + 1] << 16 | (uint16_t)weights[tap]));
            low = _mm_add_epi32(low, _mm_madd_epi16(_mm_unpacklo_epi16(a, b), factors));
            high = _mm_add_epi32(high, _mm_madd_epi16(_mm_unpackhi_epi16(a, b), factors));
        }
        _mm_storeu_si128(
            (__m128i *)(target + x), _mm_packs_epi32(_mm_srai_epi32(low, shift), _mm_srai_epi32(high, shift)));
    }
#endif
    for (; x < width; x++) {
        int32_t sum = half;
        for (int tap = 0; tap < taps; tap++) sum += weights[tap] * rows[tap][x];
        sum >>= shift;
        target[x] = (int16_t)(sum < -32768 ? -32768 : sum > 32767 ? 32767 : sum);
    }
}

void webimage_jt_sum_columns(const int16_t *source, const axis *axis, int is_vectorized, int16_t *target) {
    const int half = 1 << (WEIGHT_BITS - 1);
    int index = 0;
#if HAS_AVX2_CODE
    if (is_vectorized) index = webimage_jt_sum_columns_avx2(source, axis, target);
#else
    (void)is_vectorized;
#endif
    for (; index < axis->count; index++) {
        const int16_t *samples = source + axis->first[index];
        const int16_t *weights = axis->weights + (size_t)index * (size_t)axis->taps;
        int32_t sum = half;
#if defined(__SSE2__)
        __m128i sums = _mm_setzero_si128();
        for (int tap = 0; tap < axis->taps; tap += 8)
            sums = _mm_add_epi32(
                sums, _mm_madd_epi16(_mm_loadu_si128((const __m128i *)(samples + tap)),
                                     _mm_loadu_si128((const __m128i *)(weights + tap))));
        sums = _mm_add_epi32(sums, _mm_shuffle_epi32(sums, 0x4e));
        sums = _mm_add_epi32(sums, _mm_shuffle_epi32(sums, 0xb1));
        sum += _mm_cvtsi128_si32(sums);
#else
        for (int tap = 0; tap < axis->taps; tap++) sum += weights[tap] * samples[tap];
#endif
        sum >>= WEIGHT_BITS;
        target[index] = (int16_t)(sum < -32768 ? -32768 : sum > 32767 ? 32767 : sum);
    }
}
