#include "plane_symbols.h"

/* Decodes the low coefficients of blocks whose positions the first pass (streams.c) has found, and makes 2 x 2, 3 x 3, 4 x 4
   or 8 x 8 samples of them. The codes behind the last of these coefficients are not read. */

/* The index in the file's order of the last of side x side coefficients. */
static const int last_of_side[9] = {[2] = 4, [3] = 12, [4] = 24, [8] = 63};

/* The last coefficient is a detail that is fine in both directions, so that the filter removes it if the plane has so many samples for
   each sample of the result. Blocks are then read only up to the coefficient before it, of 2 x 2 in a sixth less time, of 3 x 3
   in a twelfth, for 0.05 points of SSIMULACRA2. Hard edges need the last of 4 x 4. */
static const int shorter_last[9] = {[2] = 2, [3] = 8, [4] = 24, [8] = 63};
static const double samples_for_shorter[9] = {[2] = 2.5, [3] = 2};

/* The entry of a symbol for the bits that start with its code. */
static uint32_t value_entry(unsigned symbol, unsigned length, unsigned bits) {
    unsigned run = symbol >> 4, size = symbol & 15, total = length + size;
    if (size == 0) return (run == 15 ? 16u : 64u) << 10 | length;
    unsigned missing = total > GROUP_BITS ? total - GROUP_BITS : 0;
    /* The first extra bit is the sign and must be there. 15 bits with the sign must be enough for the value. */
    if (missing >= size || size == 15) return 0;
    unsigned known = size - missing, shift = GROUP_BITS - length - known;
    int32_t value = (int32_t)((bits >> shift & ((1u << known) - 1)) << missing);
    if (!(value >> (size - 1))) value -= (1 << size) - 1;
    return (uint32_t)value << 17 | (run + 1) << 10 | missing << 6 | total;
}

int webimage_jt_has_avx2(const webimage_jpeg_thumbnail_planes *planes) {
#if HAS_AVX2_CODE
    return !planes->is_portable && __builtin_cpu_supports("avx2");
#else
    (void)planes;
    return 0;
#endif
}

int webimage_jpeg_thumbnail_is_vectorized(void) {
    const webimage_jpeg_thumbnail_planes planes = {.is_portable = 0};
    return webimage_jt_has_avx2(&planes);
}

int webimage_jt_plane_last(int side, double samples) {
    return samples >= samples_for_shorter[side] ? shorter_last[side] : last_of_side[side];
}

int webimage_jt_plane_needs(const component *component, int index) {
    int natural = webimage_jt_natural_order[index];
    return index <= component->last && natural % 8 < component->side && natural / 8 < component->side;
}

#if HAS_AVX2_CODE
int webimage_jt_has_fast_deposit(const webimage_jpeg_thumbnail_request *request) {
    /* The first two generations of Zen have the instruction, but it takes a step for each bit. */
    return (!request->planes || !request->planes->is_portable) && __builtin_cpu_supports("bmi2")
        && __builtin_cpu_supports("popcnt") && !__builtin_cpu_is("znver1") && !__builtin_cpu_is("znver2");
}
#endif

void webimage_jt_plane_init(plane_blocks *blocks, const component *component, plane_space *space, int is_vectorized) {
    blocks->side = component->side;
    blocks->last = component->last;
    blocks->is_vectorized = is_vectorized;
    blocks->space = space;
    for (int index = 0; index < PLANE_SLOTS - 1; index++)
        blocks->factors[index] = (int16_t)(component->quant[webimage_jt_natural_order[index]] * (component->side == 2 ? 1 : 8));
}

void webimage_jt_make_plane_values(const symbol_table *symbols, uint32_t *values) {
    for (unsigned index = 0; index < GROUP_SIZE; index++) {
        unsigned entry = symbols->single[index], length = entry >> 8;
        values[index] = length == 0 ? 0 : value_entry(entry & 255, length, index);
    }
}

unsigned webimage_jt_plane_scalar(const plane_blocks *blocks, const uint8_t *bytes, size_t place, int16_t *tile) {
    uint32_t position = blocks->space->starts[place];
    int16_t *lane = tile + place % PLANE_LANES;
    unsigned symbols = 0;
    for (int index = 0; index < blocks->last; symbols++) {
        int32_t entry = webimage_jt_long_value(blocks->symbols, 0, bits_at(bytes, position));
        index += entry >> 8 & 127;
        position += (uint32_t)entry & 63;
        if (index <= blocks->last) lane[index * PLANE_LANES] = (int16_t)(entry >> 16);
    }
    return symbols;
}

