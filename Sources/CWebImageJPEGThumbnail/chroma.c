#include "thumbnail.h"

/* Chroma at half the resolution of luma (4:2:0). There libjpeg-turbo makes 2 x 2 samples of each block, from the
   coefficients in the first row and the odd rows, and in the first column and the odd columns. This file computes the
   same integers as jpeg_idct_2x2 of libjpeg: sums over each of these columns, then over the rows.

   The sums are exact for values of 16 bits. Real pictures have no others. If one occurs, strict.c computes the samples. */

enum {
    /* The fixed-point factors of jpeg_idct_2x2, with 13 bits behind the point. */
    FACTOR_1 = 29692, FACTOR_3 = -10426, FACTOR_5 = 6967, FACTOR_7 = -5906,
    COLUMN_SHIFT = 13,
    ROW_SHIFT = 20,
    DC_SHIFT = 15,
    LARGEST = CHROMA_LARGEST,
    /* The lists of sums: the first row in columns 0, 1, 3, 5, 7, the odd rows in these columns, and a list for the
       coefficients that are not used. */
    USED_COLUMNS = 5,
    UNUSED = 2 * USED_COLUMNS,
};

static const int8_t list_of_column[8] = {0, 1, -1, 2, -1, 3, -1, 4};
static const int32_t row_factor[8] = {1 << DC_SHIFT, FACTOR_1, 0, FACTOR_3, 0, FACTOR_5, 0, FACTOR_7};

int webimage_jt_has_large_factor(const uint16_t *quant, int largest) {
    for (int index = 0; index < 64; index++)
        if (quant[index] > largest) return 1;
    return 0;
}

static uint32_t step_of(int32_t entry) { return ((uint32_t)entry & 63) | ((uint32_t)entry >> 8 & 127) << 24; }

static uint32_t value_of(int32_t entry) {
    int32_t value = entry >> 16;
    return (uint32_t)value << 16 | (uint32_t)(value < 0 ? -value : value);
}

void webimage_jt_chroma_init(chroma_blocks *blocks, const uint16_t *quant, const symbol_table *symbols) {
    blocks->symbols = symbols;
    blocks->quant = quant;
    blocks->always_exact = INT16_MAX;
    value_table values;
    webimage_jt_make_values(symbols, 0, values);
    for (int index = 0; index < GROUP_SIZE; index++) {
        blocks->steps[index] = step_of(values[index]);
        blocks->values[index] = value_of(values[index]);
    }
    for (int index = 0; index < CHROMA_START + 128; index++)
        blocks->factors[index] = (chroma_factor){UNUSED * CHROMA_LIST, 0};
    for (int index = 0; index < 64; index++) {
        blocks->largest[index] = INT16_MAX;
        int natural = webimage_jt_natural_order[index], row = natural >> 3, column = natural & 7;
        if (row_factor[row] == 0 || list_of_column[column] < 0) continue;
        int list = list_of_column[column] + (row == 0 ? 0 : USED_COLUMNS);
        blocks->factors[CHROMA_START + index] = (chroma_factor){
            (uint32_t)list * CHROMA_LIST, (uint32_t)(row_factor[row] * quant[natural])};
        if (quant[natural] != 0) blocks->largest[index] = LARGEST / quant[natural];
        if (blocks->largest[index] < blocks->always_exact) blocks->always_exact = blocks->largest[index];
    }
}

/* One chain of symbols: the blocks from `block` to `end`. Then it repeats the block at index `parked`, whose sums are not
   used, until the other chains have finished. As in streams.c, no branch depends on the data: the end of a block is bit 31
   of the sum. The start of the following block is loaded in advance, so that a step does not wait for it. */
