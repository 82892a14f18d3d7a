#include "thumbnail.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

/* Damaged data and extreme values, exactly as libjpeg-turbo decodes them. damage.c continues here behind the
   first damaged block, so that the work so far is not lost and a damaged file costs no second decode. One symbol at a time:
   about as fast as libjpeg-turbo. */

/* Returns length << 8 | symbol. libjpeg-turbo reads 17 bits of an invalid code and takes it for symbol 0. */
static inline unsigned strict_symbol(const symbol_table *table, uint64_t bits) {
    unsigned entry = next_symbol(table, bits);
    return __builtin_expect(entry == 0, 0) ? 17 << 8 : entry;
}

uint32_t webimage_jt_strict_ac(
    const uint8_t *bytes, uint32_t position, const symbol_table *ac, int16_t *coefficients) {
    enum { VALID_BITS = 57, MOST_BITS = 17 + 15 };
    uint64_t bits = 0;
    unsigned left = 0;
    for (int index = 1; index < 64; index++) {
        if (left < MOST_BITS) {
            bits = bits_at(bytes, position);
            left = VALID_BITS;
        }
        unsigned entry = strict_symbol(ac, bits), length = entry >> 8, run = entry >> 4 & 15, size = entry & 15;
        uint64_t extra = bits << length;
        bits = extra << size;
        left -= length + size;
        position += length + size;
        if (size == 0 && run != 15) break;
        index += (int)run;
        /* A run that leaves the block ends at the last coefficient. */
        if (size != 0 && coefficients)
            coefficients[webimage_jt_natural_order[index < 63 ? index : 63]] = (int16_t)extra_value(extra, size);
    }
    return position;
}

uint32_t webimage_jt_strict_block(
    const uint8_t *bytes, uint32_t position, const symbol_table *dc, const symbol_table *ac, int32_t *prediction,
    int16_t *coefficients) {
    uint64_t bits = bits_at(bytes, position);
    unsigned entry = strict_symbol(dc, bits), length = entry >> 8, size = entry & 15;
    *prediction += extra_value(bits << length, size);
    if (coefficients) coefficients[0] = (int16_t)*prediction;
    return webimage_jt_strict_ac(bytes, position + length + size, ac, coefficients);
}

/* The rest computes the 2 x 2 samples of a block for any coefficients. libjpeg-turbo has vector code for two kinds of
   processors, and C code for the others. Their results differ only for values beyond 16 bits, which a damaged file has and a
   real picture has not. */

static inline int32_t saturated(int32_t value, int32_t least, int32_t most) {
    return value < least ? least : value > most ? most : value;
}

/* The fixed-point factors of jpeg_idct_2x2, with 13 bits behind the point. */
enum { FACTOR_1 = 29692, FACTOR_3 = -10426, FACTOR_5 = 6967, FACTOR_7 = -5906 };

#if defined(__x86_64__)

/* Two factors for pairs of 16-bit numbers. */
static inline __m128i factor_pair(int first, int second) {
    return _mm_set1_epi32((int32_t)((uint32_t)(uint16_t)second << 16 | (uint16_t)first));
}

static inline __m128i scaled_row(const int16_t *coefficients, const uint16_t *quant, int row) {
    return _mm_mullo_epi16(
        _mm_loadu_si128((const __m128i *)(coefficients + row * 8)), _mm_loadu_si128((const __m128i *)(quant + row * 8)));
}

static inline __m128i descaled_columns(__m128i sums) {
    return _mm_srai_epi32(_mm_add_epi32(sums, _mm_set1_epi32(1 << 12)), 13);
}

static inline uint8_t row_value(int32_t even, int32_t odd) {
    int32_t total = (int32_t)(((uint32_t)even << 15) + (uint32_t)odd + (1u << 19)) >> 20;
    return (uint8_t)(saturated(total, INT8_MIN, INT8_MAX) + 128);
}

/* Writes two samples. The first column's value keeps 32 bits. */
static inline void write_row(__m128i low, __m128i high, uint8_t *target) {
    const __m128i factors = _mm_setr_epi16(0, FACTOR_1, 0, FACTOR_3, 0, FACTOR_5, 0, (int16_t)FACTOR_7);
    __m128i sums = _mm_madd_epi16(_mm_packs_epi32(low, high), factors);
    sums = _mm_add_epi32(sums, _mm_shuffle_epi32(sums, 0x4e));
    sums = _mm_add_epi32(sums, _mm_shuffle_epi32(sums, 0xb1));
    int32_t even = _mm_cvtsi128_si32(low), odd = _mm_cvtsi128_si32(sums);
    target[0] = row_value(even, odd);
    target[1] = row_value(even, (int32_t)(0u - (uint32_t)odd));
}

