/* The loops of picture_score.c over rows of samples. The file is included once for each set of instructions: NAMED gives the
   functions of a set their names, FOR_SET is the attribute that selects it. Every set does the same sums in the same order
   without fused products, so that a score does not depend on the processor. */

/* The inverse of a cube root: a first guess from the bits of the number, a step that leaves the fourth power of its error, and one
   that leaves the square. Without a division, which takes as long as ten products. */
#define INVERSE_CUBE_ROOT(root, value)                                                         \
    do {                                                                                       \
        mask bits = 1420280384 - __builtin_convertvector(                                      \
            __builtin_convertvector((mask)(value), vector) * (1.0f / 3), mask);                \
        root = (vector)bits;                                                                   \
        vector error = 1 - (value) * root * (root * root);                                     \
        root += root * error * (1.0f / 3 + error * (2.0f / 9 + error * (14.0f / 81)));         \
        root += root * (1 - (value) * root * (root * root)) * (1.0f / 3);                      \
    } while (0)

#define ABSORBED(result, red, green, blue, parts)                                              \
    do {                                                                                       \
        vector light = (parts)[0] * (red) + (parts)[1] * (green) + (parts)[2] * (blue) + bias; \
        vector inverse;                                                                        \
        INVERSE_CUBE_ROOT(inverse, light);                                                     \
        result = light * inverse * inverse - bias_root;                                        \
    } while (0)

/* Converts a row of light to those channels of XYB that have a target, with the absorbances of libjxl, moved so that no sample is
   negative. Samples beyond the width become 0. */
FOR_SET static void NAMED(convert_row)(const float *const *light, float *const *targets, size_t width, size_t padded) {
    const mask places = {0, 1, 2, 3, 4, 5, 6, 7};
    for (size_t x = 0; x < padded; x += 8) {
        const mask is_inside = places < (int32_t)width - (int32_t)x;
        vector red = LOAD(light[0] + x), green = LOAD(light[1] + x), blue = LOAD(light[2] + x), l, m, s;
        ABSORBED(l, red, green, blue, absorbances[0]);
        ABSORBED(m, red, green, blue, absorbances[1]);
        vector mean = 0.5f * (l + m);
        if (targets[0]) STORE(targets[0] + x, WHERE(is_inside, 0.5f * (l - m) * 14 + 0.42f));
        if (targets[1]) STORE(targets[1] + x, WHERE(is_inside, mean + 0.01f));
        if (targets[2]) {
            ABSORBED(s, red, green, blue, absorbances[2]);
            STORE(targets[2] + x, WHERE(is_inside, s - mean + 0.55f));
        }
    }
}

/* Means of 2x2 samples, of what is there of them at the right edge. */
FOR_SET static void NAMED(halve_row)(
    const float *restrict first, const float *restrict second, float *restrict target, size_t width) {
    size_t whole = width / 2;
    for (size_t x = 0; x < whole; x++) {
        float upper = first[2 * x] + first[2 * x + 1], lower = second[2 * x] + second[2 * x + 1];
        target[x] = (upper + lower) * 0.25f;
    }
    if (whole * 2 < width) target[whole] = (first[2 * whole] + second[2 * whole]) * 0.5f;
}

/* Blurs a row. At least RADIUS samples on both sides of it are read. */
FOR_SET static void NAMED(blur_across)(const float *restrict from, float *restrict to, size_t padded) {
    for (size_t x = 0; x < padded; x += 8) {
        vector value = taps[0] * LOAD(from + x);
        for (int tap = 1; tap <= RADIUS; tap++) value += taps[tap] * (LOAD(from + x - tap) + LOAD(from + x + tap));
        STORE(to + x, value);
    }
}

/* The square of the difference of two rows, and their product. */
FOR_SET static void NAMED(multiply_rows)(
    const float *restrict a, const float *restrict b, float *restrict squares, float *restrict products, size_t padded) {
    for (size_t x = 0; x < padded; x += 8) {
        vector first = LOAD(a + x), second = LOAD(b + x), difference = first - second;
        STORE(squares + x, difference * difference);
        STORE(products + x, first * second);
    }
}

#define BLUR_DOWN(value, rows, x)                                                             \
    do {                                                                                       \
        value = taps[0] * LOAD(rows[RADIUS] + (x));                                            \
        for (int tap = 1; tap <= RADIUS; tap++)                                                \
            value += taps[tap] * (LOAD(rows[RADIUS - tap] + (x)) + LOAD(rows[RADIUS + tap] + (x))); \
    } while (0)

FOR_SET static void NAMED(blur_down)(const float *const *rows, float *restrict to, size_t padded) {
    for (size_t x = 0; x < padded; x += 8) {
        vector value;
        BLUR_DOWN(value, rows, x);
        STORE(to + x, value);
    }
}

/* Adds the maps of a row to the sums. The rows are those of the second picture, of the square of the difference, and of the product,
   blurred across, and lie `padded` samples after each other. */
FOR_SET static void NAMED(compare_row)(
    const float *const *rows, const float *a, const float *b, const float *blurred, size_t width, size_t padded, double *sums) {
    const mask places = {0, 1, 2, 3, 4, 5, 6, 7};
    vector parts[MAPS * NORMS] = {{0}};
    for (size_t x = 0; x < width; x += 8) {
        vector m1 = LOAD(blurred + x), m2, squares, products;
        BLUR_DOWN(m2, rows, x);
        BLUR_DOWN(squares, rows, x + padded);
        BLUR_DOWN(products, rows, x + 2 * padded);
        /* The published form is 1 - (1 - d^2) (2 s12 + c) / (s11 + s22 + c). This is the same number without the difference of
           nearly equal ones, so that equal pictures have exactly 0. */
        vector difference = m1 - m2, square_difference = difference * difference, variance = squares - square_difference;
        vector covariance = 2 * (products - m1 * m2) + stabiliser;
        vector similarity = (variance + square_difference * covariance) / (variance + covariance);
        vector edges = (1 + MAGNITUDE(LOAD(b + x) - m2)) / (1 + MAGNITUDE(LOAD(a + x) - m1)) - 1;
        const mask is_inside = places < (int32_t)width - (int32_t)x;
        vector maps[MAPS] = {POSITIVE(similarity), POSITIVE(edges), POSITIVE(-edges)};
        for (int map = 0; map < MAPS; map++) {
            vector value = WHERE(is_inside, maps[map]), square = value * value;
            parts[NORMS * map] += value;
            parts[NORMS * map + 1] += square * square;
        }
    }
    for (int sum = 0; sum < MAPS * NORMS; sum++)
        for (int part = 0; part < 8; part++) sums[sum] += parts[sum][part];
}

#undef INVERSE_CUBE_ROOT
#undef ABSORBED
#undef BLUR_DOWN
