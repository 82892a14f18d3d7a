#include "CWebImagePixelLoops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a picture looks like after JPEG (ITU-T T.81) with given tables, without an encoder or a decoder: the colours of JFIF, chroma
   averaged over 2×2 pixels or not, a cosine transform of 8×8 samples, quantised, and back. Chroma is enlarged as libjpeg does it
   ("fancy upsampling"). */

enum { SIDE = 8 };

/* A channel with 8 bits. Sides are whole blocks; samples beyond the picture repeat its edge. */
typedef struct {
    size_t width, height; /* of the picture's part */
    size_t stride, rows;
    uint8_t *samples;
} plane;

typedef float block[SIDE][SIDE];

static const float cosines[SIDE] = {
    0.5f, 0.49039264f, 0.46193977f, 0.41573481f, 0.35355339f, 0.27778512f, 0.19134172f, 0.09754516f};

/* Transforms the columns. */
static inline void transform_columns(block values) {
    const float *c = cosines;
    for (int x = 0; x < SIDE; x++) {
        float s0 = values[0][x] + values[7][x], d0 = values[0][x] - values[7][x];
        float s1 = values[1][x] + values[6][x], d1 = values[1][x] - values[6][x];
        float s2 = values[2][x] + values[5][x], d2 = values[2][x] - values[5][x];
        float s3 = values[3][x] + values[4][x], d3 = values[3][x] - values[4][x];
        float outer = s0 + s3, inner = s1 + s2, outer_gap = s0 - s3, inner_gap = s1 - s2;
        values[0][x] = c[4] * (outer + inner);
        values[4][x] = c[4] * (outer - inner);
        values[2][x] = c[2] * outer_gap + c[6] * inner_gap;
        values[6][x] = c[6] * outer_gap - c[2] * inner_gap;
        values[1][x] = c[1] * d0 + c[3] * d1 + c[5] * d2 + c[7] * d3;
        values[3][x] = c[3] * d0 - c[7] * d1 - c[1] * d2 - c[5] * d3;
        values[5][x] = c[5] * d0 - c[1] * d1 + c[7] * d2 + c[3] * d3;
        values[7][x] = c[7] * d0 - c[5] * d1 + c[3] * d2 - c[1] * d3;
    }
}

/* The transposed transform, which is its inverse. */
static inline void restore_columns(block values) {
    const float *c = cosines;
    for (int x = 0; x < SIDE; x++) {
        float sum = c[4] * (values[0][x] + values[4][x]), gap = c[4] * (values[0][x] - values[4][x]);
        float wide = c[2] * values[2][x] + c[6] * values[6][x], narrow = c[6] * values[2][x] - c[2] * values[6][x];
        float v1 = values[1][x], v3 = values[3][x], v5 = values[5][x], v7 = values[7][x];
        float e0 = sum + wide, e3 = sum - wide, e1 = gap + narrow, e2 = gap - narrow;
        float o0 = c[1] * v1 + c[3] * v3 + c[5] * v5 + c[7] * v7;
        float o1 = c[3] * v1 - c[7] * v3 - c[1] * v5 - c[5] * v7;
        float o2 = c[5] * v1 - c[1] * v3 + c[7] * v5 + c[3] * v7;
        float o3 = c[7] * v1 - c[5] * v3 + c[3] * v5 - c[1] * v7;
        values[0][x] = e0 + o0;
        values[7][x] = e0 - o0;
        values[1][x] = e1 + o1;
        values[6][x] = e1 - o1;
        values[2][x] = e2 + o2;
        values[5][x] = e2 - o2;
        values[3][x] = e3 + o3;
        values[4][x] = e3 - o3;
    }
}

static inline void transpose(block values) {
    block source;
    memcpy(source, values, sizeof source);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) values[y][x] = source[x][y];
}

/* Rounds to the nearest whole number, if it is smaller than 2^22. */
static inline float rounded(float value) { return value + 12582912.0f - 12582912.0f; }

static inline uint8_t level(float value) { return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value + 0.5f); }

/* Quantises all blocks of a plane. `steps` and their inverses are those of the transposed block. */
static void code_plane(plane *plane, const uint16_t *table) {
    block steps, inverses;
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) {
            steps[x][y] = table[y * SIDE + x];
            inverses[x][y] = 1.0f / table[y * SIDE + x];
        }
    }
    for (size_t top = 0; top < plane->rows; top += SIDE) {
        for (size_t left = 0; left < plane->stride; left += SIDE) {
            uint8_t *corner = plane->samples + top * plane->stride + left;
            block values;
            for (int y = 0; y < SIDE; y++)
                for (int x = 0; x < SIDE; x++) values[y][x] = (float)corner[y * plane->stride + x] - 128;
            transform_columns(values);
            transpose(values);
            transform_columns(values);
            for (int y = 0; y < SIDE; y++)
                for (int x = 0; x < SIDE; x++) values[y][x] = rounded(values[y][x] * inverses[y][x]) * steps[y][x];
            restore_columns(values);
            transpose(values);
            restore_columns(values);
            for (int y = 0; y < SIDE; y++)
                for (int x = 0; x < SIDE; x++) corner[y * plane->stride + x] = level(values[y][x] + 128);
        }
    }
}

