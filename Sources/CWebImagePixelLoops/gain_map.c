#include "CWebImagePixelLoops.h"

#include <math.h>
#include <string.h>

/* Returns the half-precision number nearest to a value; the greatest one for larger values, and 0 for no number. */
static uint16_t half(float value) {
    if (!(value > -65504.0f)) value = value != value ? 0 : -65504.0f;
    if (value > 65504.0f) value = 65504.0f;
    uint32_t bits;
    memcpy(&bits, &value, 4);
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    bits &= 0x7FFFFFFF;
    if (bits < 0x38800000) {
        /* Below 2^-14 a half has a fixed step of 2^-24. */
        float magnitude;
        memcpy(&magnitude, &bits, 4);
        return (uint16_t)(sign | (uint16_t)(magnitude * 16777216.0f + 0.5f));
    }
    /* Add half a step, and one more bit if the result would be odd: this rounds to even. */
    bits += 0xFFF + (bits >> 13 & 1);
    return (uint16_t)(sign | (uint16_t)((bits - 0x38000000) >> 13));
}

/* The two neighbours of a position and the part of the second one. The centre of the first value is at half a value. */
typedef struct {
    size_t first, second;
    float part;
} place;

static place place_of(size_t index, size_t count, size_t values) {
    double position = ((double)index + 0.5) * (double)values / (double)count - 0.5;
    if (position < 0) position = 0;
    place found;
    found.first = (size_t)position;
    if (found.first > values - 1) found.first = values - 1;
    found.second = found.first + 1 < values ? found.first + 1 : found.first;
    found.part = (float)(position - (double)found.first);
    return found;
}

/* Both sizes of samples have their own copy of this loop. */
static inline __attribute__((always_inline)) void apply(
    const uint8_t *source, size_t stride, int bytes, webimage_gain_map map, uint16_t *target, size_t target_stride,
    size_t width, size_t rows, const webimage_gain_tables *tables) {
    for (size_t row = 0; row < rows; row++) {
        const uint8_t *pixel = source + row * stride;
        uint16_t *result = (uint16_t *)(void *)((uint8_t *)target + row * target_stride);
        place down = place_of(row, rows, map.height);
        const uint8_t *above = map.values + down.first * map.stride, *below = map.values + down.second * map.stride;
        for (size_t x = 0; x < width; x++, pixel += 4 * bytes, result += 4) {
            place across = place_of(x, width, map.width);
            uint16_t samples[4];
            if (bytes == 2) memcpy(samples, pixel, 8);
            else for (int channel = 0; channel < 4; channel++) samples[channel] = pixel[channel];
            float light[3];
            for (int channel = 0; channel < 3; channel++) light[channel] = tables->light[channel][samples[channel]];
            if (tables->exponent != 0) {
                float sum = 0;
                for (int channel = 0; channel < 3; channel++) sum += tables->luminance[channel] * light[channel];
                float factor = sum > 0 ? tables->factor * powf(sum, tables->exponent) : 0;
                for (int channel = 0; channel < 3; channel++) light[channel] *= factor;
            }
            if (tables->has_matrix) {
                float own[3] = {light[0], light[1], light[2]};
                const float *matrix = tables->matrix;
                for (int channel = 0; channel < 3; channel++, matrix += 3)
                    light[channel] = matrix[0] * own[0] + matrix[1] * own[1] + matrix[2] * own[2];
            }
            float value = 0;
            for (int channel = 0; channel < 3; channel++) {
                if (channel < map.channels) {
                    size_t first = across.first * (size_t)map.channels + (size_t)channel;
                    size_t second = across.second * (size_t)map.channels + (size_t)channel;
                    float upper = above[first] + (above[second] - above[first]) * across.part;
                    float lower = below[first] + (below[second] - below[first]) * across.part;
                    value = (upper + (lower - upper) * down.part) * (WEBIMAGE_GAIN_STEPS / 255.0f);
                }
                size_t step = (size_t)value;
                if (step > WEBIMAGE_GAIN_STEPS - 1) step = WEBIMAGE_GAIN_STEPS - 1;
                const float *factors = tables->factors + (WEBIMAGE_GAIN_STEPS + 1) * (size_t)channel + step;
                float factor = factors[0] + (factors[1] - factors[0]) * (value - (float)step);
                float made = (light[channel] + tables->base_offsets[channel]) * factor - tables->alternate_offsets[channel];
                /* An offset can lead below black, which has no light. */
                result[channel] = half(made > 0 ? made : 0);
            }
            result[3] = half(samples[3] / (bytes == 2 ? 65535.0f : 255.0f));
        }
    }
}

