#include "CWebImagePixelLoops.h"

#include <string.h>

void webimage_matrix_colors(
    const uint16_t *source, size_t stride, void *target, size_t target_stride, size_t width, size_t rows,
    int target_bits, const webimage_matrix_tables *tables) {
    const float *matrix = tables->matrix;
    for (size_t row = 0; row < rows; row++) {
        const uint16_t *pixel = (const uint16_t *)((const uint8_t *)source + row * stride);
        uint8_t *line = (uint8_t *)target + row * target_stride;
        for (size_t x = 0; x < width; x++, pixel += 4) {
            float red = tables->curves[0][pixel[0]];
            float green = tables->curves[1][pixel[1]];
            float blue = tables->curves[2][pixel[2]];
            uint16_t values[4];
            for (int channel = 0; channel < 3; channel++) {
                float light = matrix[3 * channel] * red + matrix[3 * channel + 1] * green + matrix[3 * channel + 2] * blue;
                light = light < 0 ? 0 : light > 1 ? 1 : light;
                values[channel] = tables->encoding[(size_t)(light * 65535.0f + 0.5f)];
            }
            values[3] = pixel[3];
            if (target_bits == 16) {
                memcpy(line + x * 8, values, 8);
            } else {
                /* 65535 is 255 times 257. */
                for (int channel = 0; channel < 4; channel++)
                    line[x * 4 + channel] = (uint8_t)((values[channel] + 128u) / 257u);
            }
        }
    }
}

void webimage_map_bytes(
    const uint8_t *source, size_t stride, uint8_t *target, size_t target_stride, size_t width, size_t rows,
    const uint8_t *table) {
    for (size_t row = 0; row < rows; row++) {
        const uint8_t *from = source + row * stride;
        uint8_t *to = target + row * target_stride;
        for (size_t x = 0; x < width; x++) to[x] = table[from[x]];
    }
}
