#include "thumbnail.h"

/* The same as planes.c and transform.c, sixteen blocks at once. Only processors with AVX2 run this file. */

#if HAS_AVX2_CODE
#include "plane_symbols.h"
#include "transform.h"

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))
#define INLINE_AVX2 static inline __attribute__((always_inline, target("avx2")))

AVX2 void webimage_jt_plane_decode_avx2(plane_blocks *blocks, const uint8_t *bytes, size_t tiles) {
    decode_blocks(blocks, bytes, tiles);
}

/* The dequantised coefficients of sixteen blocks. */
INLINE_AVX2 __m256i value_at(const int16_t *tile, const int16_t *factors, int row, int column) {
    int slot = place_of[row][column];
    __m256i value = _mm256_loadu_si256((const __m256i *)(tile + slot * PLANE_LANES));
    __m256i factor = _mm256_set1_epi16(factors[slot]);
    __m256i low = _mm256_mullo_epi16(value, factor), high = _mm256_mulhi_epi16(value, factor);
    return _mm256_packs_epi32(_mm256_unpacklo_epi16(low, high), _mm256_unpackhi_epi16(low, high));
}

INLINE_AVX2 __m256i sum(__m256i a, __m256i b) { return _mm256_adds_epi16(a, b); }
INLINE_AVX2 __m256i difference(__m256i a, __m256i b) { return _mm256_subs_epi16(a, b); }
INLINE_AVX2 __m256i times(__m256i value, int factor) { return _mm256_mulhrs_epi16(value, _mm256_set1_epi16((int16_t)factor)); }

/* The means of sixteen blocks. Those of blocks without details are whole levels. */
INLINE_AVX2 __m256i means(const int16_t *tile, const int16_t *factors, int side, int bits) {
    const int half = 1 << bits >> 1;
    __m256i mean = value_at(tile, factors, 0, 0), details = _mm256_setzero_si256();
    for (int row = 0; row < side; row++)
        for (int column = row == 0; column < side; column++)
            details = _mm256_or_si256(
                details, _mm256_loadu_si256((const __m256i *)(tile + place_of[row][column] * PLANE_LANES)));
    __m256i whole = _mm256_and_si256(sum(mean, _mm256_set1_epi16((int16_t)half)), _mm256_set1_epi16((int16_t)(-2 * half)));
    return _mm256_blendv_epi8(mean, whole, _mm256_cmpeq_epi16(details, _mm256_setzero_si256()));
}

/* Sixteen samples of numbers with so many bits behind the point. */
INLINE_AVX2 __m256i samples(__m256i value, int bits) {
    const int shift = bits - PLANE_BITS, half = 1 << shift >> 1;
    value = _mm256_srai_epi16(sum(value, _mm256_set1_epi16((int16_t)half)), shift);
    value = sum(value, _mm256_set1_epi16(128 << PLANE_BITS));
    return _mm256_min_epi16(_mm256_max_epi16(value, _mm256_set1_epi16(PLANE_LEAST)), _mm256_set1_epi16(PLANE_MOST));
}

/* Samples from black to white. */
INLINE_AVX2 __m256i limited(__m256i value) {
    return _mm256_min_epi16(_mm256_max_epi16(value, _mm256_setzero_si256()), _mm256_set1_epi16(PLANE_WHITE));
}

INLINE_AVX2 void store(int16_t *target, __m256i value) { _mm256_storeu_si256((__m256i *)target, value); }

/* Writes two vectors whose halves were made separately: the lower halves first. */
INLINE_AVX2 void store_halves(int16_t *target, int distance, __m256i a, __m256i b) {
    store(target, _mm256_permute2x128_si256(a, b, 0x20));
    store(target + distance, _mm256_permute2x128_si256(a, b, 0x31));
}

/* Writes a row of blocks of two, three or four samples from the blocks' first, second, ... samples. */
INLINE_AVX2 void store2(int16_t *row, __m256i a, __m256i b) {
    store_halves(row, 16, _mm256_unpacklo_epi16(a, b), _mm256_unpackhi_epi16(a, b));
}

