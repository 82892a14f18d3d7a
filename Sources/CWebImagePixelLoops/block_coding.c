#include "CWebImagePixelLoops.h"
#include "vectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a picture looks like after JPEG (ITU-T T.81) with given tables, without an encoder or a decoder: the colours of JFIF, chroma
   averaged over 2×2 pixels or not, a cosine transform of 8×8 samples, quantised, and back. Chroma is enlarged as libjpeg does it
   ("fancy upsampling"). */

enum { SIDE = 8, CHANNELS = 3 };

/* A channel with 8 bits. Sides are whole blocks; samples beyond the picture repeat its edge. */
typedef struct {
    size_t width, height; /* of the picture's part */
    size_t stride, rows;
    uint8_t *samples;
} plane;

/* A quantisation table and its inverse, transposed. */
typedef struct {
    float sizes[SIDE * SIDE], inverses[SIDE * SIDE];
} steps;

typedef uint8_t samples __attribute__((vector_size(8)));
typedef uint8_t loose_samples __attribute__((vector_size(8), aligned(1), may_alias));

#define SAMPLES(bytes) __builtin_convertvector(*(const loose_samples *)(bytes), vector)
#define LIMITED(value) (255 - POSITIVE(255 - POSITIVE(value)))
#define STORE_SAMPLES(bytes, value)                                                            \
    do {                                                                                       \
        vector rounded_up = (value) + 0.5f, limited = LIMITED(rounded_up);                     \
        *(loose_samples *)(bytes) =                                                            \
            (loose_samples)__builtin_convertvector(__builtin_convertvector(limited, mask), samples); \
    } while (0)

static const float cosines[SIDE] = {
    0.5f, 0.49039264f, 0.46193977f, 0.41573481f, 0.35355339f, 0.27778512f, 0.19134172f, 0.09754516f};

typedef struct {
    void (*transform)(const uint8_t *, size_t, float *);
    void (*restore)(const float *, const steps *, uint8_t *, size_t);
    void (*join_row)(const uint8_t *const *, uint8_t *const *, size_t);
} loops;

#define FOR_SET
#define NAMED(name) name##_portable
#include "block_coding_rows.h"
#undef FOR_SET
#undef NAMED

static const loops portable_loops = {transform_portable, restore_portable, join_row_portable};

#if defined(__x86_64__)
#define FOR_SET __attribute__((target("avx2")))
#define NAMED(name) name##_wide
#include "block_coding_rows.h"

static const loops wide_loops = {transform_wide, restore_wide, join_row_wide};
#endif

static const loops *loops_for(int instructions) {
#if defined(__x86_64__)
    if (instructions >= WEBIMAGE_INSTRUCTIONS_WIDE) return &wide_loops;
#endif
    (void)instructions;
    return &portable_loops;
}

struct webimage_block_coder {
    const loops *loops;
    /* Luma and chroma. */
    plane planes[CHANNELS];
    /* The coefficients of luma, of chroma, and of chroma with half the sides. Those of chroma are made when they are needed. */
    float *coefficients[CHANNELS], *half_coefficients[CHANNELS];
    /* The coded picture as luma and chroma, then as red, green and blue. */
    plane coded[CHANNELS], half;
    plane colors[CHANNELS];
    uint16_t *sums;
};