#define CHAIN(i)                                                                 \
    uint32_t block##i = parked * i / 4, end##i = parked * (i + 1) / 4;           \
    if (block##i == end##i) block##i = parked;                                   \
    uint32_t following##i = block##i + 1 >= end##i ? parked : block##i + 1;      \
    uint32_t sum##i = blocks->starts[block##i], next##i = blocks->starts[following##i];

#define CHAIN_STEP(i)                                                                       \
    {                                                                                       \
        uint64_t bits = bits_at(bytes, sum##i & POSITION_MASK);                             \
        uint32_t step = blocks->steps[bits >> (64 - GROUP_BITS)];                           \
        uint32_t value = blocks->values[bits >> (64 - GROUP_BITS)];                         \
        if (__builtin_expect(step == 0, 0)) {                                               \
            /* The first pass over the data has found no invalid code in these blocks. */   \
            int32_t entry = webimage_jt_long_value(blocks->symbols, 0, bits);               \
            step = step_of(entry);                                                          \
            value = value_of(entry);                                                        \
        }                                                                                   \
        sum##i += step;                                                                     \
        chroma_factor factor = blocks->factors[sum##i >> 24];                               \
        blocks->sums[factor.list + block##i] += (uint32_t)((int32_t)value >> 16) * factor.factor; \
        seen |= value;                                                                      \
        uint32_t is_end = sum##i >> 31, mask = 0u - is_end;                                 \
        sum##i ^= (sum##i ^ next##i) & mask;                                                \
        block##i ^= (block##i ^ following##i) & mask;                                       \
        following##i += is_end;                                                             \
        following##i = following##i >= end##i ? parked : following##i;                      \
        next##i = blocks->starts[following##i];                                             \
    }

/* Adds all coefficients to the sums. Returns a number that is at least the magnitude of the largest one. */
static uint32_t decode_coefficients(chroma_blocks *blocks, const uint8_t *bytes) {
    uint32_t seen = 0;
    const uint32_t parked = (uint32_t)blocks->count;
    blocks->starts[parked] = blocks->starts[0];
    CHAIN(0) CHAIN(1) CHAIN(2) CHAIN(3)
    while ((block0 ^ parked) | (block1 ^ parked) | (block2 ^ parked) | (block3 ^ parked)) {
        CHAIN_STEP(0) CHAIN_STEP(1) CHAIN_STEP(2) CHAIN_STEP(3)
        blocks->rounds++;
    }
    return seen & 0xffff;
}

/* Whether each coefficient of the listed blocks is exact. This function is called for a batch with large values. */
static __attribute__((noinline, cold)) int is_exact(const chroma_blocks *blocks, const uint8_t *bytes) {
    for (int block = 0; block < blocks->count; block++) {
        uint32_t position = blocks->starts[block] & POSITION_MASK;
        for (int index = 0; index < 63;) {
            int32_t entry = webimage_jt_long_value(blocks->symbols, 0, bits_at(bytes, position));
            index += entry >> 8 & 127;
            position += (uint32_t)entry & 63;
            int32_t value = entry >> 16, largest = blocks->largest[index & 63];
            if (value > largest || value < -largest) return 0;
        }
    }
    return 1;
}

static inline uint8_t clamped(int32_t value) { return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value); }

/* The sums over a column: the upper sample row needs even + odd, the lower row even - odd. */
static inline int32_t column_sum(uint32_t even, uint32_t odd) {
    return (int32_t)(even + odd + (1u << (COLUMN_SHIFT - 1))) >> COLUMN_SHIFT;
}

/* Computes the two samples of a row. Returns a value over 0xffff if a number is not exact: a column's sum that does not
   fit into 15 bits, or a sample outside libjpeg's table of 1024 values. */
static inline uint32_t finish_row(
    int32_t first, int32_t column1, int32_t column3, int32_t column5, int32_t column7, uint8_t *target) {
    /* Damaged data can have any value here. Unsigned numbers wrap, and the columns show below that this is not exact. */
    int32_t even = (int32_t)(((uint32_t)first << DC_SHIFT) + (1u << (ROW_SHIFT - 1)));
    int32_t odd = (int16_t)column1 * FACTOR_1 + (int16_t)column3 * FACTOR_3 + (int16_t)column5 * FACTOR_5
        + (int16_t)column7 * FACTOR_7;
    int32_t left = (int32_t)((uint32_t)even + (uint32_t)odd) >> ROW_SHIFT;
    int32_t right = (int32_t)((uint32_t)even - (uint32_t)odd) >> ROW_SHIFT;
    target[0] = clamped(left + 128);
    target[1] = clamped(right + 128);
    uint32_t columns = (uint32_t)(first + LARGEST + 1) | (uint32_t)(column1 + LARGEST + 1)
        | (uint32_t)(column3 + LARGEST + 1) | (uint32_t)(column5 + LARGEST + 1) | (uint32_t)(column7 + LARGEST + 1);
    uint32_t samples = (uint32_t)(left + 512) | (uint32_t)(right + 512);
    return columns << 1 | samples << 6;
}

/* Writes the samples of `count` blocks to a list of upper and a list of lower rows. */
static uint32_t finish_blocks(const uint32_t *sums, size_t lists, size_t count, uint8_t *upper, uint8_t *lower) {
    uint32_t extent = 0;
    for (size_t block = 0; block < count; block++) {
        const uint32_t *even = sums + block;
        const uint32_t *odd = even + USED_COLUMNS * lists;
        int32_t columns[2][USED_COLUMNS];
        for (size_t column = 0; column < USED_COLUMNS; column++) {
            columns[0][column] = column_sum(even[column * lists], odd[column * lists]);
            columns[1][column] = column_sum(even[column * lists], 0u - odd[column * lists]);
        }
        const int32_t *up = columns[0], *low = columns[1];
        extent |= finish_row(up[0], up[1], up[2], up[3], up[4], upper + 2 * block);
        extent |= finish_row(low[0], low[1], low[2], low[3], low[4], lower + 2 * block);
    }
    return extent >> 16;
}

/* Whether the lists' sums were exact. Then `upper` and `lower` have the samples. */
static int compute(chroma_blocks *blocks, const uint8_t *bytes, size_t count, uint8_t *upper, uint8_t *lower) {
    int32_t largest_dc = 0;
    for (size_t block = 0; block < count; block++) {
        int32_t dc = (int32_t)blocks->sums[block];
        largest_dc |= dc ^ dc >> 31;
        blocks->sums[block] *= blocks->factors[CHROMA_START].factor;
    }
    if (largest_dc >= blocks->largest[0]) return 0;
    for (size_t list = 1; list < UNUSED; list++)
        memset(blocks->sums + list * CHROMA_LIST, 0, count * sizeof blocks->sums[0]);
    if (decode_coefficients(blocks, bytes) > (uint32_t)blocks->always_exact && !is_exact(blocks, bytes)) return 0;
    return finish_blocks(blocks->sums, CHROMA_LIST, count, upper, lower) == 0;
}

/* Computes a batch in which a number is not exact. `dc` are its DC coefficients. */
static __attribute__((noinline, cold)) void compute_strictly(
    const chroma_blocks *blocks, const uint8_t *bytes, const int16_t *dc, size_t stride) {
    for (size_t block = 0; block < (size_t)blocks->count; block++) {
        int16_t coefficients[64] = {dc[block]};
        webimage_jt_strict_ac(bytes, blocks->starts[block] & POSITION_MASK, blocks->symbols, coefficients);
        webimage_jt_strict_samples(coefficients, blocks->quant, blocks->targets[block], stride);
    }
}

void webimage_jt_chroma_flush(chroma_blocks *blocks, const uint8_t *bytes, size_t stride) {
    size_t count = (size_t)blocks->count;
    if (count == 0) return;
    uint8_t upper[2 * CHROMA_BATCH], lower[2 * CHROMA_BATCH];
    int16_t dc[CHROMA_BATCH];
    for (size_t block = 0; block < count; block++) dc[block] = (int16_t)blocks->sums[block];
    if (compute(blocks, bytes, count, upper, lower)) {
        for (size_t block = 0; block < count; block++) {
            memcpy(blocks->targets[block], upper + 2 * block, 2);
            memcpy(blocks->targets[block] + stride, lower + 2 * block, 2);
        }
    } else {
        compute_strictly(blocks, bytes, dc, stride);
    }
    blocks->count = 0;
}

/* Adds a row of coefficients to sums that are in the order of the columns. The columns that are not used must not make
   the picture fail. */
static inline uint32_t add_row(const int16_t *coefficients, const uint16_t *quant, int32_t factor, uint32_t *sums) {
    static const uint32_t used[8] = {~0u, ~0u, 0, ~0u, 0, ~0u, 0, ~0u};
    uint32_t extent = 0;
    for (int column = 0; column < 8; column++) {
        int32_t value = (int32_t)coefficients[column] * (int16_t)quant[column];
        extent |= (uint32_t)(value + LARGEST + 1) & used[column];
        sums[column] += (uint32_t)((int16_t)value * factor);
    }
    return extent >> 15;
}

void webimage_jt_chroma_block(
    const int16_t *coefficients, const uint16_t *quant, int is_flat, uint8_t *target, size_t stride) {
    if (is_flat) {
        int32_t dc = coefficients[0] * (int16_t)quant[0];
        memset(target, sample_of(coefficients[0], quant[0]), 2);
        memset(target + stride, target[0], 2);
        if ((uint32_t)(dc + 4 + 4096) >> 13) webimage_jt_strict_samples(coefficients, quant, target, stride);
        return;
    }
    uint32_t even[8] = {0}, odd[8] = {0}, sums[2 * USED_COLUMNS];
    uint32_t wrong = add_row(coefficients, quant, 1, even);
    for (int row = 1; row < 8; row += 2) wrong |= add_row(coefficients + row * 8, quant + row * 8, row_factor[row], odd);
    for (int column = 0; column < 8; column++) {
        if (list_of_column[column] < 0) continue;
        sums[list_of_column[column]] = even[column] << DC_SHIFT;
        sums[list_of_column[column] + USED_COLUMNS] = odd[column];
    }
    if (wrong | finish_blocks(sums, 1, 1, target, target + stride))
        webimage_jt_strict_samples(coefficients, quant, target, stride);
}
