#include "CWebImagePixelLoops.h"

#include <string.h>

/* The number of sums that are in use at the same time. The sums fit into the first cache level. */
#define BLOCK 256

void webimage_weighted_sum(
    const uint8_t *const *lines, const int16_t *weights, size_t count, uint8_t *target, size_t bytes) {
    for (size_t start = 0; start < bytes; start += BLOCK) {
        size_t length = bytes - start < BLOCK ? bytes - start : BLOCK;
        int32_t sums[BLOCK];
        for (size_t i = 0; i < length; i++) sums[i] = 1 << (WEBIMAGE_WEIGHT_BITS - 1);
        for (size_t line = 0; line < count; line++) {
            const uint8_t *source = lines[line] + start;
            int32_t weight = weights[line];
            for (size_t i = 0; i < length; i++) sums[i] += weight * source[i];
        }
        for (size_t i = 0; i < length; i++) {
            int32_t value = sums[i] >> WEBIMAGE_WEIGHT_BITS;
            value = value < 0 ? 0 : value;
            target[start + i] = (uint8_t)(value > 255 ? 255 : value);
        }
    }
}

void webimage_box_sums(const uint8_t *source, int32_t *target, size_t width, size_t reach) {
    int32_t sums[4];
    for (int channel = 0; channel < 4; channel++) sums[channel] = (int32_t)(reach + 1) * source[channel];
    for (size_t x = 1; x <= reach; x++) {
        const uint8_t *pixel = source + 4 * (x < width ? x : width - 1);
        for (int channel = 0; channel < 4; channel++) sums[channel] += pixel[channel];
    }
    for (size_t x = 0; x < width; x++) {
        const uint8_t *next = source + 4 * (x + reach + 1 < width ? x + reach + 1 : width - 1);
        const uint8_t *last = source + 4 * (x > reach ? x - reach : 0);
        for (int channel = 0; channel < 4; channel++) {
            target[4 * x + channel] = sums[channel];
            sums[channel] += next[channel] - last[channel];
        }
    }
}

void webimage_add_sums(int32_t *sums, const int32_t *row, size_t count, int32_t factor) {
    for (size_t i = 0; i < count; i++) sums[i] += factor * row[i];
}

void webimage_box_means(const int32_t *sums, uint8_t *target, size_t count, size_t reach) {
    float side = (float)(2 * reach + 1), share = 1.0f / (side * side);
    for (size_t i = 0; i < count; i++) target[i] = (uint8_t)((float)sums[i] * share + 0.5f);
}

void webimage_unsharp_row(const uint8_t *blurred, uint8_t *pixels, size_t width, float amount) {
    for (size_t x = 0; x < width; x++) {
        float limit = 255;
        /* Alpha is the last byte of a pixel. A premultiplied colour is not larger than alpha. */
        for (int channel = 3; channel >= 0; channel--) {
            float value = pixels[4 * x + channel];
            value += amount * (value - blurred[4 * x + channel]);
            value = value < 0 ? 0 : value > limit ? limit : value;
            pixels[4 * x + channel] = (uint8_t)(value + 0.5f);
            if (channel == 3) limit = pixels[4 * x + 3];
        }
    }
}
