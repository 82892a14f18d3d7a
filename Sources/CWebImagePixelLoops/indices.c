#include "CWebImagePixelLoops.h"

void webimage_expand_indices(
    const uint8_t *indices, size_t stride, const uint32_t *table, size_t width, size_t rows, uint8_t *target,
    size_t target_stride) {
    for (size_t row = 0; row < rows; row++) {
        const uint8_t *source = indices + row * stride;
        uint32_t *pixels = (uint32_t *)(target + row * target_stride);
        for (size_t x = 0; x < width; x++) pixels[x] = table[source[x]];
    }
}

void webimage_expand_indices_over(
    const uint8_t *indices, size_t stride, const uint32_t *table, uint8_t clear, size_t width, size_t rows,
    uint8_t *target, size_t target_stride) {
    for (size_t row = 0; row < rows; row++) {
        const uint8_t *source = indices + row * stride;
        uint32_t *pixels = (uint32_t *)(target + row * target_stride);
        for (size_t x = 0; x < width; x++) {
            /* Use a mask instead of a branch, because a processor cannot predict which pixels are transparent. */
            uint32_t keep = source[x] == clear ? UINT32_MAX : 0;
            pixels[x] = (pixels[x] & keep) | (table[source[x]] & ~keep);
        }
    }
}
