/* The loops of block_coding.c. The file is included once for each set of instructions: see picture_score_rows.h. */

/* Transforms the columns of a block. */
FOR_SET static inline void NAMED(transform_columns)(vector *v) {
    const float *c = cosines;
    vector s0 = v[0] + v[7], d0 = v[0] - v[7], s1 = v[1] + v[6], d1 = v[1] - v[6];
    vector s2 = v[2] + v[5], d2 = v[2] - v[5], s3 = v[3] + v[4], d3 = v[3] - v[4];
    vector outer = s0 + s3, inner = s1 + s2, outer_gap = s0 - s3, inner_gap = s1 - s2;
    v[0] = c[4] * (outer + inner);
    v[4] = c[4] * (outer - inner);
    v[2] = c[2] * outer_gap + c[6] * inner_gap;
    v[6] = c[6] * outer_gap - c[2] * inner_gap;
    v[1] = c[1] * d0 + c[3] * d1 + c[5] * d2 + c[7] * d3;
    v[3] = c[3] * d0 - c[7] * d1 - c[1] * d2 - c[5] * d3;
    v[5] = c[5] * d0 - c[1] * d1 + c[7] * d2 + c[3] * d3;
    v[7] = c[7] * d0 - c[5] * d1 + c[3] * d2 - c[1] * d3;
}

/* The transposed transform, which is its inverse. */
FOR_SET static inline void NAMED(restore_columns)(vector *v) {
    const float *c = cosines;
    vector sum = c[4] * (v[0] + v[4]), gap = c[4] * (v[0] - v[4]);
    vector wide = c[2] * v[2] + c[6] * v[6], narrow = c[6] * v[2] - c[2] * v[6];
    vector e0 = sum + wide, e3 = sum - wide, e1 = gap + narrow, e2 = gap - narrow;
    vector o0 = c[1] * v[1] + c[3] * v[3] + c[5] * v[5] + c[7] * v[7];
    vector o1 = c[3] * v[1] - c[7] * v[3] - c[1] * v[5] - c[5] * v[7];
    vector o2 = c[5] * v[1] - c[1] * v[3] + c[7] * v[5] + c[3] * v[7];
    vector o3 = c[7] * v[1] - c[5] * v[3] + c[3] * v[5] - c[1] * v[7];
    v[0] = e0 + o0;
    v[7] = e0 - o0;
    v[1] = e1 + o1;
    v[6] = e1 - o1;
    v[2] = e2 + o2;
    v[5] = e2 - o2;
    v[3] = e3 + o3;
    v[4] = e3 - o3;
}

FOR_SET static inline void NAMED(transpose)(vector *v) {
    vector pairs[SIDE], fours[SIDE];
    for (int row = 0; row < SIDE; row += 2) {
        pairs[row] = __builtin_shufflevector(v[row], v[row + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        pairs[row + 1] = __builtin_shufflevector(v[row], v[row + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int row = 0; row < SIDE; row += 4) {
        for (int odd = 0; odd < 2; odd++) {
            vector a = pairs[row + odd], b = pairs[row + 2 + odd];
            fours[row + 2 * odd] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
            fours[row + 2 * odd + 1] = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
        }
    }
    for (int row = 0; row < 4; row++) {
        v[row] = __builtin_shufflevector(fours[row], fours[row + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        v[row + 4] = __builtin_shufflevector(fours[row], fours[row + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

/* Writes the coefficients of a block, transposed. */
FOR_SET static void NAMED(transform)(const uint8_t *corner, size_t stride, float *target) {
    vector v[SIDE];
    for (int y = 0; y < SIDE; y++) v[y] = SAMPLES(corner + (size_t)y * stride) - 128;
    NAMED(transform_columns)(v);
    NAMED(transpose)(v);
    NAMED(transform_columns)(v);
    for (int y = 0; y < SIDE; y++) STORE(target + y * SIDE, v[y]);
}

/* Writes the samples of a block whose coefficients are quantised. Halves are rounded away from zero as libjpeg does it: flat
   pictures have many. The margin is that of the products' rounding. */
FOR_SET static void NAMED(restore)(const float *source, const steps *steps, uint8_t *corner, size_t stride) {
    vector v[SIDE];
    for (int y = 0; y < SIDE; y++) {
        vector value = LOAD(source + y * SIDE) * LOAD(steps->inverses + y * SIDE);
        vector whole = TRUNCATED(MAGNITUDE(value) + 0.5001f) * LOAD(steps->sizes + y * SIDE);
        v[y] = (vector)((mask)whole | ((mask)value & INT32_MIN));
    }
    NAMED(restore_columns)(v);
    NAMED(transpose)(v);
    NAMED(restore_columns)(v);
    for (int y = 0; y < SIDE; y++) STORE_SAMPLES(corner + (size_t)y * stride, v[y] + 128);
}

/* Luma and chroma of a row, of which 8 samples at a time are read and written. */
FOR_SET static void NAMED(join_row)(const uint8_t *const *rows, uint8_t *const *targets, size_t padded) {
    for (size_t x = 0; x < padded; x += 8) {
        vector light = SAMPLES(rows[0] + x), blue = SAMPLES(rows[1] + x) - 128, red = SAMPLES(rows[2] + x) - 128;
        STORE_SAMPLES(targets[0] + x, light + 1.402f * red);
        STORE_SAMPLES(targets[1] + x, light - 0.34413629f * blue - 0.71413629f * red);
        STORE_SAMPLES(targets[2] + x, light + 1.772f * blue);
    }
}
