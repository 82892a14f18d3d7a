#include "thumbnail.h"

/* The sums of resample.c, the same integers, for processors with AVX2. */

#if HAS_AVX2_CODE
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))
#define INLINE_AVX2 static inline __attribute__((always_inline, target("avx2")))

AVX2 size_t webimage_jt_sum_rows_avx2(
    const int16_t *const *rows, const int16_t *weights, int taps, size_t width, int16_t *target) {
    const int shift = WEIGHT_BITS + PLANE_BITS - POINT_BITS;
    const __m256i half = _mm256_set1_epi32(1 << (shift - 1));
    size_t x = 0;
    for (; x + 32 <= width; x += 32) {
        __m256i a0 = half, a1 = half, b0 = half, b1 = half;
        for (int tap = 0; tap < taps; tap += 2) {
            const __m256i *upper = (const __m256i *)(rows[tap] + x), *lower = (const __m256i *)(rows[tap + 1] + x);
            int32_t pair;
            memcpy(&pair, weights + tap, sizeof pair);
            __m256i factors = _mm256_set1_epi32(pair);
            __m256i u0 = _mm256_loadu_si256(upper), u1 = _mm256_loadu_si256(upper + 1);
            __m256i l0 = _mm256_loadu_si256(lower), l1 = _mm256_loadu_si256(lower + 1);
            a0 = _mm256_add_epi32(a0, _mm256_madd_epi16(_mm256_unpacklo_epi16(u0, l0), factors));
            a1 = _mm256_add_epi32(a1, _mm256_madd_epi16(_mm256_unpackhi_epi16(u0, l0), factors));
            b0 = _mm256_add_epi32(b0, _mm256_madd_epi16(_mm256_unpacklo_epi16(u1, l1), factors));
            b1 = _mm256_add_epi32(b1, _mm256_madd_epi16(_mm256_unpackhi_epi16(u1, l1), factors));
        }
        /* Unpacking and packing change the order in the same way. */
        __m256i first = _mm256_packs_epi32(_mm256_srai_epi32(a0, shift), _mm256_srai_epi32(a1, shift));
        __m256i second = _mm256_packs_epi32(_mm256_srai_epi32(b0, shift), _mm256_srai_epi32(b1, shift));
        _mm256_storeu_si256((__m256i *)(target + x), first);
        _mm256_storeu_si256((__m256i *)(target + x + 16), second);
    }
    return x;
}

/* Eight partial sums of one output sample. */
INLINE_AVX2 __m256i partial(const int16_t *source, const axis *axis, int index, int taps) {
    const int16_t *samples = source + axis->first[index];
    const int16_t *weights = axis->weights + (size_t)index * (size_t)taps;
    __m256i sum = _mm256_setzero_si256();
    int tap = 0;
    for (; tap + 16 <= taps; tap += 16)
        sum = _mm256_add_epi32(
            sum, _mm256_madd_epi16(_mm256_loadu_si256((const __m256i *)(samples + tap)),
                                   _mm256_loadu_si256((const __m256i *)(weights + tap))));
    if (tap < taps)
        sum = _mm256_add_epi32(
            sum, _mm256_zextsi128_si256(_mm_madd_epi16(_mm_loadu_si128((const __m128i *)(samples + tap)),
                                                       _mm_loadu_si128((const __m128i *)(weights + tap)))));
    return sum;
}

INLINE_AVX2 int sum_columns(const int16_t *source, const axis *axis, int taps, int16_t *target) {
    const __m128i half = _mm_set1_epi32(1 << (WEIGHT_BITS - 1));
    int index = 0;
    for (; index + 8 <= axis->count; index += 8) {
        __m128i sums[2];
        for (int part = 0; part < 2; part++) {
            int at = index + part * 4;
            __m256i a = _mm256_hadd_epi32(partial(source, axis, at, taps), partial(source, axis, at + 1, taps));
            __m256i b = _mm256_hadd_epi32(partial(source, axis, at + 2, taps), partial(source, axis, at + 3, taps));
            __m256i c = _mm256_hadd_epi32(a, b);
            sums[part] = _mm_add_epi32(_mm256_castsi256_si128(c), _mm256_extracti128_si256(c, 1));
            sums[part] = _mm_srai_epi32(_mm_add_epi32(sums[part], half), WEIGHT_BITS);
        }
        _mm_storeu_si128((__m128i *)(target + index), _mm_packs_epi32(sums[0], sums[1]));
    }
    return index;
}

/* The usual numbers of weights are constants for the compiler. */
AVX2 int webimage_jt_sum_columns_avx2(const int16_t *source, const axis *axis, int16_t *target) {
    if (axis->taps == 16) return sum_columns(source, axis, 16, target);
    if (axis->taps == 24) return sum_columns(source, axis, 24, target);
    if (axis->taps == 32) return sum_columns(source, axis, 32, target);
    return sum_columns(source, axis, axis->taps, target);
}
#endif
