#include "CWebImagePixelLoops.h"

int webimage_is_opaque(const uint8_t *pixels, size_t stride, size_t width, size_t rows) {
    for (size_t row = 0; row < rows; row++) {
        const uint32_t *words = (const uint32_t *)(pixels + row * stride);
        uint32_t common = UINT32_MAX;
        /* There is no branch inside a row, so that the compiler can use vector instructions. */
        for (size_t x = 0; x < width; x++) common &= words[x];
        const uint8_t *bytes = (const uint8_t *)&common;
        if (bytes[3] != 255) return 0;
    }
    return 1;
}

void webimage_limit_to_alpha(uint8_t *pixels, size_t stride, size_t width, size_t rows) {
    for (size_t row = 0; row < rows; row++) {
        uint8_t *pixel = pixels + row * stride;
        for (size_t x = 0; x < width; x++, pixel += 4) {
            for (int color = 0; color < 3; color++) pixel[color] = pixel[color] < pixel[3] ? pixel[color] : pixel[3];
        }
    }
}
