#include "thumbnail.h"

/* Files with four components store the light that each ink leaves, from 0 to 255 for paper without ink. A colour is the product
   of its ink's light and of black's. The product must be made before the planes are scaled: where both change together, the mean of
   the products is not the product of the means. All planes have the same resolution. */

enum { WHITE = 255 << PLANE_BITS };

static inline int16_t limited(int value) {
    return (int16_t)(value < PLANE_LEAST ? PLANE_LEAST : value > PLANE_MOST ? PLANE_MOST : value);
}

/* YCCK has the inverse of the colours of YCbCr: converts a row in place. Black is stored as it is. */
static void convert_ycck(int16_t *const rows[4], size_t width) {
    const int half = 1 << (FACTOR_BITS - 1), center = 128 << PLANE_BITS;
    for (size_t x = 0; x < width; x++) {
        int y = WHITE - rows[0][x], cb = rows[1][x] - center, cr = rows[2][x] - center;
        rows[0][x] = limited(y - ((RED_CR * cr + half) >> FACTOR_BITS));
        rows[1][x] = limited(y + ((GREEN_CB * cb + GREEN_CR * cr + half) >> FACTOR_BITS));
        rows[2][x] = limited(y - ((BLUE_CB * cb + half) >> FACTOR_BITS));
    }
}

/* The least and the greatest sample are far beyond black and white. If both factors are below black, the product is black. */
static void multiply(int16_t *restrict ink, const int16_t *restrict black, size_t width) {
    for (size_t x = 0; x < width; x++) {
        /* ink * black / WHITE, in 16 bits: 8 / 2^16 = 1 / 8192, and 8192 / WHITE is 4 + 1 / 64 up to rounding. */
        const int16_t light = (int16_t)(8 * ink[x]), factor = (int16_t)(4 * black[x] + ((int16_t)(black[x] + 32) >> 6));
        const int16_t product = (int16_t)(light * factor >> 16), is_below = (int16_t)((ink[x] & black[x]) >> 15);
        ink[x] = (int16_t)(limited(product) & ~is_below);
    }
}

static int height_of(const decoder *decoder) { return plane_length(decoder->height, 1, 1, decoder->request->planes->side); }

static int width_of(const decoder *decoder) { return plane_length(decoder->width, 1, 1, decoder->request->planes->side); }

/* Finds the rows of all planes, and makes them inks. */
static void read_inks(const decoder *decoder, int y, int16_t *rows[4]) {
    for (int index = 0; index < 4; index++) {
        const component *component = &decoder->components[index];
        rows[index] = (int16_t *)(void *)(component->samples + (size_t)(y % component->rows) * component->stride);
    }
    if (decoder->is_ycck) convert_ycck(rows, (size_t)width_of(decoder));
}

void webimage_jt_multiply_inks(const decoder *decoder, int start, int end) {
    for (int y = start; y < end; y++) {
        int16_t *rows[4];
        read_inks(decoder, y, rows);
        for (int index = 0; index < 3; index++) multiply(rows[index], rows[3], (size_t)width_of(decoder));
    }
}

static inline uint8_t rounded(int sample) {
    int value = (sample + (1 << (PLANE_BITS - 1))) >> PLANE_BITS;
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

webimage_jpeg_thumbnail_status webimage_jt_write_inks(const decoder *decoder) {
    const webimage_jpeg_thumbnail_request *request = decoder->request;
    if (request->width != width_of(decoder) || request->height != height_of(decoder)) return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
    for (int y = 0; y < request->height; y++) {
        int16_t *rows[4];
        read_inks(decoder, y, rows);
        uint8_t *target = request->pixels + (size_t)y * request->stride;
        for (int x = 0; x < request->width; x++)
            for (int index = 0; index < 4; index++) target[x * 4 + index] = rounded(rows[index][x]);
    }
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}