void webimage_apply_gain(
    const void *source, size_t stride, int bits, webimage_gain_map map, uint16_t *target, size_t target_stride,
    size_t width, size_t rows, const webimage_gain_tables *tables) {
    if (bits == 16) apply(source, stride, 2, map, target, target_stride, width, rows, tables);
    else apply(source, stride, 1, map, target, target_stride, width, rows, tables);
}

static float single(uint16_t half) {
    uint32_t exponent = half >> 10 & 31, bits = (uint32_t)(half & 0x3FF) << 13;
    float value;
    if (exponent == 0) {
        value = (float)(half & 0x3FF) / 16777216.0f;
    } else {
        bits |= (exponent + 112) << 23;
        memcpy(&value, &bits, 4);
    }
    return half & 0x8000 ? -value : value;
}

void webimage_measure_gain(
    const uint16_t *high, size_t high_stride, const uint8_t *low, size_t low_stride, uint8_t *target,
    size_t target_stride, size_t width, size_t rows, const webimage_gain_measure *tables, float range[3]) {
    float scale = 255.0f / (range[1] - range[0]);
    if (!target) range[0] = 64, range[1] = -64, range[2] = 0;
    for (size_t row = 0; row < rows; row++) {
        const uint16_t *bright = (const uint16_t *)(const void *)((const uint8_t *)high + row * high_stride);
        const uint8_t *plain = low + row * low_stride;
        for (size_t x = 0; x < width; x++, bright += 4, plain += 4) {
            float light = 0, base = 0;
            for (int channel = 0; channel < 3; channel++) {
                light += tables->high_luminance[channel] * tables->high[bright[channel]];
                base += tables->low_luminance[channel] * tables->low[plain[channel]];
            }
            light = light > 0 ? tables->factor * powf(light, tables->exponent) : 0;
            float gain = log2f((light + tables->offset) / (base + tables->offset));
            if (target) {
                float value = (gain - range[0]) * scale + 0.5f;
                target[row * target_stride + x] = (uint8_t)(value > 0 ? value < 255 ? value : 255 : 0);
            } else {
                if (gain < range[0]) range[0] = gain;
                if (gain > range[1]) range[1] = gain;
                if (light > range[2]) range[2] = light;
            }
        }
    }
}

void webimage_quantize_light(
    const uint16_t *source, size_t stride, uint16_t *target, size_t target_stride, size_t width, size_t rows,
    const float matrix[9], float most) {
    for (size_t row = 0; row < rows; row++) {
        const uint16_t *pixel = (const uint16_t *)(const void *)((const uint8_t *)source + row * stride);
        uint16_t *result = (uint16_t *)(void *)((uint8_t *)target + row * target_stride);
        for (size_t x = 0; x < width; x++, pixel += 4, result += 4) {
            float light[3] = {single(pixel[0]), single(pixel[1]), single(pixel[2])};
            for (int channel = 0; channel < 3; channel++) {
                const float *parts = matrix + 3 * channel;
                float nits = parts[0] * light[0] + parts[1] * light[1] + parts[2] * light[2];
                nits = nits > 0 ? nits < most ? nits : most : 0;
                /* SMPTE ST 2084. */
                double power = pow(nits / 10000.0, 2610.0 / 16384);
                double value = pow((3424.0 / 4096 + 2413.0 / 128 * power) / (1 + 2392.0 / 128 * power), 2523.0 / 32);
                result[channel] = (uint16_t)(value * 65535 + 0.5);
            }
            float alpha = single(pixel[3]);
            result[3] = (uint16_t)((alpha > 0 ? alpha < 1 ? alpha : 1 : 0) * 65535 + 0.5f);
        }
    }
}
