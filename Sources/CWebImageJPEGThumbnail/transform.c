#include "transform.h"

/* The inverse cosine transform of the low 2 x 2, 3 x 3 or 4 x 4 coefficients of a block, or of all, to as many samples:

       sample[y][x] = 128 + sum of M[v][y] * M[u][x] * coefficient[v][u],
       M[0][x] = sqrt(1/8), M[u][x] = 1/2 * cos((2x + 1) * u * pi / 2N)

   This keeps more detail than the averages of a complete transform, which libjpeg-turbo makes, and needs no other
   coefficients. Products and sums have 16 bits and saturate. planes_avx2.c computes the same integers. */

/* A number of each block of a tile. Compilers turn the loops below into vector instructions. */
typedef struct {
    int16_t lane[PLANE_LANES];
} lanes;

/* A sample of each block. */
typedef lanes samples;

#define EACH_LANE for (int i = 0; i < PLANE_LANES; i++)

static inline int16_t saturated(int32_t value) {
    return (int16_t)(value < -32768 ? -32768 : value > 32767 ? 32767 : value);
}

static inline lanes sum(lanes a, lanes b) {
    EACH_LANE a.lane[i] = saturated((int32_t)a.lane[i] + b.lane[i]);
    return a;
}

static inline lanes difference(lanes a, lanes b) {
    EACH_LANE a.lane[i] = saturated((int32_t)a.lane[i] - b.lane[i]);
    return a;
}

/* A product with a factor that has 15 bits behind the point. */
static inline lanes times(lanes a, int16_t factor) {
    EACH_LANE a.lane[i] = (int16_t)(((int32_t)a.lane[i] * factor + (1 << 14)) >> 15);
    return a;
}

/* The samples of numbers with so many bits behind the point. */
static inline samples samples_of(lanes a, int bits) {
    const int shift = bits - PLANE_BITS, half = 1 << shift >> 1;
    EACH_LANE {
        int32_t value = (saturated((int32_t)a.lane[i] + half) >> shift) + (128 << PLANE_BITS);
        a.lane[i] = (int16_t)(value < PLANE_LEAST ? PLANE_LEAST : value > PLANE_MOST ? PLANE_MOST : value);
    }
    return a;
}

/* Samples from black to white. */
static inline samples limited(samples a) {
    EACH_LANE a.lane[i] = (int16_t)(a.lane[i] < 0 ? 0 : a.lane[i] > PLANE_WHITE ? PLANE_WHITE : a.lane[i]);
    return a;
}

/* The dequantised coefficients at a place of the blocks. */
static inline lanes values_at(const int16_t *tile, const int16_t *factors, int row, int column) {
    int slot = place_of[row][column];
    lanes result;
    EACH_LANE result.lane[i] = saturated((int32_t)tile[slot * PLANE_LANES + i] * factors[slot]);
    return result;
}

/* The means of the blocks, with so many bits behind the point. A complete decode rounds a block without details to a whole
   level; a difference of half a level in a smooth part of a picture costs up to half a point of SSIMULACRA2. */
static inline lanes means(const int16_t *tile, const int16_t *factors, int side, int bits) {
    const int half = 1 << bits >> 1;
    lanes mean = values_at(tile, factors, 0, 0), details = {{0}};
    for (int row = 0; row < side; row++)
        for (int column = row == 0; column < side; column++)
            EACH_LANE details.lane[i] |= tile[place_of[row][column] * PLANE_LANES + i];
    EACH_LANE mean.lane[i] = details.lane[i] ? mean.lane[i] : (int16_t)(saturated(mean.lane[i] + half) & -2 * half);
    return mean;
}

/* Writes a row of samples: those of a block are side by side. */
static inline void store(int16_t *row, const samples *columns, int side) {
    for (int i = 0; i < PLANE_LANES; i++)
        for (int x = 0; x < side; x++) row[i * side + x] = columns[x].lane[i];
}

static void transform2(const int16_t *tile, const int16_t *factors, int16_t *rows, size_t stride) {
    lanes a = means(tile, factors, 2, 3), b = values_at(tile, factors, 0, 1);
    lanes c = values_at(tile, factors, 1, 0), d = values_at(tile, factors, 1, 1);
    lanes left[2] = {sum(a, c), difference(a, c)}, right[2] = {sum(b, d), difference(b, d)};
    for (int y = 0; y < 2; y++) {
        samples columns[2] = {samples_of(sum(left[y], right[y]), 3), samples_of(difference(left[y], right[y]), 3)};
        store(rows + (size_t)y * stride, columns, 2);
    }
}