void webimage_jt_strict_samples(const int16_t *coefficients, const uint16_t *quant, uint8_t *target, size_t stride) {
    __m128i row0 = scaled_row(coefficients, quant, 0), row1 = scaled_row(coefficients, quant, 1);
    __m128i row3 = scaled_row(coefficients, quant, 3), row5 = scaled_row(coefficients, quant, 5);
    __m128i row7 = scaled_row(coefficients, quant, 7);
    const __m128i upper = factor_pair(FACTOR_1, FACTOR_3), lower = factor_pair(FACTOR_5, FACTOR_7), zero = _mm_setzero_si128();
    __m128i odd_low = _mm_add_epi32(
        _mm_madd_epi16(_mm_unpacklo_epi16(row1, row3), upper), _mm_madd_epi16(_mm_unpacklo_epi16(row5, row7), lower));
    __m128i odd_high = _mm_add_epi32(
        _mm_madd_epi16(_mm_unpackhi_epi16(row1, row3), upper), _mm_madd_epi16(_mm_unpackhi_epi16(row5, row7), lower));
    __m128i even_low = _mm_srai_epi32(_mm_unpacklo_epi16(zero, row0), 1);
    __m128i even_high = _mm_srai_epi32(_mm_unpackhi_epi16(zero, row0), 1);
    write_row(
        descaled_columns(_mm_add_epi32(even_low, odd_low)), descaled_columns(_mm_add_epi32(even_high, odd_high)), target);
    write_row(
        descaled_columns(_mm_sub_epi32(even_low, odd_low)), descaled_columns(_mm_sub_epi32(even_high, odd_high)),
        target + stride);
}

#else

static inline int32_t wrapped_add(int32_t a, int32_t b) { return (int32_t)((uint32_t)a + (uint32_t)b); }
static inline int32_t wrapped_multiply(int32_t a, int32_t b) { return (int32_t)((uint32_t)a * (uint32_t)b); }

#if defined(__aarch64__)
typedef int32_t sum;
#else
typedef int64_t sum;
#endif

static inline sum odd_sum(const int32_t *values) {
#if defined(__aarch64__)
    int32_t first = wrapped_add(wrapped_multiply(values[1], FACTOR_1), wrapped_multiply(values[3], FACTOR_3));
    return wrapped_add(first, wrapped_add(wrapped_multiply(values[5], FACTOR_5), wrapped_multiply(values[7], FACTOR_7)));
#else
    return (sum)values[1] * FACTOR_1 + (sum)values[3] * FACTOR_3 + (sum)values[5] * FACTOR_5 + (sum)values[7] * FACTOR_7;
#endif
}

/* The sum over a column; `even` is its first value and `sign` is -1 for the lower sample. */
static inline int32_t column_value(int32_t even, sum odd, int sign) {
#if defined(__aarch64__)
    int64_t total = wrapped_add(wrapped_multiply(even, 1 << 15), wrapped_multiply(odd, sign));
    return (int16_t)((total + (1 << 12)) >> 13);
#else
    return (int32_t)(((sum)even * (1 << 15) + odd * sign + (1 << 12)) >> 13);
#endif
}

static inline uint8_t row_value(int32_t even, sum odd, int sign) {
#if defined(__aarch64__)
    int32_t total = wrapped_add(wrapped_multiply(even, 1 << 15), wrapped_multiply(odd, sign)) >> 16;
    return (uint8_t)saturated(((total + 8) >> 4) + 128, 0, 255);
#else
    /* libjpeg's table of samples repeats after 1024 values. */
    int32_t total = (int32_t)(((sum)even * (1 << 15) + odd * sign + (1 << 19)) >> 20);
    return (uint8_t)saturated((int32_t)(((uint32_t)total & 1023) ^ 512) - 512 + 128, 0, 255);
#endif
}

void webimage_jt_strict_samples(const int16_t *coefficients, const uint16_t *quant, uint8_t *target, size_t stride) {
    int32_t rows[2][8] = {{0}};
    for (int column = 0; column < 8; column++) {
        if (column == 2 || column == 4 || column == 6) continue;
        int32_t values[8];
        for (int row = 0; row < 8; row++) {
            int32_t value = coefficients[row * 8 + column] * (int16_t)quant[row * 8 + column];
            values[row] = sizeof(sum) == 4 ? (int16_t)value : value;
        }
        sum odd = odd_sum(values);
        rows[0][column] = column_value(values[0], odd, 1);
        rows[1][column] = column_value(values[0], odd, -1);
    }
    for (int row = 0; row < 2; row++) {
        sum odd = odd_sum(rows[row]);
        target[(size_t)row * stride] = row_value(rows[row][0], odd, 1);
        target[(size_t)row * stride + 1] = row_value(rows[row][0], odd, -1);
    }
}

#endif