INLINE_AVX2 void store3(int16_t *row, __m256i a, __m256i b, __m256i c) {
    /* Where the bytes of eight samples of a, b and c go in three vectors. */
    static const int8_t order[9][16] = {
        {0, 1, -1, -1, -1, -1, 2, 3, -1, -1, -1, -1, 4, 5, -1, -1},
        {-1, -1, 0, 1, -1, -1, -1, -1, 2, 3, -1, -1, -1, -1, 4, 5},
        {-1, -1, -1, -1, 0, 1, -1, -1, -1, -1, 2, 3, -1, -1, -1, -1},
        {-1, -1, 6, 7, -1, -1, -1, -1, 8, 9, -1, -1, -1, -1, 10, 11},
        {-1, -1, -1, -1, 6, 7, -1, -1, -1, -1, 8, 9, -1, -1, -1, -1},
        {4, 5, -1, -1, -1, -1, 6, 7, -1, -1, -1, -1, 8, 9, -1, -1},
        {-1, -1, -1, -1, 12, 13, -1, -1, -1, -1, 14, 15, -1, -1, -1, -1},
        {10, 11, -1, -1, -1, -1, 12, 13, -1, -1, -1, -1, 14, 15, -1, -1},
        {-1, -1, 10, 11, -1, -1, -1, -1, 12, 13, -1, -1, -1, -1, 14, 15},
    };
    __m256i parts[3];
    for (int part = 0; part < 3; part++) {
        __m256i orders[3];
        for (int source = 0; source < 3; source++)
            orders[source] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)order[part * 3 + source]));
        parts[part] = _mm256_or_si256(
            _mm256_or_si256(_mm256_shuffle_epi8(a, orders[0]), _mm256_shuffle_epi8(b, orders[1])),
            _mm256_shuffle_epi8(c, orders[2]));
    }
    store(row, _mm256_permute2x128_si256(parts[0], parts[1], 0x20));
    store(row + 16, _mm256_permute2x128_si256(parts[2], parts[0], 0x30));
    store(row + 32, _mm256_permute2x128_si256(parts[1], parts[2], 0x31));
}

INLINE_AVX2 void store4(int16_t *row, __m256i a, __m256i b, __m256i c, __m256i d) {
    __m256i low0 = _mm256_unpacklo_epi16(a, b), high0 = _mm256_unpackhi_epi16(a, b);
    __m256i low1 = _mm256_unpacklo_epi16(c, d), high1 = _mm256_unpackhi_epi16(c, d);
    store_halves(row, 32, _mm256_unpacklo_epi32(low0, low1), _mm256_unpackhi_epi32(low0, low1));
    store_halves(row + 16, 32, _mm256_unpacklo_epi32(high0, high1), _mm256_unpackhi_epi32(high0, high1));
}

AVX2 static void transform2(const int16_t *tile, const int16_t *factors, int16_t *rows, size_t stride) {
    __m256i a = means(tile, factors, 2, 3), b = value_at(tile, factors, 0, 1);
    __m256i c = value_at(tile, factors, 1, 0), d = value_at(tile, factors, 1, 1);
    __m256i up0 = sum(a, c), up1 = sum(b, d), low0 = difference(a, c), low1 = difference(b, d);
    store2(rows, samples(sum(up0, up1), 3), samples(difference(up0, up1), 3));
    store2(rows + stride, samples(sum(low0, low1), 3), samples(difference(low0, low1), 3));
}

AVX2 static void transform3(const int16_t *tile, const int16_t *factors, int16_t *rows, size_t stride) {
    static const int more[3][3] = {{0, 7365, -9598}, {7365, 16384, -4390}, {-9598, -4390, -16384}};
    __m256i columns[3][3];
    for (int u = 0; u < 3; u++) {
        __m256i v[3];
        for (int row = 0; row < 3; row++) {
            v[row] = row + u == 0 ? means(tile, factors, 3, 6) : value_at(tile, factors, row, u);
            v[row] = sum(v[row], times(v[row], more[row][u]));
        }
        __m256i outer = sum(v[0], v[2]);
        columns[u][0] = sum(outer, v[1]);
        columns[u][1] = difference(difference(v[0], v[2]), v[2]);
        columns[u][2] = difference(outer, v[1]);
    }
    for (int y = 0; y < 3; y++) {
        __m256i a = columns[0][y], b = columns[1][y], c = columns[2][y], outer = sum(a, c);
        store3(rows + (size_t)y * stride, samples(sum(outer, b), 6), samples(difference(difference(a, c), c), 6),
               samples(difference(outer, b), 6));
    }
}

INLINE_AVX2 void transform_four(const __m256i v[4], __m256i out[4]) {
    __m256i even0 = sum(v[0], v[2]), even1 = difference(v[0], v[2]);
    __m256i odd0 = sum(sum(v[1], times(v[1], COSINE_A)), times(v[3], COSINE_B));
    __m256i odd1 = difference(times(v[1], COSINE_B), sum(v[3], times(v[3], COSINE_A)));
    out[0] = sum(even0, odd0);
    out[1] = sum(even1, odd1);
    out[2] = difference(even1, odd1);
    out[3] = difference(even0, odd0);
}

