#include <stdlib.h>

#include "CWebImagePixelLoops.h"

static inline uint16_t limited(int32_t value) { return (uint16_t)(value < 0 ? 0 : value > 65535 ? 65535 : value); }

/* A cubic filter (Catmull-Rom) at a quarter of the way from `here` to `next`. The weights are 1024ths. */
static inline uint16_t quarter(int32_t before, int32_t here, int32_t next, int32_t after) {
    return limited((-72 * before + 888 * here + 232 * next - 24 * after + 512) >> 10);
}

/* The value behind the last one, on the line through both. */
static inline int32_t beyond(int32_t last, int32_t previous) { return 2 * last - previous; }

/* Gives each group that has no sample of the colour the value that continues those beside it. */
static void complete(uint16_t *first, size_t width, size_t rows, webimage_quad_sample sample) {
    size_t const stride = 4 * width;
    for (size_t row = 0; row < sample.rows; row++) {
        uint16_t *line = first + row * stride;
        for (size_t x = sample.width; x < width; x++) {
            int32_t const last = line[4 * (x - 1)];
            line[4 * x] = limited(beyond(last, x > 1 ? line[4 * (x - 2)] : last));
        }
    }
    for (size_t row = sample.rows; row < rows; row++) {
        uint16_t *line = first + row * stride;
        const uint16_t *last = line - stride, *previous = row > 1 ? last - stride : last;
        for (size_t x = 0; x < width; x++) line[4 * x] = limited(beyond(last[4 * x], previous[4 * x]));
    }
}

static void move_across(uint16_t *first, size_t width, size_t rows, int is_right) {
    /* From the side that the samples lie on to the other one, so that the next samples are not moved yet. */
    ptrdiff_t const step = is_right ? -4 : 4;
    for (size_t row = 0; row < rows; row++) {
        uint16_t *here = first + 4 * (row * width + (is_right ? width - 1 : 0));
        int32_t last = *here;
        for (size_t left = width; left > 0; left--, here += step) {
            int32_t const own = *here, next = left > 1 ? here[step] : beyond(own, last);
            *here = quarter(last, own, next, left > 2 ? here[2 * step] : beyond(next, own));
            last = own;
        }
    }
}

/* `before` has the memory of a row. */
static void move_down(uint16_t *first, size_t width, size_t rows, int is_low, uint16_t *before) {
    ptrdiff_t const stride = (ptrdiff_t)(4 * width), step = is_low ? -stride : stride;
    uint16_t *line = is_low ? first + (ptrdiff_t)(rows - 1) * stride : first;
    for (size_t x = 0; x < width; x++) before[x] = line[4 * x];
    for (size_t left = rows; left > 0; left--, line += step) {
        for (size_t x = 0; x < width; x++) {
            uint16_t *here = line + 4 * x;
            int32_t const own = *here, next = left > 1 ? here[step] : beyond(own, before[x]);
            *here = quarter(before[x], own, next, left > 2 ? here[2 * step] : beyond(next, own));
            before[x] = (uint16_t)own;
        }
    }
}

int webimage_centre_samples(uint16_t *pixels, size_t width, size_t rows, webimage_quad_sample sample) {
    if (sample.width == 0 || sample.rows == 0 || sample.width > width || sample.rows > rows) return 0;
    uint16_t *first = pixels + sample.channel;
    complete(first, width, rows, sample);
    if (sample.is_in_place) return 0;
    uint16_t *before = malloc(width * sizeof *before);
    if (!before) return -1;
    move_across(first, width, rows, sample.is_right);
    move_down(first, width, rows, sample.is_low, before);
    free(before);
    return 0;
}
