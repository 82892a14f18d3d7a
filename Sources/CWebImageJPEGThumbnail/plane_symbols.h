#ifndef PLANE_SYMBOLS_H
#define PLANE_SYMBOLS_H

#include "thumbnail.h"

/* Decodes the low AC coefficients of many blocks at once. planes.c compiles this file for all processors, planes_avx2.c for
   those with AVX2.

   A symbol's position depends on the symbol before it, so only the lookups are done one by one, for all blocks: the processor
   works on the lookups of several blocks at a time. The rest is arithmetic with sixteen blocks side by side, of which compilers
   make vector instructions. No branch depends on an ordinary symbol. Four symbols of each block are read, or two if they are
   enough; blocks that need more are listed and read again, so that few blocks with many symbols delay no others. */

#define INLINE static inline __attribute__((always_inline))
#define EACH_LANE for (int i = 0; i < PLANE_LANES; i++)

/* An entry of a table of values that ends a block. */
#define END_OF_BLOCK (UINT32_C(64) << 10 | 1)

/* Reads two symbols of each block from `positions`, and writes the positions behind them. At least 57 bits behind a position are
   valid. A symbol in the table and the missing bits of its value need at most 25. */
INLINE void read_two(plane_blocks *blocks, const uint8_t *bytes, const uint32_t *positions, size_t count, int step) {
    const uint32_t *const values = blocks->values;
    plane_space *const space = blocks->space;
    for (size_t block = 0; block < count; block++) {
        uint32_t position = positions[block];
        uint64_t bits = bits_at(bytes, position);
        uint32_t first = values[bits >> (64 - GROUP_BITS)];
        space->entries[step][block] = first;
        space->rests[step][block] = (uint32_t)(bits >> (32 - GROUP_BITS));
        bits <<= first & 63;
        uint32_t second = values[bits >> (64 - GROUP_BITS)];
        space->entries[step + 1][block] = second;
        space->rests[step + 1][block] = (uint32_t)(bits >> (32 - GROUP_BITS));
        space->positions[block] = position + (first & 63) + (second & 63);
    }
    blocks->steps += count;
}

INLINE void read_four(plane_blocks *blocks, const uint8_t *bytes, const uint32_t *positions, size_t count) {
    read_two(blocks, bytes, positions, count, 0);
    read_two(blocks, bytes, blocks->space->positions, count, 2);
}

/* The value of a symbol. `rest` are the bits behind the bits of its entry. */
INLINE int32_t value_of(uint32_t entry, uint32_t rest) {
    return ((int32_t)entry >> 17) + (int32_t)(rest >> 1 >> (31 - (entry >> 6 & 15)));
}
INLINE uint32_t advance_of(uint32_t entry) { return entry >> 10 & 127; }

/* Decodes the blocks whose bits are set one by one. They have met a symbol that is not in the table; its entry, and all that
   were read behind it, are 0. */
INLINE void decode_slow(plane_blocks *blocks, const uint8_t *bytes, uint32_t lanes, const uint16_t *places) {
    for (; lanes; lanes &= lanes - 1) {
        size_t place = places[__builtin_ctz(lanes)];
        int16_t *tile = blocks->space->tiles + place / PLANE_LANES * PLANE_TILE;
        blocks->slow_symbols += webimage_jt_plane_scalar(blocks, bytes, place, tile);
    }
}

/* For 2 x 2 samples the coefficients 1, 2 and 4 are needed, or 1 and 2, which are among the first symbols of a block. So exactly
   four or two symbols are used; those behind the end of a block have no effect. */
INLINE void sort_few(plane_blocks *blocks, const uint8_t *bytes, size_t tile, const int steps) {
    const plane_space *const space = blocks->space;
    const size_t from = tile * PLANE_LANES;
    int16_t *const target = blocks->space->tiles + tile * PLANE_TILE;
    int32_t first[PLANE_LANES] = {0}, second[PLANE_LANES] = {0}, fourth[PLANE_LANES] = {0};
    uint32_t index[PLANE_LANES] = {0}, slow = 0;
    for (int step = 0; step < steps; step++) {
        const uint32_t *entries = space->entries[step] + from, *rests = space->rests[step] + from;
        EACH_LANE {
            int32_t value = value_of(entries[i], rests[i]);
            index[i] += advance_of(entries[i]);
            first[i] |= index[i] == 1 ? value : 0;
            second[i] |= index[i] == 2 ? value : 0;
            fourth[i] |= index[i] == 4 ? value : 0;
        }
    }
    const uint32_t *entries = space->entries[steps - 1] + from;
    EACH_LANE slow |= index[i] < (uint32_t)blocks->last && entries[i] == 0 ? 1u << i : 0;
    EACH_LANE target[1 * PLANE_LANES + i] = (int16_t)first[i];
    EACH_LANE target[2 * PLANE_LANES + i] = (int16_t)second[i];
    if (steps == 4) EACH_LANE target[4 * PLANE_LANES + i] = (int16_t)fourth[i];
    if (__builtin_expect(slow != 0, 0)) {
        uint16_t places[PLANE_LANES];
        EACH_LANE places[i] = (uint16_t)(from + (size_t)i);
        decode_slow(blocks, bytes, slow, places);
    }
}

