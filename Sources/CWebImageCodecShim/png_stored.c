#include "png_filters.h"

#include <png.h>
#include <string.h>

/* Rows as they are in a file: the lossless optimiser changes neither pixels nor, where that costs bytes, their form. */

typedef struct {
    bool is_gray, is_opaque, is_narrow;
} survey;

static inline bool is_full(const uint8_t *sample, size_t bytes) {
    return sample[0] == 255 && (bytes == 1 || sample[1] == 255);
}

static size_t channels_of(int color) {
    return 1 + (color & PNG_COLOR_MASK_COLOR ? 2 : 0) + (color & PNG_COLOR_MASK_ALPHA ? 1 : 0);
}

/* Ends as soon as nothing can be left out. */
static survey look(const uint8_t *rows, size_t stride, uint32_t width, uint32_t height, CPNGForm form, bool may_be_gray) {
    const size_t bytes = form.depth / 8, channels = channels_of(form.color), pixel = bytes * channels;
    const bool has_color = form.color & PNG_COLOR_MASK_COLOR, has_alpha = form.color & PNG_COLOR_MASK_ALPHA;
    survey found = {has_color && may_be_gray, has_alpha, bytes == 2};
    for (uint32_t y = 0; y < height && (found.is_gray || found.is_opaque || found.is_narrow); y++) {
        const uint8_t *at = rows + y * stride;
        for (uint32_t x = 0; x < width; x++, at += pixel) {
            if (found.is_gray && (memcmp(at, at + bytes, bytes) != 0 || memcmp(at, at + 2 * bytes, bytes) != 0))
                found.is_gray = false;
            if (found.is_opaque && !is_full(at + (channels - 1) * bytes, bytes)) found.is_opaque = false;
            for (size_t sample = 0; found.is_narrow && sample < pixel; sample += 2)
                if (at[sample] != at[sample + 1]) found.is_narrow = false;
        }
    }
    return found;
}

bool cpng_narrow_rows(uint8_t *rows, size_t stride, uint32_t width, uint32_t height, bool may_be_gray, CPNGForm *form) {
    if (form->depth < 8 || form->color == PNG_COLOR_TYPE_PALETTE) return false;
    const survey found = look(rows, stride, width, height, *form, may_be_gray);
    if (!found.is_gray && !found.is_opaque && !found.is_narrow) return false;
    const size_t bytes = form->depth / 8, channels = channels_of(form->color), kept = found.is_narrow ? 1 : bytes;
    const size_t colors = form->color & PNG_COLOR_MASK_COLOR ? 3 : 1;
    for (uint32_t y = 0; y < height; y++) {
        const uint8_t *from = rows + y * stride;
        uint8_t *to = rows + y * stride;
        for (uint32_t x = 0; x < width; x++, from += bytes * channels) {
            for (size_t channel = 0; channel < channels; channel++) {
                bool is_alpha = channel == colors;
                if (is_alpha ? found.is_opaque : channel > 0 && found.is_gray) continue;
                for (size_t byte = 0; byte < kept; byte++) *to++ = from[channel * bytes + byte];
            }
        }
    }
    if (found.is_gray) form->color &= ~PNG_COLOR_MASK_COLOR;
    if (found.is_opaque) form->color &= ~PNG_COLOR_MASK_ALPHA;
    if (found.is_narrow) form->depth = 8;
    return true;
}

bool cpng_compress_rows(
    const uint8_t *rows, size_t stride, size_t row_bytes, size_t pixel_bytes, size_t height, int effort,
    int (*should_stop)(void), uint8_t **bytes, size_t *count) {
    const cpng_picture picture = {
        .width = row_bytes / pixel_bytes, .height = height, .layout = CPNG_STORED, .stored_pixel_bytes = pixel_bytes,
        .rows = rows, .stride = stride, .should_stop = should_stop,
    };
    return cpng_deflate_smallest(&picture, effort, bytes, count);
}
