#include "thumbnail.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Enlarges chroma by repeating samples, and converts the colours. libjpeg-turbo does not interpolate chroma at 1/8. */

static inline uint8_t clamped(int value) { return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value); }

/* The offsets that libjpeg's tables contain, in fixed point with 16 bits behind the point. */
enum { CR_TO_RED = 91881, CB_TO_GREEN = -22554, CR_TO_GREEN = -46802, CB_TO_BLUE = 116130, HALF = 32768 };

static void convert_ycc(
    const uint8_t *const rows[3], size_t start, size_t width, webimage_jpeg_thumbnail_format format, uint8_t *target) {
    size_t bytes = format == WEBIMAGE_JPEG_THUMBNAIL_RGB ? 3 : 4;
    int red = format == WEBIMAGE_JPEG_THUMBNAIL_BGRA ? 2 : 0;
    for (size_t x = start; x < width; x++) {
        int y = rows[0][x], cb = rows[1][x] - 128, cr = rows[2][x] - 128;
        uint8_t *pixel = target + x * bytes;
        pixel[red] = clamped(y + ((CR_TO_RED * cr + HALF) >> 16));
        pixel[1] = clamped(y + ((CB_TO_GREEN * cb + CR_TO_GREEN * cr + HALF) >> 16));
        pixel[2 - red] = clamped(y + ((CB_TO_BLUE * cb + HALF) >> 16));
        if (bytes == 4) pixel[3] = 255;
    }
}

#if defined(__SSE2__)
/* y + (first * a + second * b + HALF) >> 16 for eight pixels. The factors must fit into 16 bits. */
static inline __m128i offset_by(__m128i y, __m128i a, __m128i b, int16_t first, int16_t second) {
    __m128i factors = _mm_set1_epi32((int32_t)((uint32_t)(uint16_t)second << 16 | (uint16_t)first));
    __m128i half = _mm_set1_epi32(HALF);
    __m128i low = _mm_madd_epi16(_mm_unpacklo_epi16(a, b), factors);
    __m128i high = _mm_madd_epi16(_mm_unpackhi_epi16(a, b), factors);
    low = _mm_srai_epi32(_mm_add_epi32(low, half), 16);
    high = _mm_srai_epi32(_mm_add_epi32(high, half), 16);
    return _mm_add_epi16(y, _mm_packs_epi32(low, high));
}

static inline __m128i load_eight(const uint8_t *source) {
    return _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)source), _mm_setzero_si128());
}

/* Converts all pixels but the last width % 8. Returns their number. */
static size_t convert_ycc_vectors(const uint8_t *const rows[3], size_t width, int is_bgra, uint8_t *target) {
    const __m128i center = _mm_set1_epi16(128), zero = _mm_setzero_si128(), opaque = _mm_set1_epi8(-1);
    size_t x = 0;
    for (; x + 8 <= width; x += 8) {
        __m128i y = load_eight(rows[0] + x);
        __m128i cb = _mm_sub_epi16(load_eight(rows[1] + x), center);
        __m128i cr = _mm_sub_epi16(load_eight(rows[2] + x), center);
        /* A factor over 16 bits is split: a multiple of 1 is added as it is. */
        __m128i red = offset_by(_mm_add_epi16(y, cr), cr, zero, CR_TO_RED - 65536, 0);
        __m128i green = offset_by(_mm_sub_epi16(y, cr), cb, cr, CB_TO_GREEN, CR_TO_GREEN + 65536);
        __m128i blue = offset_by(_mm_add_epi16(y, _mm_add_epi16(cb, cb)), cb, zero, (int16_t)(CB_TO_BLUE - 2 * 65536), 0);
        red = _mm_packus_epi16(red, red);
        green = _mm_packus_epi16(green, green);
        blue = _mm_packus_epi16(blue, blue);
        __m128i first = _mm_unpacklo_epi8(is_bgra ? blue : red, green);
        __m128i second = _mm_unpacklo_epi8(is_bgra ? red : blue, opaque);
        _mm_storeu_si128((__m128i *)(target + x * 4), _mm_unpacklo_epi16(first, second));
        _mm_storeu_si128((__m128i *)(target + x * 4 + 16), _mm_unpackhi_epi16(first, second));
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
            target[0] = clamped(255 - y - ((CR_TO_RED * cr + HALF) >> 16));
            target[1] = clamped(255 - y - ((CB_TO_GREEN * cb + CR_TO_GREEN * cr + HALF) >> 16));
            target[2] = clamped(255 - y - ((CB_TO_BLUE * cb + HALF) >> 16));
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
