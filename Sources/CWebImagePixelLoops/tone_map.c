#include "CWebImagePixelLoops.h"

#include <string.h>

/* The bits of a float are the logarithm of its value in steps: the octave, then the place in the octave. */
static float gain(const float *gains, float luminance) {
    const float least = 1.0f / (1 << -WEBIMAGE_TONE_FIRST_OCTAVE);
    const float most = (float)(1 << (WEBIMAGE_TONE_OCTAVES + WEBIMAGE_TONE_FIRST_OCTAVE)) * 0.9999f;
    /* Written so that a luminance that is no number is the least one. */
    luminance = luminance > least ? luminance : least;
    luminance = luminance < most ? luminance : most;
    uint32_t bits;
    memcpy(&bits, &luminance, 4);
    /* A float has 23 bits for the place in the octave; the table has 8. */
    bits -= (uint32_t)(127 + WEBIMAGE_TONE_FIRST_OCTAVE) << 23;
    uint32_t index = bits >> 15;
    float part = (float)(bits & 0x7FFF) / 32768.0f;
    return gains[index] + (gains[index + 1] - gains[index]) * part;
}

static void map(const webimage_tone_tables *tables, const uint16_t stored[3], uint16_t result[3]) {
    float light[3] = {tables->light[stored[0]], tables->light[stored[1]], tables->light[stored[2]]};
    const float *parts = tables->luminance;
    float luminance = parts[0] * light[0] + parts[1] * light[1] + parts[2] * light[2];
    float factor = gain(tables->gains, luminance);
    luminance *= factor;
    float color[3], most = 0;
    for (int channel = 0; channel < 3; channel++) {
        const float *row = tables->matrix + 3 * channel;
        color[channel] = factor * (row[0] * light[0] + row[1] * light[1] + row[2] * light[2]);
        if (color[channel] > most) most = color[channel];
    }
    if (most > 1) {
        /* Without this, clipping would change the hue. */
        float part = luminance < 1 ? (1 - luminance) / (most - luminance) : 0;
        if (luminance > 1) luminance = 1;
        for (int channel = 0; channel < 3; channel++) color[channel] = luminance + part * (color[channel] - luminance);
    }
    for (int channel = 0; channel < 3; channel++) {
        float value = color[channel] < 0 ? 0 : color[channel] > 1 ? 1 : color[channel];
        result[channel] = tables->encoding[(size_t)(value * 65535.0f + 0.5f)];
    }
}

void webimage_tone_map(
    const void *source, size_t stride, webimage_tone_layout layout, void *target, size_t target_stride, int target_bits,
    size_t width, size_t rows, const webimage_tone_tables *tables) {
    const int samples = layout.samples, red = layout.red, blue = 2 - layout.red;
    for (size_t row = 0; row < rows; row++) {
        const uint8_t *bytes = (const uint8_t *)source + row * stride;
        const uint16_t *words = (const uint16_t *)(const void *)bytes;
        uint8_t *line = (uint8_t *)target + row * target_stride;
        uint16_t stored[3], result[3];
        /* Neighbours often have the same colour, above all in drawings. */
        uint16_t last[3] = {1, 0, 0}, known[3];
        int has_known = 0;
        for (size_t x = 0; x < width; x++) {
            size_t at = x * (size_t)samples;
            if (layout.bits == 16) {
                stored[0] = words[at + red], stored[1] = words[at + 1], stored[2] = words[at + blue];
            } else {
                stored[0] = bytes[at + red] * 257, stored[1] = bytes[at + 1] * 257, stored[2] = bytes[at + blue] * 257;
            }
            if (!has_known || memcmp(stored, last, sizeof stored) != 0) {
                map(tables, stored, known);
                memcpy(last, stored, sizeof stored);
                has_known = 1;
            }
            memcpy(result, known, sizeof result);
            uint16_t alpha = samples < 4 ? 0 : layout.bits == 16 ? words[at + 3] : bytes[at + 3] * 257;
            if (target_bits == 16) {
                uint16_t values[4];
                values[red] = result[0], values[1] = result[1], values[blue] = result[2], values[3] = alpha;
                memcpy(line + at * 2, values, (size_t)samples * 2);
            } else {
                /* 65535 is 255 times 257. */
                line[at + red] = (uint8_t)((result[0] + 128u) / 257u);
                line[at + 1] = (uint8_t)((result[1] + 128u) / 257u);
                line[at + blue] = (uint8_t)((result[2] + 128u) / 257u);
                if (samples == 4) line[at + 3] = (uint8_t)((alpha + 128u) / 257u);
            }
        }
    }
}