static int make_plane(plane *plane, size_t width, size_t height) {
    plane->width = width;
    plane->height = height;
    plane->stride = (width + SIDE - 1) / SIDE * SIDE;
    plane->rows = (height + SIDE - 1) / SIDE * SIDE;
    plane->samples = malloc(plane->stride * plane->rows);
    return plane->samples != NULL;
}

static void repeat_edges(plane *plane) {
    for (size_t y = 0; y < plane->height; y++) {
        uint8_t *row = plane->samples + y * plane->stride;
        memset(row + plane->width, row[plane->width - 1], plane->stride - plane->width);
    }
    const uint8_t *last = plane->samples + (plane->height - 1) * plane->stride;
    for (size_t y = plane->height; y < plane->rows; y++) memcpy(plane->samples + y * plane->stride, last, plane->stride);
}

static void split(const webimage_scored_picture *picture, plane planes[3]) {
    for (size_t y = 0; y < picture->height; y++) {
        const uint8_t *pixel = picture->rows + y * picture->stride;
        uint8_t *rows[3];
        for (int channel = 0; channel < 3; channel++) rows[channel] = planes[channel].samples + y * planes[channel].stride;
        for (size_t x = 0; x < picture->width; x++, pixel += picture->step) {
            float red = pixel[picture->offsets[0]], green = pixel[picture->offsets[1]], blue = pixel[picture->offsets[2]];
            float light = 0.299f * red + 0.587f * green + 0.114f * blue;
            rows[0][x] = level(light);
            rows[1][x] = level((blue - light) * 0.56433409f + 128);
            rows[2][x] = level((red - light) * 0.71326676f + 128);
        }
    }
    for (int channel = 0; channel < 3; channel++) repeat_edges(&planes[channel]);
}

/* The means of 2×2 samples, rounded up and down in turn. */
static int halve(const plane *full, plane *half) {
    if (!make_plane(half, (full->width + 1) / 2, (full->height + 1) / 2)) return 0;
    for (size_t y = 0; y < half->height; y++) {
        const uint8_t *upper = full->samples + 2 * y * full->stride;
        /* A plane has an even number of samples, because it has whole blocks. */
        const uint8_t *lower = upper + full->stride;
        uint8_t *row = half->samples + y * half->stride;
        for (size_t x = 0; x < half->width; x++)
            row[x] = (uint8_t)((upper[2 * x] + upper[2 * x + 1] + lower[2 * x] + lower[2 * x + 1] + 1 + (x & 1)) >> 2);
    }
    repeat_edges(half);
    return 1;
}

/* The opposite of `halve`: each sample is mixed with its neighbours, 3 to 1 in both directions. `sums` has a row. */
static void enlarge(const plane *half, plane *full, uint16_t *sums) {
    for (size_t y = 0; y < full->height; y++) {
        const size_t near = y / 2, wanted = y % 2 == 0 ? near - 1 : near + 1;
        const size_t far = (y == 0 || wanted >= half->height) ? near : wanted;
        const uint8_t *a = half->samples + near * half->stride, *b = half->samples + far * half->stride;
        for (size_t x = 0; x < half->width; x++) sums[x] = (uint16_t)(3 * a[x] + b[x]);
        uint8_t *row = full->samples + y * full->stride;
        for (size_t x = 0; x < half->width; x++) {
            const unsigned left = x > 0 ? sums[x - 1] : sums[x], right = x + 1 < half->width ? sums[x + 1] : sums[x];
            row[2 * x] = (uint8_t)((3u * sums[x] + left + 8) >> 4);
            row[2 * x + 1] = (uint8_t)((3u * sums[x] + right + 7) >> 4);
        }
    }
}

static void join(const plane planes[3], uint8_t *target, size_t stride) {
    for (size_t y = 0; y < planes[0].height; y++) {
        const uint8_t *rows[3];
        for (int channel = 0; channel < 3; channel++) rows[channel] = planes[channel].samples + y * planes[channel].stride;
        uint8_t *pixel = target + y * stride;
        for (size_t x = 0; x < planes[0].width; x++, pixel += 3) {
            float light = rows[0][x], blue = (float)rows[1][x] - 128, red = (float)rows[2][x] - 128;
            pixel[0] = level(light + 1.402f * red);
            pixel[1] = level(light - 0.34413629f * blue - 0.71413629f * red);
            pixel[2] = level(light + 1.772f * blue);
        }
    }
}

int webimage_block_coded(
    const webimage_scored_picture *picture, const uint16_t *table, int halves_chroma, uint8_t *target, size_t stride) {
    plane planes[3] = {0}, halves[2] = {0};
    uint16_t *sums = malloc((picture->width + 1) * sizeof *sums);
    int is_done = sums != NULL;
    for (int channel = 0; channel < 3; channel++)
        is_done = is_done && make_plane(&planes[channel], picture->width, picture->height);
    if (is_done) {
        split(picture, planes);
        code_plane(&planes[0], table);
    }
    for (int channel = 1; channel < 3 && is_done; channel++) {
        plane *half = &halves[channel - 1];
        if (halves_chroma) is_done = halve(&planes[channel], half);
        if (is_done) code_plane(halves_chroma ? half : &planes[channel], table);
        if (is_done && halves_chroma) enlarge(half, &planes[channel], sums);
    }
    if (is_done) join(planes, target, stride);
    for (int channel = 0; channel < 3; channel++) free(planes[channel].samples);
    for (int channel = 0; channel < 2; channel++) free(halves[channel].samples);
    free(sums);
    return is_done;
}