/* Stores the values of four symbols of sixteen blocks, and adds the blocks that need more to the first `listed` ones. Returns
   the number of listed blocks. If `is_first` is set, the blocks are those of a tile; otherwise they are listed. The list is read
   and written at the same time: no block moves backwards. */
INLINE size_t sort_many(plane_blocks *blocks, const uint8_t *bytes, size_t from, size_t listed, int is_first) {
    plane_space *const space = blocks->space;
    const uint32_t last = (uint32_t)blocks->last;
    uint32_t index[PLANE_LANES], position[PLANE_LANES], base[PLANE_LANES], more[PLANE_LANES], some = 0, slow = 0;
    uint32_t offsets[PLANE_STEPS][PLANE_LANES];
    int32_t values[PLANE_STEPS][PLANE_LANES];
    uint16_t places[PLANE_LANES];
    EACH_LANE {
        size_t row = from + (size_t)i;
        index[i] = is_first ? 0 : space->indices[row];
        position[i] = space->positions[row];
        base[i] = is_first ? (uint32_t)(from / PLANE_LANES * PLANE_TILE) + (uint32_t)i : space->bases[row];
        places[i] = is_first ? (uint16_t)row : space->places[row];
    }
    for (int step = 0; step < PLANE_STEPS; step++) {
        const uint32_t *entries = space->entries[step] + from, *rests = space->rests[step] + from;
        EACH_LANE {
            values[step][i] = value_of(entries[i], rests[i]);
            index[i] += advance_of(entries[i]);
            /* Nothing is stored for a symbol that is not in the table. */
            uint32_t slot = entries[i] == 0 || index[i] > last ? PLANE_SLOTS - 1 : index[i];
            offsets[step][i] = base[i] + slot * PLANE_LANES;
        }
    }
    for (int step = 0; step < PLANE_STEPS; step++)
        for (int i = 0; i < PLANE_LANES; i++) space->tiles[offsets[step][i]] = (int16_t)values[step][i];
    const uint32_t *entries = space->entries[PLANE_STEPS - 1] + from;
    EACH_LANE {
        uint32_t is_unfinished = index[i] < last, is_slow = is_unfinished && entries[i] == 0;
        more[i] = is_unfinished && !is_slow;
        some |= more[i];
        slow |= is_slow << i;
    }
    if (__builtin_expect(slow != 0, 0)) decode_slow(blocks, bytes, slow, places);
    if (!some) return listed;
    for (int i = 0; i < PLANE_LANES; i++) {
        space->positions[listed] = position[i];
        space->indices[listed] = index[i];
        space->bases[listed] = base[i];
        space->places[listed] = places[i];
        listed += more[i];
    }
    return listed;
}

/* Decodes the blocks of so many tiles, from space->starts. */
INLINE void decode_blocks(plane_blocks *blocks, const uint8_t *bytes, size_t tiles) {
    plane_space *const space = blocks->space;
    if (blocks->last == 2) {
        read_two(blocks, bytes, space->starts, tiles * PLANE_LANES, 0);
        for (size_t tile = 0; tile < tiles; tile++) sort_few(blocks, bytes, tile, 2);
        return;
    }
    read_four(blocks, bytes, space->starts, tiles * PLANE_LANES);
    if (blocks->side == 2) {
        for (size_t tile = 0; tile < tiles; tile++) sort_few(blocks, bytes, tile, 4);
        return;
    }
    size_t listed = 0;
    for (size_t tile = 0; tile < tiles; tile++) listed = sort_many(blocks, bytes, tile * PLANE_LANES, listed, 1);
    while (listed > 0) {
        size_t count = listed;
        read_four(blocks, bytes, space->positions, count);
        /* Whole groups: the others are blocks that have ended. */
        for (; count % PLANE_LANES != 0; count++) {
            space->entries[0][count] = END_OF_BLOCK;
            space->indices[count] = 0;
            space->bases[count] = 0;
        }
        listed = 0;
        for (size_t from = 0; from < count; from += PLANE_LANES) listed = sort_many(blocks, bytes, from, listed, 0);
    }
}
#endif