AVX2 static void transform4(const int16_t *tile, const int16_t *factors, int16_t *rows, size_t stride) {
    __m256i columns[4][4];
    for (int u = 0; u < 4; u++) {
        __m256i v[4];
        for (int row = 0; row < 4; row++)
            v[row] = row + u == 0 ? means(tile, factors, 4, 6) : value_at(tile, factors, row, u);
        transform_four(v, columns[u]);
    }
    for (int y = 0; y < 4; y++) {
        __m256i v[4], out[4];
        for (int u = 0; u < 4; u++) v[u] = columns[u][y];
        transform_four(v, out);
        store4(rows + (size_t)y * stride, samples(out[0], 6), samples(out[1], 6), samples(out[2], 6), samples(out[3], 6));
    }
}

/* Eight rows of sixteen numbers become sixteen blocks of eight: each half of a vector is transposed. */
INLINE_AVX2 void store8(int16_t *row, const __m256i v[8]) {
    __m256i pairs[8], fours[8];
    for (int index = 0; index < 4; index++) {
        pairs[index] = _mm256_unpacklo_epi16(v[2 * index], v[2 * index + 1]);
        pairs[index + 4] = _mm256_unpackhi_epi16(v[2 * index], v[2 * index + 1]);
    }
    for (int half = 0; half < 8; half += 4) {
        fours[half] = _mm256_unpacklo_epi32(pairs[half], pairs[half + 1]);
        fours[half + 1] = _mm256_unpackhi_epi32(pairs[half], pairs[half + 1]);
        fours[half + 2] = _mm256_unpacklo_epi32(pairs[half + 2], pairs[half + 3]);
        fours[half + 3] = _mm256_unpackhi_epi32(pairs[half + 2], pairs[half + 3]);
    }
    for (int half = 0; half < 8; half += 4) {
        for (int pair = 0; pair < 2; pair++) {
            __m256i first = _mm256_unpacklo_epi64(fours[half + pair], fours[half + 2 + pair]);
            __m256i second = _mm256_unpackhi_epi64(fours[half + pair], fours[half + 2 + pair]);
            store_halves(row + (half + 2 * pair) * 8, 64, first, second);
        }
    }
}

INLINE_AVX2 void transform_eight(const __m256i v[8], __m256i out[8]) {
    __m256i evens[4] = {v[0], v[2], v[4], v[6]}, even[4];
    transform_four(evens, even);
    __m256i odd[4] = {
        sum(sum(sum(v[1], times(v[1], COSINE_1)), sum(v[3], times(v[3], COSINE_3))),
            sum(times(v[5], COSINE_5), times(v[7], COSINE_7))),
        difference(sum(v[1], times(v[1], COSINE_3)),
                   sum(sum(times(v[3], COSINE_7), times(v[7], COSINE_5)), sum(v[5], times(v[5], COSINE_1)))),
        sum(difference(times(v[1], COSINE_5), sum(v[3], times(v[3], COSINE_1))),
            sum(times(v[5], COSINE_7), sum(v[7], times(v[7], COSINE_3)))),
        sum(difference(times(v[1], COSINE_7), times(v[3], COSINE_5)),
            difference(sum(v[5], times(v[5], COSINE_3)), sum(v[7], times(v[7], COSINE_1)))),
    };
    for (int x = 0; x < 4; x++) {
        out[x] = sum(even[x], odd[x]);
        out[7 - x] = difference(even[x], odd[x]);
    }
}

AVX2 static void transform8(const int16_t *tile, const int16_t *factors, int16_t *rows, size_t stride) {
    __m256i columns[8][8];
    for (int u = 0; u < 8; u++) {
        __m256i v[8];
        for (int row = 0; row < 8; row++)
            v[row] = row + u == 0 ? means(tile, factors, 8, 6) : value_at(tile, factors, row, u);
        transform_eight(v, columns[u]);
    }
    for (int y = 0; y < 8; y++) {
        __m256i v[8], out[8];
        for (int u = 0; u < 8; u++) v[u] = columns[u][y];
        transform_eight(v, out);
        for (int x = 0; x < 8; x++) v[x] = limited(samples(out[x], 6));
        store8(rows + (size_t)y * stride, v);
    }
}

AVX2 void webimage_jt_transform_avx2(const int16_t *tile, const int16_t *factors, int side, int16_t *rows, size_t stride) {
    if (side == 2) transform2(tile, factors, rows, stride);
    else if (side == 3) transform3(tile, factors, rows, stride);
    else if (side == 4) transform4(tile, factors, rows, stride);
    else transform8(tile, factors, rows, stride);
}
#endif