static inline void transform_three(const lanes v[3], lanes out[3]) {
    lanes outer = sum(v[0], v[2]);
    out[0] = sum(outer, v[1]);
    out[1] = difference(difference(v[0], v[2]), v[2]);
    out[2] = difference(outer, v[1]);
}

static void transform3(const int16_t *tile, const int16_t *factors, int16_t *rows, size_t stride) {
    /* The factors of a column, 1, sqrt(3/2) and sqrt(1/2), times the factor of the row. What is above 1 is added. */
    static const int16_t more[3][3] = {{0, 7365, -9598}, {7365, 16384, -4390}, {-9598, -4390, -16384}};
    lanes columns[3][3];
    for (int u = 0; u < 3; u++) {
        lanes v[3];
        for (int row = 0; row < 3; row++) {
            v[row] = row + u == 0 ? means(tile, factors, 3, 6) : values_at(tile, factors, row, u);
            v[row] = sum(v[row], times(v[row], more[row][u]));
        }
        transform_three(v, columns[u]);
    }
    for (int y = 0; y < 3; y++) {
        lanes v[3] = {columns[0][y], columns[1][y], columns[2][y]}, out[3];
        transform_three(v, out);
        samples row[3] = {samples_of(out[0], 6), samples_of(out[1], 6), samples_of(out[2], 6)};
        store(rows + (size_t)y * stride, row, 3);
    }
}

static inline void transform_four(const lanes v[4], lanes out[4]) {
    lanes even0 = sum(v[0], v[2]), even1 = difference(v[0], v[2]);
    lanes odd0 = sum(sum(v[1], times(v[1], COSINE_A)), times(v[3], COSINE_B));
    lanes odd1 = difference(times(v[1], COSINE_B), sum(v[3], times(v[3], COSINE_A)));
    out[0] = sum(even0, odd0);
    out[1] = sum(even1, odd1);
    out[2] = difference(even1, odd1);
    out[3] = difference(even0, odd0);
}

static void transform4(const int16_t *tile, const int16_t *factors, int16_t *rows, size_t stride) {
    lanes columns[4][4];
    for (int u = 0; u < 4; u++) {
        lanes v[4];
        for (int row = 0; row < 4; row++)
            v[row] = row + u == 0 ? means(tile, factors, 4, 6) : values_at(tile, factors, row, u);
        transform_four(v, columns[u]);
    }
    for (int y = 0; y < 4; y++) {
        lanes v[4] = {columns[0][y], columns[1][y], columns[2][y], columns[3][y]}, out[4];
        transform_four(v, out);
        samples row[4] = {samples_of(out[0], 6), samples_of(out[1], 6), samples_of(out[2], 6), samples_of(out[3], 6)};
        store(rows + (size_t)y * stride, row, 4);
    }
}

/* The even coefficients are those of a transform to four samples. */
static inline void transform_eight(const lanes v[8], lanes out[8]) {
    lanes evens[4] = {v[0], v[2], v[4], v[6]}, even[4];
    transform_four(evens, even);
    lanes odd[4] = {
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

static void transform8(const int16_t *tile, const int16_t *factors, int16_t *rows, size_t stride) {
    lanes columns[8][8];
    for (int u = 0; u < 8; u++) {
        lanes v[8];
        for (int row = 0; row < 8; row++)
            v[row] = row + u == 0 ? means(tile, factors, 8, 6) : values_at(tile, factors, row, u);
        transform_eight(v, columns[u]);
    }
    for (int y = 0; y < 8; y++) {
        lanes v[8], out[8];
        samples row[8];
        for (int u = 0; u < 8; u++) v[u] = columns[u][y];
        transform_eight(v, out);
        for (int x = 0; x < 8; x++) row[x] = limited(samples_of(out[x], 6));
        store(rows + (size_t)y * stride, row, 8);
    }
}

void webimage_jt_transform(const int16_t *tile, const int16_t *factors, int side, int16_t *rows, size_t stride) {
    if (side == 2) transform2(tile, factors, rows, stride);
    else if (side == 3) transform3(tile, factors, rows, stride);
    else if (side == 4) transform4(tile, factors, rows, stride);
    else transform8(tile, factors, rows, stride);
}
