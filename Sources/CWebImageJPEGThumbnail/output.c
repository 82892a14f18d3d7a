#include "colors.h"

/* Enlarges chroma by repeating samples, and converts the colours. libjpeg-turbo does not interpolate chroma at 1/8. */

static void convert_ycc(
    const uint8_t *const rows[3], size_t start, size_t width, webimage_jpeg_thumbnail_format format, uint8_t *target) {
    size_t bytes = format == WEBIMAGE_JPEG_THUMBNAIL_RGB ? 3 : 4;
    int red = format == WEBIMAGE_JPEG_THUMBNAIL_BGRA ? 2 : 0;
    for (size_t x = start; x < width; x++) {
        int y = rows[0][x], cb = rows[1][x] - 128, cr = rows[2][x] - 128;
        uint8_t *pixel = target + x * bytes;
        pixel[red] = clamped(y + red_offset(cr));
        pixel[1] = clamped(y + green_offset(cb, cr));
        pixel[2 - red] = clamped(y + blue_offset(cb));
        if (bytes == 4) pixel[3] = 255;
    }
}

#if defined(__SSE2__)
static inline __m128i load_eight(const uint8_t *source) {
    return _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)source), _mm_setzero_si128());
}

/* Converts all pixels but the last width % 8. Returns their number. */
static size_t convert_ycc_vectors(const uint8_t *const rows[3], size_t width, int is_bgra, uint8_t *target) {
    const __m128i center = _mm_set1_epi16(128);
    size_t x = 0;
    for (; x + 8 <= width; x += 8) {
        __m128i y = load_eight(rows[0] + x), products[2];
        __m128i cb = _mm_sub_epi16(load_eight(rows[1] + x), center);
        __m128i cr = _mm_sub_epi16(load_eight(rows[2] + x), center);
        green_products(cb, cr, products);
        __m128i green = _mm_add_epi16(_mm_sub_epi16(y, cr), green_part(products, 0));
        write_eight(_mm_add_epi16(y, red_offsets(cr)), green, _mm_add_epi16(y, blue_offsets(cb)), is_bgra, target + x * 4);
    }
    return x;
}
#endif

/* YCCK has the inverse of the colours of YCbCr. Black is stored as it is. */
static void write_inks(const decoder *decoder, const uint8_t *const rows[4], size_t width, uint8_t *target) {
    for (size_t x = 0; x < width; x++, target += 4) {
        int y = rows[0][x], cb = rows[1][x], cr = rows[2][x];
        if (decoder->is_ycck) {
            cb -= 128;
            cr -= 128;
            target[0] = clamped(255 - y - red_offset(cr));
            target[1] = clamped(255 - y - green_offset(cb, cr));
            target[2] = clamped(255 - y - blue_offset(cb));
        } else {
            target[0] = (uint8_t)y;
            target[1] = (uint8_t)cb;
            target[2] = (uint8_t)cr;
        }
        target[3] = rows[3][x];
    }
}

static void convert_row(
    const decoder *decoder, const uint8_t *const rows[4], size_t width, uint8_t *target) {
    webimage_jpeg_thumbnail_format format = decoder->request->format;
    size_t bytes = format == WEBIMAGE_JPEG_THUMBNAIL_RGB ? 3 : 4;
    int red = format == WEBIMAGE_JPEG_THUMBNAIL_BGRA ? 2 : 0;
    if (format == WEBIMAGE_JPEG_THUMBNAIL_GRAY) {
        memcpy(target, rows[0], width);
    } else if (format == WEBIMAGE_JPEG_THUMBNAIL_CMYK) {
        write_inks(decoder, rows, width, target);
    } else if (decoder->component_count == 1 || decoder->is_rgb) {
        for (size_t x = 0; x < width; x++, target += bytes) {
            target[red] = rows[0][x];
            target[1] = rows[1][x];
            target[2 - red] = rows[2][x];
            if (bytes == 4) target[3] = 255;
        }
    } else {
        size_t done = 0;
#if defined(__SSE2__)
        if (bytes == 4) done = convert_ycc_vectors(rows, width, red == 2, target);
#endif
        convert_ycc(rows, done, width, format, target);
    }
}

/* Returns a row of samples at the output's size. `space` has place for the row. */
static const uint8_t *expanded_row(const component *component, size_t y, size_t width, uint8_t *space) {
    const uint8_t *source = component->samples + y / (size_t)component->expand_y * component->stride;
    size_t times = (size_t)component->expand_x;
    if (times == 1) return source;
    if (times == 2) {
        for (size_t x = 0; x < width; x++) space[x] = source[x >> 1];
    } else {
        for (size_t x = 0; x < width; x++) space[x] = source[x / times];
    }
    return space;
}

void webimage_jt_write_rows(const decoder *decoder, uint8_t *space) {
    const webimage_jpeg_thumbnail_request *request = decoder->request;
    size_t width = (size_t)request->width;
    for (size_t y = 0; y < (size_t)request->height; y++) {
        const uint8_t *rows[4];
        for (int index = 0; index < 4; index++) {
            int source = index < decoder->component_count ? index : 0;
            rows[index] = expanded_row(&decoder->components[source], y, width, space + (size_t)index * width);
        }
        convert_row(decoder, rows, width, request->pixels + y * request->stride);
    }
}