static int make_plane(plane *plane, size_t width, size_t height) {
    if (plane->samples) return 1;
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

static void split(const webimage_scored_picture *picture, plane planes[CHANNELS]) {
    for (size_t y = 0; y < picture->height; y++) {
        const uint8_t *pixel = picture->rows + y * picture->stride;
        uint8_t *rows[CHANNELS];
        for (int channel = 0; channel < CHANNELS; channel++) rows[channel] = planes[channel].samples + y * planes[channel].stride;
        for (size_t x = 0; x < picture->width; x++, pixel += picture->step) {
            float red = pixel[picture->offsets[0]], green = pixel[picture->offsets[1]], blue = pixel[picture->offsets[2]];
            float light = 0.299f * red + 0.587f * green + 0.114f * blue;
            rows[0][x] = (uint8_t)(light + 0.5f);
            rows[1][x] = (uint8_t)fminf((blue - light) * 0.56433409f + 128.5f, 255);
            rows[2][x] = (uint8_t)fminf((red - light) * 0.71326676f + 128.5f, 255);
        }
    }
    for (int channel = 0; channel < CHANNELS; channel++) repeat_edges(&planes[channel]);
}

static float *transformed(const plane *plane, const loops *loops) {
    float *result = malloc(plane->stride * plane->rows * sizeof *result), *next = result;
    for (size_t top = 0; top < plane->rows && result; top += SIDE)
        for (size_t left = 0; left < plane->stride; left += SIDE, next += SIDE * SIDE)
            loops->transform(plane->samples + top * plane->stride + left, plane->stride, next);
    return result;
}

static void restore_plane(const float *coefficients, const steps *steps, plane *target, const loops *loops) {
    for (size_t top = 0; top < target->rows; top += SIDE)
        for (size_t left = 0; left < target->stride; left += SIDE, coefficients += SIDE * SIDE)
            loops->restore(coefficients, steps, target->samples + top * target->stride + left, target->stride);
}

/* The means of 2×2 samples, rounded up and down in turn. */
static void halve(const plane *full, plane *half) {
    for (size_t y = 0; y < half->height; y++) {
        const uint8_t *upper = full->samples + 2 * y * full->stride;
        /* A plane has an even number of samples, because it has whole blocks. */
        const uint8_t *lower = upper + full->stride;
        uint8_t *row = half->samples + y * half->stride;
        for (size_t x = 0; x < half->width; x++)
            row[x] = (uint8_t)((upper[2 * x] + upper[2 * x + 1] + lower[2 * x] + lower[2 * x + 1] + 1 + (x & 1)) >> 2);
    }
    repeat_edges(half);
}

/* The opposite of `halve`: each sample is mixed with its neighbours, 3 to 1 in both directions. `sums` has a row, and a sample
   before and after it. */
static void enlarge(const plane *half, plane *full, uint16_t *restrict sums) {
    const size_t count = half->width;
    for (size_t y = 0; y < full->height; y++) {
        const size_t near = y / 2, wanted = y % 2 == 0 ? near - 1 : near + 1;
        const size_t far = (y == 0 || wanted >= half->height) ? near : wanted;
        const uint8_t *restrict a = half->samples + near * half->stride, *restrict b = half->samples + far * half->stride;
        for (size_t x = 0; x < count; x++) sums[x + 1] = (uint16_t)(3 * a[x] + b[x]);
        sums[0] = sums[1];
        sums[count + 1] = sums[count];
        uint8_t *restrict row = full->samples + y * full->stride;
        for (size_t x = 0; x < count; x++) {
            const uint16_t middle = (uint16_t)(3 * sums[x + 1]);
            row[2 * x] = (uint8_t)((uint16_t)(middle + sums[x] + 8) >> 4);
            row[2 * x + 1] = (uint8_t)((uint16_t)(middle + sums[x + 2] + 7) >> 4);
        }
    }
}

webimage_block_coder *webimage_block_coder_make(const webimage_scored_picture *picture, int instructions) {
    webimage_block_coder *result = calloc(1, sizeof *result);
    if (!result) return NULL;
    result->loops = loops_for(instructions);
    result->sums = malloc((picture->width + 4) * sizeof *result->sums);
    int is_made = result->sums != NULL;
    for (int channel = 0; channel < CHANNELS; channel++) {
        is_made = is_made && make_plane(&result->planes[channel], picture->width, picture->height)
            && make_plane(&result->coded[channel], picture->width, picture->height)
            && make_plane(&result->colors[channel], picture->width, picture->height);
    }
    if (is_made) split(picture, result->planes);
    if (is_made) result->coefficients[0] = transformed(&result->planes[0], result->loops);
    if (is_made && result->coefficients[0]) return result;
    webimage_block_coder_free(result);
    return NULL;
}

void webimage_block_coder_free(webimage_block_coder *coder) {
    if (!coder) return;
    for (int channel = 0; channel < CHANNELS; channel++) {
        free(coder->planes[channel].samples);
        free(coder->coded[channel].samples);
        free(coder->colors[channel].samples);
        free(coder->coefficients[channel]);
        free(coder->half_coefficients[channel]);
    }
    free(coder->half.samples);
    free(coder->sums);
    free(coder);
}

static int code_chroma(webimage_block_coder *coder, int channel, const steps *steps, int halves_chroma) {
    const plane *full = &coder->planes[channel];
    plane *half = &coder->half;
    float **coefficients = halves_chroma ? &coder->half_coefficients[channel] : &coder->coefficients[channel];
    if (halves_chroma && !make_plane(half, (full->width + 1) / 2, (full->height + 1) / 2)) return 0;
    if (!*coefficients) {
        if (halves_chroma) halve(full, half);
        *coefficients = transformed(halves_chroma ? half : full, coder->loops);
        if (!*coefficients) return 0;
    }
    restore_plane(*coefficients, steps, halves_chroma ? half : &coder->coded[channel], coder->loops);
    if (halves_chroma) enlarge(half, &coder->coded[channel], coder->sums);
    return 1;
}

int webimage_block_coded(
    webimage_block_coder *coder, const uint16_t *table, int halves_chroma, webimage_scored_picture *result) {
    steps steps;
    for (int place = 0; place < SIDE * SIDE; place++) {
        const float step = table[place % SIDE * SIDE + place / SIDE];
        steps.sizes[place] = step;
        steps.inverses[place] = 1 / step;
    }
    restore_plane(coder->coefficients[0], &steps, &coder->coded[0], coder->loops);
    for (int channel = 1; channel < CHANNELS; channel++)
        if (!code_chroma(coder, channel, &steps, halves_chroma)) return 0;
    const plane *colors = coder->colors;
    for (size_t y = 0; y < colors[0].height; y++) {
        const uint8_t *rows[CHANNELS];
        uint8_t *targets[CHANNELS];
        for (int channel = 0; channel < CHANNELS; channel++) {
            rows[channel] = coder->coded[channel].samples + y * colors[0].stride;
            targets[channel] = colors[channel].samples + y * colors[0].stride;
        }
        coder->loops->join_row(rows, targets, colors[0].stride);
    }
    *result = (webimage_scored_picture){
        .width = colors[0].width, .height = colors[0].height, .rows = colors[0].samples, .stride = colors[0].stride, .step = 1};
    for (int channel = 0; channel < CHANNELS; channel++)
        result->offsets[channel] = (size_t)(colors[channel].samples - colors[0].samples);
    return 1;
}
