#include "CWebImagePixelLoops.h"

#include <stdbool.h>
#include <stdlib.h>

/* Luma and chroma of half the width and height (BT.601, as in JPEG, WebP and our AVIF).

   Chroma is the average of 2×2 pixels. A reader enlarges it, so that a pixel has other chroma than its own: with luma of its own, it
   would be lighter or darker, which is visible at edges of colours. Luma is chosen instead so that the pixel keeps its luminance. With a
   curve of the form x², which is near to those of sRGB and its relatives, that is the root of a quadratic equation. The "sharp"
   conversion of libwebp looks for the same by iteration. */

typedef float vector __attribute__((vector_size(16)));
typedef float loose_vector __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t whole_vector __attribute__((vector_size(16)));

enum { LANES = 4 };

#define LOAD(samples) ((vector)*(const loose_vector *)(samples))
#define STORE(samples, value) (*(loose_vector *)(samples) = (loose_vector)(value))

/* The weights of luminance (BT.709). */
static const float red_weight = 0.2126f, green_weight = 0.7152f, blue_weight = 0.0722f;

typedef struct {
    float luma_scale, luma_offset, chroma_scale;
    /* The smallest and the largest sample of luma. */
    float least, most;
} range;

static const range limited = {219.0f / 255, 16, 224.0f / 255, 16, 235}, full = {1, 0, 1, 0, 255};

/* Rows of samples, each with `stride` floats. */
typedef struct {
    size_t stride;
    float *channels[2][3]; /* the two rows of pixels that have one row of chroma */
    float *chroma[3][2];   /* the chroma (as differences from grey) of the row before, of this row and of the next one */
    float *tall[2];        /* chroma enlarged in height */
    float *enlarged[2];
} rows;

static float *row_at(float *memory, size_t stride, size_t number) { return memory + number * stride + LANES; }

static void load_row(const webimage_scored_picture *picture, size_t y, float *const channels[3], size_t padded) {
    const uint8_t *row = picture->rows + y * picture->stride;
    size_t red = picture->offsets[0], green = picture->offsets[1], blue = picture->offsets[2], step = picture->step;
    for (size_t x = 0; x < picture->width; x++, row += step) {
        channels[0][x] = row[red];
        channels[1][x] = row[green];
        channels[2][x] = row[blue];
    }
    for (int channel = 0; channel < 3; channel++)
        for (size_t x = picture->width; x < padded; x++) channels[channel][x] = channels[channel][picture->width - 1];
}

/* Loads the rows of pixels of a row of chroma, and writes this row. */
static void halve(
    const webimage_scored_picture *picture, size_t y, const rows *rows, float *const chroma[2], const range *range, uint8_t *u, uint8_t *v) {
    size_t padded = rows->stride - 2 * LANES, width = (picture->width + 1) / 2;
    load_row(picture, 2 * y, rows->channels[0], padded);
    load_row(picture, 2 * y + 1 < picture->height ? 2 * y + 1 : 2 * y, rows->channels[1], padded);
    float *const *upper = rows->channels[0], *const *lower = rows->channels[1];
    for (size_t x = 0; x < width; x++) {
        float mean[3];
        for (int channel = 0; channel < 3; channel++) {
            mean[channel] = (upper[channel][2 * x] + upper[channel][2 * x + 1] + lower[channel][2 * x]
                             + lower[channel][2 * x + 1]) * 0.25f;
        }
        float luma = 0.299f * mean[0] + 0.587f * mean[1] + 0.114f * mean[2];
        float blue = (mean[2] - luma) * (0.5f / 0.886f), red = (mean[0] - luma) * (0.5f / 0.701f);
        u[x] = (uint8_t)(blue * range->chroma_scale + 128.5f);
        v[x] = (uint8_t)(red * range->chroma_scale + 128.5f);
        chroma[0][x] = ((float)u[x] - 128) / range->chroma_scale;
        chroma[1][x] = ((float)v[x] - 128) / range->chroma_scale;
    }
    for (int channel = 0; channel < 2; channel++) {
        chroma[channel][-1] = chroma[channel][0];
        chroma[channel][width] = chroma[channel][width - 1];
    }
}