/* Decodes blocks in all tiles. */
static void decode_tiles(plane_blocks *blocks, const uint8_t *bytes, size_t tiles) {
    for (size_t tile = 0; tile < tiles; tile++) {
        int16_t *target = blocks->space->tiles + tile * PLANE_TILE;
        size_t bytes_of_slot = PLANE_LANES * sizeof *target;
        memcpy(target, blocks->space->dc + tile * PLANE_LANES, bytes_of_slot);
        memset(target + PLANE_LANES, 0, (size_t)last_of_side[blocks->side] * bytes_of_slot);
    }
#if HAS_AVX2_CODE
    if (blocks->is_vectorized) {
        webimage_jt_plane_decode_avx2(blocks, bytes, tiles);
        return;
    }
#endif
    decode_blocks(blocks, bytes, tiles);
}

/* The stride is in samples. */
static void transform(const plane_blocks *blocks, const int16_t *tile, int16_t *rows, size_t stride) {
#if HAS_AVX2_CODE
    if (blocks->is_vectorized) {
        webimage_jt_transform_avx2(tile, blocks->factors, blocks->side, rows, stride);
        return;
    }
#endif
    webimage_jt_transform(tile, blocks->factors, blocks->side, rows, stride);
}

void webimage_jt_plane_samples(plane_blocks *blocks, size_t columns, size_t rows, uint8_t *target, size_t stride) {
    size_t wide = plane_tiles(columns), side = (size_t)blocks->side;
    for (size_t row = 0; row < rows; row++) {
        for (size_t tile = 0; tile < wide; tile++) {
            const int16_t *source = blocks->space->tiles + (row * wide + tile) * PLANE_TILE;
            uint8_t *to = target + row * side * stride + tile * PLANE_LANES * side * sizeof(int16_t);
            int16_t samples[MAX_PLANE_SIDE * MAX_PLANE_SIDE * PLANE_LANES];
            size_t left = columns - tile * PLANE_LANES;
            if (left >= PLANE_LANES) {
                /* All offsets in a plane are even. */
                transform(blocks, source, (int16_t *)(void *)to, stride / sizeof(int16_t));
                continue;
            }
            transform(blocks, source, samples, MAX_PLANE_SIDE * PLANE_LANES);
            for (size_t y = 0; y < side; y++)
                memcpy(to + y * stride, samples + y * MAX_PLANE_SIDE * PLANE_LANES, left * side * sizeof *samples);
        }
    }
}

void webimage_jt_plane_write(
    plane_blocks *blocks, const uint8_t *bytes, size_t columns, size_t rows, uint8_t *target, size_t stride) {
    size_t wide = plane_tiles(columns);
    /* The lanes behind the last block of a row repeat a block. */
    for (size_t row = 0; row < rows; row++)
        for (size_t column = columns; column < wide * PLANE_LANES; column++)
            blocks->space->starts[row * wide * PLANE_LANES + column] = blocks->space->starts[0];
    decode_tiles(blocks, bytes, wide * rows);
    webimage_jt_plane_samples(blocks, columns, rows, target, stride);
}

void webimage_jt_plane_add(plane_blocks *blocks, const int16_t *coefficients, uint8_t *target, size_t stride) {
    int16_t *lane = blocks->added_tile + blocks->added_count;
    for (int index = 0; index <= blocks->last; index++)
        lane[index * PLANE_LANES] = coefficients[webimage_jt_natural_order[index]];
    blocks->added[blocks->added_count++] = target;
    if (blocks->added_count == PLANE_LANES) webimage_jt_plane_flush(blocks, stride);
}

void webimage_jt_plane_flush(plane_blocks *blocks, size_t stride) {
    int16_t samples[MAX_PLANE_SIDE * MAX_PLANE_SIDE * PLANE_LANES];
    size_t side = (size_t)blocks->side;
    if (blocks->added_count == 0) return;
    transform(blocks, blocks->added_tile, samples, MAX_PLANE_SIDE * PLANE_LANES);
    for (size_t block = 0; block < (size_t)blocks->added_count; block++)
        for (size_t y = 0; y < side; y++)
            memcpy(blocks->added[block] + y * stride, samples + y * MAX_PLANE_SIDE * PLANE_LANES + block * side,
                   side * sizeof *samples);
    blocks->added_count = 0;
}
