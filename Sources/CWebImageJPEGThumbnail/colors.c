#include "resample.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Converts the colours of scaled planes. */

enum { COLOR_BITS = POINT_BITS + FACTOR_BITS, COLOR_HALF = 1 << (COLOR_BITS - 1) };

static inline uint8_t *put(uint8_t *pixel, int bytes, int red, int r, int g, int b) {
    pixel[red] = clamped(r);
    pixel[1] = clamped(g);
    pixel[2 - red] = clamped(b);
    if (bytes == 4) pixel[3] = 255;
    return pixel + bytes;
}

#if defined(__SSE2__)
/* (first * a + second * b + third * c + half) >> COLOR_BITS for eight pixels. */
static inline __m128i mixed(__m128i first, __m128i second, __m128i third, int a, int b, int c) {
    const __m128i half = _mm_set1_epi32(COLOR_HALF), zero = _mm_setzero_si128();
    __m128i two = _mm_set1_epi32((int32_t)((uint32_t)(uint16_t)b << 16 | (uint16_t)a)), one = _mm_set1_epi32((uint16_t)c);
    __m128i low = _mm_add_epi32(_mm_madd_epi16(_mm_unpacklo_epi16(first, second), two), half);
    __m128i high = _mm_add_epi32(_mm_madd_epi16(_mm_unpackhi_epi16(first, second), two), half);
    if (c != 0) {
        low = _mm_add_epi32(low, _mm_madd_epi16(_mm_unpacklo_epi16(third, zero), one));
        high = _mm_add_epi32(high, _mm_madd_epi16(_mm_unpackhi_epi16(third, zero), one));
    }
    return _mm_packs_epi32(_mm_srai_epi32(low, COLOR_BITS), _mm_srai_epi32(high, COLOR_BITS));
}

/* Converts all pixels but the last width % 8 to four bytes. Returns their number. */
static int write_ycc_vectors(const int16_t *const rows[3], int width, int is_bgra, uint8_t *target) {
    const __m128i center = _mm_set1_epi16(128 << POINT_BITS), opaque = _mm_set1_epi8(-1);
    int x = 0;
    for (; x + 8 <= width; x += 8) {
        __m128i y = _mm_loadu_si128((const __m128i *)(rows[0] + x));
        __m128i cb = _mm_subs_epi16(_mm_loadu_si128((const __m128i *)(rows[1] + x)), center);
        __m128i cr = _mm_subs_epi16(_mm_loadu_si128((const __m128i *)(rows[2] + x)), center);
        __m128i red = mixed(y, cr, cb, 1 << FACTOR_BITS, RED_CR, 0);
        __m128i green = mixed(y, cb, cr, 1 << FACTOR_BITS, -GREEN_CB, -GREEN_CR);
        __m128i blue = mixed(y, cb, cr, 1 << FACTOR_BITS, BLUE_CB, 0);
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

void webimage_jt_write_colors(const decoder *decoder, const int16_t *const rows[3], uint8_t *target) {
    const webimage_jpeg_thumbnail_request *request = decoder->request;
    const int half = 1 << (POINT_BITS - 1), width = request->width;
    if (request->format == WEBIMAGE_JPEG_THUMBNAIL_GRAY) {
        for (int x = 0; x < width; x++) target[x] = clamped((rows[0][x] + half) >> POINT_BITS);
        return;
    }
    int bytes = request->format == WEBIMAGE_JPEG_THUMBNAIL_RGB ? 3 : 4, x = 0;
    int red = request->format == WEBIMAGE_JPEG_THUMBNAIL_BGRA ? 2 : 0;
    if (decoder->component_count != 3 || decoder->is_rgb) {
        for (; x < width; x++)
            target = put(target, bytes, red, (rows[0][x] + half) >> POINT_BITS, (rows[1][x] + half) >> POINT_BITS,
                         (rows[2][x] + half) >> POINT_BITS);
        return;
    }
#if defined(__SSE2__)
    if (bytes == 4) x = write_ycc_vectors(rows, width, red == 2, target);
#endif
    for (target += x * bytes; x < width; x++) {
        int y = rows[0][x] * (1 << FACTOR_BITS) + COLOR_HALF;
        int cb = rows[1][x] - (128 << POINT_BITS), cr = rows[2][x] - (128 << POINT_BITS);
        if (cb < -32768) cb = -32768;
        if (cr < -32768) cr = -32768;
        target = put(target, bytes, red, (y + RED_CR * cr) >> COLOR_BITS, (y - GREEN_CB * cb - GREEN_CR * cr) >> COLOR_BITS,
                     (y + BLUE_CB * cb) >> COLOR_BITS);
    }
}