/* Writes one row of luma for the chroma that a reader enlarges from the near and the far row. */
static void write_luma(
    float *const channels[3], float *const near[2], float *const far[2], const rows *rows, size_t width, const range *range,
    uint8_t *target) {
    size_t half = (width + 1) / 2;
    for (int channel = 0; channel < 2; channel++) {
        float *tall = rows->tall[channel], *enlarged = rows->enlarged[channel];
        for (ptrdiff_t x = -1; x < (ptrdiff_t)half + 1; x++) tall[x] = (near[channel][x] * 3 + far[channel][x]) * 0.0625f;
        for (size_t x = 0; x < half; x++) {
            enlarged[2 * x] = tall[x] * 3 + tall[(ptrdiff_t)x - 1];
            enlarged[2 * x + 1] = tall[x] * 3 + tall[x + 1];
        }
    }
    const vector zero = {0};
    for (size_t x = 0; x < width; x += LANES) {
        vector red = LOAD(channels[0] + x), green = LOAD(channels[1] + x), blue = LOAD(channels[2] + x);
        vector u = LOAD(rows->enlarged[0] + x), v = LOAD(rows->enlarged[1] + x);
        vector red_gap = v * 1.402f, green_gap = u * -0.344136f + v * -0.714136f, blue_gap = u * 1.772f;
        vector luminance = red * red * red_weight + green * green * green_weight + blue * blue * blue_weight;
        vector middle = red_gap * red_weight + green_gap * green_weight + blue_gap * blue_weight;
        vector square = red_gap * red_gap * red_weight + green_gap * green_gap * green_weight + blue_gap * blue_gap * blue_weight;
        vector root = middle * middle - square + luminance;
        root = (vector)((whole_vector)(root > zero) & (whole_vector)root);
        vector luma = (__builtin_elementwise_sqrt(root) - middle) * range->luma_scale + range->luma_offset;
        float values[LANES];
        STORE(values, luma);
        for (size_t lane = 0; lane < LANES && x + lane < width; lane++) {
            float value = values[lane];
            value = value < range->least ? range->least : value > range->most ? range->most : value;
            target[x + lane] = (uint8_t)(value + 0.5f);
        }
    }
}

int webimage_halve_chroma(const webimage_scored_picture *picture, int has_full_range, const webimage_halved_planes *target) {
    const range *range = has_full_range ? &full : &limited;
    rows rows;
    /* Whole vectors, and a vector before and after each row. */
    rows.stride = (picture->width + 2 + LANES - 1) / LANES * LANES + 2 * LANES;
    enum { ROWS = 12 + 6 + 4 }; /* of pixels, of chroma, enlarged */
    float *memory = calloc(rows.stride * ROWS, sizeof(float));
    if (!memory) return 0;
    size_t number = 0;
    float *pixels[2][2][3];
    for (int set = 0; set < 2; set++)
        for (int row = 0; row < 2; row++)
            for (int channel = 0; channel < 3; channel++) pixels[set][row][channel] = row_at(memory, rows.stride, number++);
    for (int row = 0; row < 3; row++)
        for (int channel = 0; channel < 2; channel++) rows.chroma[row][channel] = row_at(memory, rows.stride, number++);
    for (int channel = 0; channel < 2; channel++) {
        rows.tall[channel] = row_at(memory, rows.stride, number++);
        rows.enlarged[channel] = row_at(memory, rows.stride, number++);
    }
    size_t height = (picture->height + 1) / 2;
    for (size_t y = 0; y <= height; y++) {
        /* Row y of chroma is computed before the luma of row y - 1, which needs it. */
        float *(*next)[3] = pixels[y % 2], *(*own)[3] = pixels[(y + 1) % 2];
        if (y < height) {
            for (int row = 0; row < 2; row++)
                for (int channel = 0; channel < 3; channel++) rows.channels[row][channel] = next[row][channel];
            halve(
                picture, y, &rows, rows.chroma[y % 3], range, target->u + y * target->u_stride, target->v + y * target->v_stride);
        }
        if (y == 0) continue;
        size_t row = y - 1;
        float *const *near = rows.chroma[row % 3];
        float *const *above = row > 0 ? rows.chroma[(row + 2) % 3] : near, *const *below = y < height ? rows.chroma[y % 3] : near;
        uint8_t *luma = target->luma + 2 * row * target->luma_stride;
        write_luma(own[0], near, above, &rows, picture->width, range, luma);
        if (2 * row + 1 < picture->height)
            write_luma(own[1], near, below, &rows, picture->width, range, luma + target->luma_stride);
    }
    free(memory);
    return 1;
}
