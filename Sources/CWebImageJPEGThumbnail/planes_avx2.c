#include "thumbnail.h"

/* The same as decode() in planes.c and as transform.c, sixteen blocks at once. Only processors with AVX2 run this file. */

#if HAS_AVX2_CODE
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))
#define INLINE_AVX2 static inline __attribute__((always_inline, target("avx2")))

/* Loads eight words of 32 bits. vpgatherdd takes a half to twice as long on the processors that were measured. */
INLINE_AVX2 __m256i load_eight(const uint8_t *base, __m256i offsets) {
    __m128i low = _mm256_castsi256_si128(offsets), high = _mm256_extracti128_si256(offsets, 1);
    uint64_t a = (uint64_t)_mm_cvtsi128_si64(low), b = (uint64_t)_mm_extract_epi64(low, 1);
    uint64_t c = (uint64_t)_mm_cvtsi128_si64(high), d = (uint64_t)_mm_extract_epi64(high, 1);
#define WORD(offset) __extension__({ int32_t word; memcpy(&word, base + (offset), sizeof word); word; })
    low = _mm_cvtsi32_si128(WORD((uint32_t)a));
    high = _mm_cvtsi32_si128(WORD((uint32_t)c));
    low = _mm_insert_epi32(low, WORD(a >> 32), 1);
    high = _mm_insert_epi32(high, WORD(c >> 32), 1);
    low = _mm_insert_epi32(low, WORD((uint32_t)b), 2);
    high = _mm_insert_epi32(high, WORD((uint32_t)d), 2);
    low = _mm_insert_epi32(low, WORD(b >> 32), 3);
    high = _mm_insert_epi32(high, WORD(d >> 32), 3);
#undef WORD
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

/* Decodes the symbol at each position. At least 25 bits behind a position are valid, a symbol in the table and the missing
   bits of its value need at most 24. */
INLINE_AVX2 __m256i decode_eight(const plane_blocks *blocks, const uint8_t *bytes, __m256i positions, __m256i *value) {
    const __m256i swap = _mm256_setr_epi8(
        3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
    __m256i bits = _mm256_shuffle_epi8(load_eight(bytes, _mm256_srli_epi32(positions, 3)), swap);
    bits = _mm256_sllv_epi32(bits, _mm256_and_si256(positions, _mm256_set1_epi32(7)));
    __m256i offsets = _mm256_slli_epi32(_mm256_srli_epi32(bits, 32 - GROUP_BITS), 2);
    __m256i entry = load_eight((const uint8_t *)blocks->values, offsets);
    __m256i missing = _mm256_and_si256(_mm256_srli_epi32(entry, 6), _mm256_set1_epi32(15));
    /* A shift by 32 gives 0. */
    __m256i rest = _mm256_srlv_epi32(_mm256_slli_epi32(bits, GROUP_BITS), _mm256_sub_epi32(_mm256_set1_epi32(32), missing));
    *value = _mm256_add_epi32(_mm256_srai_epi32(entry, 17), rest);
    return entry;
}

INLINE_AVX2 __m256i advance_of(__m256i entry) {
    return _mm256_and_si256(_mm256_srli_epi32(entry, 10), _mm256_set1_epi32(127));
}
INLINE_AVX2 __m256i length_of(__m256i entry) { return _mm256_and_si256(entry, _mm256_set1_epi32(63)); }

/* Packs sixteen values in their order. */
INLINE_AVX2 __m256i packed(__m256i low, __m256i high) {
    return _mm256_permute4x64_epi64(_mm256_packs_epi32(low, high), 0xd8);
}

/* For 2 x 2 samples the coefficients 1, 2 and 4 are needed, which are among the first four symbols of a block. So exactly
   four symbols are decoded; what is behind the end of a block has no effect. */
AVX2 void webimage_jt_plane_decode2_avx2(plane_blocks *blocks, const uint8_t *bytes, size_t tiles) {
    const __m256i one = _mm256_set1_epi32(1), two = _mm256_set1_epi32(2), four = _mm256_set1_epi32(4);
    const __m256i zero = _mm256_setzero_si256();
    for (size_t tile = 0; tile < tiles; tile++) {
        const uint32_t *starts = blocks->starts + tile * PLANE_LANES;
        int16_t *target = blocks->tiles + tile * PLANE_TILE;
        __m256i position[2], index[2] = {zero, zero}, first[2] = {zero, zero}, second[2] = {zero, zero};
        __m256i fourth[2] = {zero, zero}, entry[2];
        position[0] = _mm256_loadu_si256((const __m256i *)starts);
        position[1] = _mm256_loadu_si256((const __m256i *)(starts + 8));
        for (int step = 0; step < 4; step++) {
            for (int half = 0; half < 2; half++) {
                __m256i value;
                entry[half] = decode_eight(blocks, bytes, position[half], &value);
                index[half] = _mm256_add_epi32(index[half], advance_of(entry[half]));
                position[half] = _mm256_add_epi32(position[half], length_of(entry[half]));
                first[half] = _mm256_or_si256(first[half], _mm256_and_si256(value, _mm256_cmpeq_epi32(index[half], one)));
                second[half] = _mm256_or_si256(second[half], _mm256_and_si256(value, _mm256_cmpeq_epi32(index[half], two)));
                fourth[half] = _mm256_or_si256(fourth[half], _mm256_and_si256(value, _mm256_cmpeq_epi32(index[half], four)));
            }
        }
        _mm256_storeu_si256((__m256i *)(target + 1 * PLANE_LANES), packed(first[0], first[1]));
        _mm256_storeu_si256((__m256i *)(target + 2 * PLANE_LANES), packed(second[0], second[1]));
        _mm256_storeu_si256((__m256i *)(target + 4 * PLANE_LANES), packed(fourth[0], fourth[1]));
        /* A lane that has met a symbol outside the table before coefficient 4 has not moved since. */
        int slow = 0;
        for (int half = 0; half < 2; half++) {
            __m256i is_slow = _mm256_and_si256(_mm256_cmpeq_epi32(entry[half], zero), _mm256_cmpgt_epi32(four, index[half]));
            slow |= _mm256_movemask_ps(_mm256_castsi256_ps(is_slow)) << 8 * half;
        }
        for (; slow; slow &= slow - 1) {
            size_t lane = (size_t)__builtin_ctz((unsigned)slow);
            target[1 * PLANE_LANES + lane] = target[2 * PLANE_LANES + lane] = target[4 * PLANE_LANES + lane] = 0;
            blocks->slow_symbols += webimage_jt_plane_scalar(blocks, bytes, tile * PLANE_LANES + lane, target);
        }
    }
    blocks->steps += 4 * tiles;
}

/* The state of eight lanes. Each lane decodes the blocks at its place in all tiles, one after the other, so that no lane
   waits for the longest block of a tile. */
typedef struct {
    __m256i position, index;
    __m256i place; /* lane + the number of the tile * PLANE_LANES */
    __m256i base;  /* where the lane's numbers of the tile start: lane + the number of the tile * PLANE_TILE */
    __m256i next;  /* the start of the lane's block in the following tile */
} lanes;

/* Replaces the entries and values of symbols that are not in the table. */
static __attribute__((noinline, cold, target("avx2"))) void decode_slow(
    plane_blocks *blocks, const uint8_t *bytes, __m256i position, __m256i *advance, __m256i *length, __m256i *value) {
    uint32_t positions[8], advances[8], lengths[8];
    int32_t values[8];
    _mm256_storeu_si256((__m256i *)positions, position);
    _mm256_storeu_si256((__m256i *)advances, *advance);
    _mm256_storeu_si256((__m256i *)lengths, *length);
    _mm256_storeu_si256((__m256i *)values, *value);
    for (int lane = 0; lane < 8; lane++) {
        if (lengths[lane] != 0) continue;
        int32_t entry = webimage_jt_long_value(blocks->symbols, 0, bits_at(bytes, positions[lane]));
        advances[lane] = (uint32_t)entry >> 8 & 127;
        lengths[lane] = (uint32_t)entry & 63;
        values[lane] = entry >> 16;
        blocks->slow_symbols++;
    }
    *advance = _mm256_loadu_si256((const __m256i *)advances);
    *length = _mm256_loadu_si256((const __m256i *)lengths);
    *value = _mm256_loadu_si256((const __m256i *)values);
}

AVX2 void webimage_jt_plane_decode_avx2(plane_blocks *blocks, const uint8_t *bytes, size_t tiles) {
    const __m256i zero = _mm256_setzero_si256(), last = _mm256_set1_epi32(blocks->last);
    const __m256i unused = _mm256_set1_epi32(PLANE_SLOTS - 1), all = _mm256_set1_epi32(PLANE_LANES);
    const __m256i parked = _mm256_set1_epi32((int)(tiles * PLANE_LANES));
    const __m256i whole_tile = _mm256_set1_epi32(PLANE_TILE);
    const __m256i before_last = _mm256_set1_epi32(blocks->last - 1);
    const __m256i last_place = _mm256_set1_epi32((int)(tiles * PLANE_LANES) + PLANE_LANES - 1);
    int16_t *const target = blocks->tiles;
    lanes lanes[2];
    for (int lane = 0; lane < 2 * PLANE_LANES; lane++)
        blocks->starts[tiles * PLANE_LANES + (size_t)lane] = blocks->starts[0];
    for (int half = 0; half < 2; half++) {
        lanes[half].position = _mm256_loadu_si256((const __m256i *)(blocks->starts + 8 * half));
        lanes[half].next = _mm256_loadu_si256((const __m256i *)(blocks->starts + PLANE_LANES + 8 * half));
        lanes[half].index = zero;
        lanes[half].place = _mm256_add_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(8 * half));
        lanes[half].base = lanes[half].place;
    }
    for (;;) {
        __m256i running = _mm256_or_si256(
            _mm256_cmpgt_epi32(parked, lanes[0].place), _mm256_cmpgt_epi32(parked, lanes[1].place));
        if (_mm256_testz_si256(running, running)) break;
        blocks->steps++;
        for (int half = 0; half < 2; half++) {
            __m256i value, entry = decode_eight(blocks, bytes, lanes[half].position, &value);
            __m256i advance = advance_of(entry), length = length_of(entry), is_slow = _mm256_cmpeq_epi32(entry, zero);
            if (__builtin_expect(!_mm256_testz_si256(is_slow, is_slow), 0))
                decode_slow(blocks, bytes, lanes[half].position, &advance, &length, &value);
            __m256i index = _mm256_add_epi32(lanes[half].index, advance);
            __m256i position = _mm256_add_epi32(lanes[half].position, length);
            __m256i is_unused = _mm256_cmpgt_epi32(index, last);
            __m256i slot = _mm256_slli_epi32(_mm256_blendv_epi8(index, unused, is_unused), 4);
            __m256i offset = _mm256_add_epi32(lanes[half].base, slot);
            uint32_t offsets[8];
            int32_t values[8];
            _mm256_storeu_si256((__m256i *)offsets, offset);
            _mm256_storeu_si256((__m256i *)values, value);
            for (int lane = 0; lane < 8; lane++) target[offsets[lane]] = (int16_t)values[lane];
            __m256i is_end = _mm256_cmpgt_epi32(index, before_last);
            lanes[half].index = _mm256_andnot_si256(is_end, index);
            lanes[half].position = _mm256_blendv_epi8(position, lanes[half].next, is_end);
            /* A finished lane repeats the block of the tile behind the last one. */
            __m256i place = _mm256_add_epi32(lanes[half].place, _mm256_and_si256(is_end, all));
            __m256i is_over = _mm256_cmpgt_epi32(place, last_place), moves = _mm256_andnot_si256(is_over, is_end);
            lanes[half].place = _mm256_sub_epi32(place, _mm256_and_si256(is_over, all));
            lanes[half].base = _mm256_add_epi32(lanes[half].base, _mm256_and_si256(moves, whole_tile));
            __m256i behind = _mm256_add_epi32(lanes[half].place, all);
            lanes[half].next = load_eight((const uint8_t *)blocks->starts, _mm256_slli_epi32(behind, 2));
        }
    }
}

/* The dequantised coefficients of sixteen blocks. */
INLINE_AVX2 __m256i value_at(const int16_t *tile, const int16_t *factors, int row, int column) {
    int slot = webimage_jt_place_of[row][column];
    __m256i value = _mm256_loadu_si256((const __m256i *)(tile + slot * PLANE_LANES));
    __m256i factor = _mm256_set1_epi16(factors[slot]);
    __m256i low = _mm256_mullo_epi16(value, factor), high = _mm256_mulhi_epi16(value, factor);
    return _mm256_packs_epi32(_mm256_unpacklo_epi16(low, high), _mm256_unpackhi_epi16(low, high));
}

INLINE_AVX2 __m256i sum(__m256i a, __m256i b) { return _mm256_adds_epi16(a, b); }
INLINE_AVX2 __m256i difference(__m256i a, __m256i b) { return _mm256_subs_epi16(a, b); }
INLINE_AVX2 __m256i times(__m256i value, int factor) { return _mm256_mulhrs_epi16(value, _mm256_set1_epi16((int16_t)factor)); }

/* Sixteen samples of numbers with so many bits behind the point. */
INLINE_AVX2 __m256i samples(__m256i value, int bits) {
    const int shift = bits - PLANE_BITS, half = 1 << shift >> 1;
    value = _mm256_srai_epi16(sum(value, _mm256_set1_epi16((int16_t)half)), shift);
    value = sum(value, _mm256_set1_epi16(128 << PLANE_BITS));
    return _mm256_min_epi16(_mm256_max_epi16(value, _mm256_set1_epi16(PLANE_LEAST)), _mm256_set1_epi16(PLANE_MOST));
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
    __m256i a = value_at(tile, factors, 0, 0), b = value_at(tile, factors, 0, 1);
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
            v[row] = value_at(tile, factors, row, u);
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
        for (int row = 0; row < 4; row++) v[row] = value_at(tile, factors, row, u);
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
        for (int row = 0; row < 8; row++) v[row] = value_at(tile, factors, row, u);
        transform_eight(v, columns[u]);
    }
    for (int y = 0; y < 8; y++) {
        __m256i v[8], out[8];
        for (int u = 0; u < 8; u++) v[u] = columns[u][y];
        transform_eight(v, out);
        for (int x = 0; x < 8; x++) v[x] = samples(out[x], 6);
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
