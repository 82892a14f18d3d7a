#include "CWebImagePixelLoops.h"

void webimage_write_samples(
    const int32_t *samples, size_t sample_stride, int32_t bias, uint32_t largest, size_t width, size_t rows,
    uint8_t *target, size_t target_stride, size_t channels, int is_deep) {
    double const scale = is_deep ? 65535.0 : 255.0;
    for (size_t row = 0; row < rows; row++) {
        const int32_t *source = samples + row * sample_stride;
        uint8_t *bytes = target + row * target_stride;
        uint16_t *words = (uint16_t *)bytes;
        for (size_t x = 0; x < width; x++) {
            int64_t value = (int64_t)source[x] + bias;
            if (value < 0) value = 0;
            if (value > (int64_t)largest) value = largest;
            /* The product is exact, and no quotient lies in the middle of two numbers, because both divisors are odd. */
            double const scaled = (double)value * scale / (double)largest + 0.5;
            if (is_deep) words[x * channels] = (uint16_t)scaled;
            else bytes[x * channels] = largest == 255 ? (uint8_t)value : (uint8_t)scaled;
        }
    }
}

void webimage_spread_channel(
    const uint8_t *plane, size_t plane_stride, size_t width, size_t rows, uint8_t *target, size_t target_stride,
    size_t channels, int is_deep) {
    for (size_t row = 0; row < rows; row++) {
        const uint8_t *source = plane + row * plane_stride;
        uint8_t *bytes = target + row * target_stride;
        uint16_t *words = (uint16_t *)bytes;
        for (size_t x = 0; x < width; x++) {
            if (is_deep) words[x * channels] = (uint16_t)(source[x] * 257);
            else bytes[x * channels] = source[x];
        }
    }
}

/* A number from 0 to `largest`, rounded to the nearest. */
static inline double nearest(double value, double largest) {
    return value <= 0 ? 0.5 : value >= largest ? largest + 0.5 : value + 0.5;
}

void webimage_ycc_to_rgb(
    uint8_t *pixels, size_t stride, size_t width, size_t rows, double middle, int is_deep) {
    double const largest = is_deep ? 65535.0 : 255.0;
    double const zero = (double)(int32_t)(middle * largest + 0.5);
    for (size_t row = 0; row < rows; row++) {
        uint8_t *bytes = pixels + row * stride;
        uint16_t *words = (uint16_t *)bytes;
        for (size_t x = 0; x < width * 4; x += 4) {
            double const y = is_deep ? words[x] : bytes[x];
            double const cb = (is_deep ? words[x + 1] : bytes[x + 1]) - zero;
            double const cr = (is_deep ? words[x + 2] : bytes[x + 2]) - zero;
            double const rgb[3] = {y + 1.402 * cr, y - 0.344136 * cb - 0.714136 * cr, y + 1.772 * cb};
            for (size_t channel = 0; channel < 3; channel++) {
                if (is_deep) words[x + channel] = (uint16_t)nearest(rgb[channel], largest);
                else bytes[x + channel] = (uint8_t)nearest(rgb[channel], largest);
            }
        }
    }
}
