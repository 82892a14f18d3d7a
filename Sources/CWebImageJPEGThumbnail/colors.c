#include "colors.h"
#include "resample.h"

/* Converts the colours of scaled planes.

   A complete decode rounds what chroma adds to each colour to whole levels, the same for all pixels with the same chroma: a
   smooth part of a picture becomes up to half a level redder or greener. A result that is made without these roundings
   differs from it by a quarter of a level, and by a point of SSIMULACRA2. A scaled sample of chroma is a mean of the file's, of
   whole numbers, that mostly are the two beside it. So the colours of these two are mixed as the sample is. */

enum {
    POINT = 1 << POINT_BITS,
    /* Beyond them a scaled sample of chroma has no meaning, and the products would need more than 16 bits. */
    CHROMA_LEAST = -256 * POINT, CHROMA_MOST = 255 * POINT,
};

static inline uint8_t *put(uint8_t *pixel, int bytes, int red, int r, int g, int b) {
    const int half = POINT / 2;
    pixel[red] = clamped((r + half) >> POINT_BITS);
    pixel[1] = clamped((g + half) >> POINT_BITS);
    pixel[2 - red] = clamped((b + half) >> POINT_BITS);
    if (bytes == 4) pixel[3] = 255;
    return pixel + bytes;
}

/* The chroma of a sample without the part behind the point, and this part. */
typedef struct {
    int whole, part;
} chroma;

static inline chroma chroma_of(int sample) {
    int value = sample - 128 * POINT;
    value = value < CHROMA_LEAST ? CHROMA_LEAST : value > CHROMA_MOST ? CHROMA_MOST : value;
    return (chroma){value >> POINT_BITS, value & (POINT - 1)};
}

static inline int between(int first, int second, int part) { return first * POINT + (second - first) * part; }

static inline uint8_t *put_ycc(uint8_t *pixel, int bytes, int red, int y, chroma cb, chroma cr) {
    const int b = cb.whole, r = cr.whole;
    int first = between(green_offset(b, r), green_offset(b + 1, r), cb.part);
    int second = between(green_offset(b, r + 1), green_offset(b + 1, r + 1), cb.part);
    return put(pixel, bytes, red, y + between(red_offset(r), red_offset(r + 1), cr.part),
               y + first + ((second - first) * cr.part >> POINT_BITS),
               y + between(blue_offset(b), blue_offset(b + 1), cb.part));
}

#if defined(__SSE2__)
static inline __m128i between_eight(__m128i first, __m128i second, __m128i part) {
    return _mm_add_epi16(_mm_slli_epi16(first, POINT_BITS), _mm_mullo_epi16(_mm_sub_epi16(second, first), part));
}

static inline __m128i rounded_sum(__m128i y, __m128i offset) {
    return _mm_srai_epi16(_mm_adds_epi16(_mm_adds_epi16(y, offset), _mm_set1_epi16(POINT / 2)), POINT_BITS);
}

static inline __m128i load_chroma(const int16_t *samples) {
    __m128i value = _mm_subs_epi16(_mm_loadu_si128((const __m128i *)samples), _mm_set1_epi16(128 * POINT));
    return _mm_min_epi16(_mm_max_epi16(value, _mm_set1_epi16(CHROMA_LEAST)), _mm_set1_epi16(CHROMA_MOST));
}

/* Converts all pixels but the last width % 8 to four bytes. Returns their number. */
static int write_ycc_vectors(const int16_t *const rows[3], int width, int is_bgra, uint8_t *target) {
    const __m128i mask = _mm_set1_epi16(POINT - 1), one = _mm_set1_epi16(1);
    int x = 0;
    for (; x + 8 <= width; x += 8) {
        __m128i y = _mm_loadu_si128((const __m128i *)(rows[0] + x)), cb = load_chroma(rows[1] + x), cr = load_chroma(rows[2] + x);
        __m128i part_b = _mm_and_si128(cb, mask), part_r = _mm_and_si128(cr, mask), products[2];
        cb = _mm_srai_epi16(cb, POINT_BITS);
        cr = _mm_srai_epi16(cr, POINT_BITS);
        __m128i next_b = _mm_add_epi16(cb, one), next_r = _mm_add_epi16(cr, one);
        green_products(cb, cr, products);
        enum { NEXT_B = CB_TO_GREEN, NEXT_R = CR_TO_GREEN + 65536 };
        __m128i first = between_eight(green_part(products, 0), green_part(products, NEXT_B), part_b);
        __m128i second = between_eight(green_part(products, NEXT_R), green_part(products, NEXT_B + NEXT_R), part_b);
        /* One cr less in the second row. */
        __m128i step = _mm_sub_epi16(_mm_sub_epi16(second, first), _mm_set1_epi16(POINT));
        __m128i green = _mm_add_epi16(_mm_sub_epi16(first, _mm_slli_epi16(cr, POINT_BITS)),
                                      _mm_srai_epi16(_mm_mullo_epi16(step, part_r), POINT_BITS));
        __m128i red = between_eight(red_offsets(cr), red_offsets(next_r), part_r);
        __m128i blue = between_eight(blue_offsets(cb), blue_offsets(next_b), part_b);
        write_eight(rounded_sum(y, red), rounded_sum(y, green), rounded_sum(y, blue), is_bgra, target + x * 4);
    }
    return x;
}
#endif

void webimage_jt_write_colors(const decoder *decoder, const int16_t *const rows[3], uint8_t *target) {
    const webimage_jpeg_thumbnail_request *request = decoder->request;
    const int width = request->width;
    if (request->format == WEBIMAGE_JPEG_THUMBNAIL_GRAY) {
        for (int x = 0; x < width; x++) target[x] = clamped((rows[0][x] + POINT / 2) >> POINT_BITS);
        return;
    }
    int bytes = request->format == WEBIMAGE_JPEG_THUMBNAIL_RGB ? 3 : 4, x = 0;
    int red = request->format == WEBIMAGE_JPEG_THUMBNAIL_BGRA ? 2 : 0;
    if (decoder->component_count != 3 || decoder->is_rgb) {
        for (; x < width; x++) target = put(target, bytes, red, rows[0][x], rows[1][x], rows[2][x]);
        return;
    }
#if defined(__SSE2__)
    if (bytes == 4) x = write_ycc_vectors(rows, width, red == 2, target);
#endif
    for (target += x * bytes; x < width; x++)
        target = put_ycc(target, bytes, red, rows[0][x], chroma_of(rows[1][x]), chroma_of(rows[2][x]));
}
