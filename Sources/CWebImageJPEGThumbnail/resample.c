#include "thumbnail.h"

#include <math.h>
#include <stdlib.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Scales each plane on its own from its exact part of the picture to the output's size, by a Lanczos filter with three
   lobes, and converts the colours there. Each row of the output first sums rows of the plane, then columns; the numbers
   between have 16 bits, 6 of them behind the point. */

/* The number of weights of a column is a multiple of this. */
enum { TAPS_STEP = 8 };

/* A picture's pixels for each sample of its chroma, in one direction, as libjpeg-turbo's complete decode makes them: a pixel
   is 3/4 of the nearer sample and 1/4 of the farther one, or the nearest of four. So a sample is spread over four pixels.
   Results of planes would be sharper in chroma than those of a complete decode, which is visible up to a third of a
   picture. The weights are eighths. */
static const int spread_of_factor[5][4] = {[2] = {1, 3, 3, 1}, [4] = {2, 2, 2, 2}};

enum {
    KERNEL_STEPS = 128,
    LARGEST_REACH = 5, /* three lobes, and 1.5 pixels of the picture, which are smaller than a sample */
    KERNEL_SIZE = LARGEST_REACH * KERNEL_STEPS + 3,
};

/* An even function at places from 0 on. It is 0 from `end` on. */
typedef struct {
    int end;
    double at[KERNEL_SIZE];
} kernel;

/* sinc(x) * sinc(x / 3), the Lanczos filter with three lobes. */
static void kernel_init(kernel *kernel) {
    const double pi = 3.14159265358979323846;
    memset(kernel, 0, sizeof *kernel);
    kernel->end = 3 * KERNEL_STEPS;
    kernel->at[0] = 1;
    for (int place = 1; place < kernel->end; place++) {
        double x = pi * place / KERNEL_STEPS;
        kernel->at[place] = 3 * sin(x) * sin(x / 3) / (x * x);
    }
}

/* A parabola through three places is exact to a twentieth of a weight's last bit. */
static inline double kernel_at(const kernel *kernel, double x) {
    double place = fabs(x) * KERNEL_STEPS;
    if (place >= kernel->end) return 0;
    int index = (int)place;
    const double *at = kernel->at + index;
    double part = place - index, slope = at[1] - at[0], bend = at[2] - at[1] - slope;
    return at[0] + part * (slope + (part - 1) * 0.5 * bend);
}

/* The filter for samples that are spread over four pixels at distances of `shift`. */
static void kernel_spread(kernel *spread, const kernel *kernel, const int *shares, double shift) {
    memset(spread, 0, sizeof *spread);
    spread->end = (int)ceil((3 + 1.5 * shift) * KERNEL_STEPS);
    for (int place = 0; place < spread->end; place++)
        for (int part = 0; part < 4; part++)
            spread->at[place] += shares[part] / 8.0 * kernel_at(kernel, (double)place / KERNEL_STEPS + (part - 1.5) * shift);
}

/* Adds the weights of `count` samples from `x` on, whose sum becomes `share`. `own` has place for the weights. */
static void add_weights(
    const kernel *kernel, double *weights, double *own, int count, double x, double distance, double share) {
    double sum = 0;
    for (int tap = 0; tap < count; tap++) {
        own[tap] = kernel_at(kernel, x + tap * distance);
        sum += own[tap];
    }
    if (sum > 0.01)
        for (int tap = 0; tap < count; tap++) weights[tap] += own[tap] * (share / sum);
    else
        weights[0] += share;
}

/* The outputs whose weights are rounded at the same time. */
enum { AT_ONCE = 4 };

/* Rounds the weights of `count` outputs, which are `taps` apart. The rounded weights have the exact sum: the rest of each rounding
   is added to the next weight. This is a chain of sums, so that several outputs take little more time than one. */
static void round_weights(const double *exacts, const int *ends, int count, int taps, int16_t *weights) {
    double rests[AT_ONCE] = {0};
    int most = 0;
    for (int index = 0; index < count; index++)
        if (ends[index] > most) most = ends[index];
    for (int tap = 0; tap < most; tap++)
        for (int index = 0; index < count; index++) {
            if (tap >= ends[index]) continue;
            double wanted = exacts[index * taps + tap] * (1 << WEIGHT_BITS) + rests[index];
            int rounded = (int)(wanted + 32768.5) - 32768;
            weights[index * taps + tap] = (int16_t)(rounded > 32767 ? 32767 : rounded);
            rests[index] = wanted - rounded;
        }
}

/* The part from `start` of a plane's row or column of `available` samples becomes `count` samples. `pixel` is the side of the
   picture's pixel in samples, and `factor` the number of pixels that a complete decode makes of a sample. */
static webimage_jpeg_thumbnail_status axis_init(
    axis *axis, const kernel *lanczos, double start, double length, int available, int count, int taps_step, double pixel,
    int factor) {
    const int *shares = factor == 2 || factor == 4 ? spread_of_factor[factor] : NULL;
    double step = length / count, scale = step > 1 ? step : 1, reach = 3 * scale + (shares ? 1.5 * pixel : 0);
    int most = (int)(2 * reach) + 2;
    if (most > available) most = available;
    axis->count = count;
    axis->taps = (most + taps_step - 1) / taps_step * taps_step;
    axis->first = malloc((size_t)count * sizeof *axis->first);
    axis->weights = calloc((size_t)count * (size_t)axis->taps, sizeof *axis->weights);
    double *exacts = malloc((AT_ONCE + 1) * (size_t)axis->taps * sizeof *exacts);
    if (!axis->first || !axis->weights || !exacts) {
        free(exacts);
        return WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_MEMORY;
    }
    const double shift = pixel / scale;
    int ends[AT_ONCE];
    kernel spread;
    if (shares) kernel_spread(&spread, lanczos, shares, shift);
    for (int index = 0; index < count; index++) {
        double center = start + (index + 0.5) * step;
        int first = (int)ceil(center - reach - 0.5), end = (int)floor(center + reach - 0.5) + 1;
        if (first < 0) first = 0;
        if (end > available) end = available;
        /* A result that starts between two samples at the picture's end still needs one. */
        if (first >= available) first = available - 1;
        if (end <= first) end = first + 1;
        if (end - first > most) end = first + most;
        double x = (first + 0.5 - center) / scale, *own = exacts + AT_ONCE * axis->taps;
        double *exact = exacts + index % AT_ONCE * axis->taps;
        for (int tap = 0; tap < end - first; tap++) exact[tap] = 0;
        /* At the picture's borders, the samples that are there stand for all, for each of the four pixels. */
        if (shares && (first == 0 || end == available))
            for (int part = 0; part < 4; part++)
                add_weights(lanczos, exact, own, end - first, x + (part - 1.5) * shift, 1 / scale, shares[part] / 8.0);
        else
            add_weights(shares ? &spread : lanczos, exact, own, end - first, x, 1 / scale, 1);
        axis->first[index] = first;
        int place = index % AT_ONCE;
        ends[place] = end - first;
        if (place == AT_ONCE - 1 || index == count - 1)
            round_weights(exacts, ends, place + 1, axis->taps, axis->weights + (size_t)(index - place) * (size_t)axis->taps);
    }
    free(exacts);
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

static void axis_free(axis *axis) {
    free(axis->first);
    free(axis->weights);
}

/* Adds `taps` rows. `taps` is even; the weight of a row that does not exist is 0. */
static void sum_rows(
    const int16_t *const *rows, const int16_t *weights, int taps, size_t width, int is_vectorized, int16_t *target) {
    const int shift = WEIGHT_BITS + PLANE_BITS - POINT_BITS, half = 1 << (shift - 1);
    size_t x = 0;
#if HAS_AVX2_CODE
    if (is_vectorized) x = webimage_jt_sum_rows_avx2(rows, weights, taps, width, target);
#else
    (void)is_vectorized;
#endif
#if defined(__SSE2__)
    for (; x + 8 <= width; x += 8) {
        __m128i low = _mm_set1_epi32(half), high = low;
        for (int tap = 0; tap < taps; tap += 2) {
            __m128i a = _mm_loadu_si128((const __m128i *)(rows[tap] + x));
            __m128i b = _mm_loadu_si128((const __m128i *)(rows[tap + 1] + x));
            __m128i factors = _mm_set1_epi32((int32_t)((uint32_t)(uint16_t)weights[tap + 1] << 16 | (uint16_t)weights[tap]));
            low = _mm_add_epi32(low, _mm_madd_epi16(_mm_unpacklo_epi16(a, b), factors));
            high = _mm_add_epi32(high, _mm_madd_epi16(_mm_unpackhi_epi16(a, b), factors));
        }
        _mm_storeu_si128(
            (__m128i *)(target + x), _mm_packs_epi32(_mm_srai_epi32(low, shift), _mm_srai_epi32(high, shift)));
    }
#endif
    for (; x < width; x++) {
        int32_t sum = half;
        for (int tap = 0; tap < taps; tap++) sum += weights[tap] * rows[tap][x];
        sum >>= shift;
        target[x] = (int16_t)(sum < -32768 ? -32768 : sum > 32767 ? 32767 : sum);
    }
}

/* Scales a row. `source` has zeros behind its end. */
static void sum_columns(const int16_t *source, const axis *axis, int is_vectorized, int16_t *target) {
    const int half = 1 << (WEIGHT_BITS - 1);
    int index = 0;
#if HAS_AVX2_CODE
    if (is_vectorized) index = webimage_jt_sum_columns_avx2(source, axis, target);
#else
    (void)is_vectorized;
#endif
    for (; index < axis->count; index++) {
        const int16_t *samples = source + axis->first[index];
        const int16_t *weights = axis->weights + (size_t)index * (size_t)axis->taps;
        int32_t sum = half;
#if defined(__SSE2__)
        __m128i sums = _mm_setzero_si128();
        for (int tap = 0; tap < axis->taps; tap += 8)
            sums = _mm_add_epi32(
                sums, _mm_madd_epi16(_mm_loadu_si128((const __m128i *)(samples + tap)),
                                     _mm_loadu_si128((const __m128i *)(weights + tap))));
        sums = _mm_add_epi32(sums, _mm_shuffle_epi32(sums, 0x4e));
        sums = _mm_add_epi32(sums, _mm_shuffle_epi32(sums, 0xb1));
        sum += _mm_cvtsi128_si32(sums);
#else
        for (int tap = 0; tap < axis->taps; tap++) sum += weights[tap] * samples[tap];
#endif
        sum >>= WEIGHT_BITS;
        target[index] = (int16_t)(sum < -32768 ? -32768 : sum > 32767 ? 32767 : sum);
    }
}

/* A plane and its way to the output. */
typedef struct {
    const component *component;
    int horizontal, vertical, side; /* of the component; those of the largest one if all planes have the same resolution */
    int width, height; /* the samples that belong to the picture */
    const axis *across, *down;
    axis own_across, own_down;
    const int16_t **rows;
    int16_t *summed, *scaled;
} scaling;

/* Makes the weights of a plane, or takes those of the plane before it if both are alike, as Cb and Cr are. */
static webimage_jpeg_thumbnail_status make_axes(
    scaling *scaling, const decoder *decoder, const kernel *kernel, int is_first) {
    const webimage_jpeg_thumbnail_request *request = decoder->request;
    const webimage_jpeg_thumbnail_planes *planes = request->planes;
    if (!is_first && scaling[-1].horizontal == scaling->horizontal && scaling[-1].vertical == scaling->vertical
        && scaling[-1].side == scaling->side) {
        scaling->across = scaling[-1].across;
        scaling->down = scaling[-1].down;
        return WEBIMAGE_JPEG_THUMBNAIL_OK;
    }
    double across = (double)scaling->horizontal * scaling->side / (decoder->max_horizontal * 8.0);
    double down = (double)scaling->vertical * scaling->side / (decoder->max_vertical * 8.0);
    scaling->across = &scaling->own_across;
    scaling->down = &scaling->own_down;
    webimage_jpeg_thumbnail_status status = axis_init(
        &scaling->own_across, kernel, planes->x * across, planes->width * across, scaling->width, request->width, TAPS_STEP, across,
        decoder->max_horizontal / scaling->horizontal);
    if (status) return status;
    return axis_init(
        &scaling->own_down, kernel, planes->y * down, planes->height * down, scaling->height, request->height, 2, down,
        decoder->max_vertical / scaling->vertical);
}

struct resampling {
    scaling scalings[MAX_COMPONENTS];
    int count;
    int next;       /* the first row of the output that is still missing */
    int multiplied; /* the rows of the planes that are colours; before, they are inks */
};

static webimage_jpeg_thumbnail_status scaling_init(
    scaling *scaling, const decoder *decoder, const kernel *kernel, int index) {
    const component *component = &decoder->components[index];
    const int is_ink = decoder->component_count == 4;
    scaling->component = component;
    scaling->horizontal = is_ink ? decoder->max_horizontal : component->horizontal;
    scaling->vertical = is_ink ? decoder->max_vertical : component->vertical;
    scaling->side = is_ink ? decoder->request->planes->side : component->side;
    scaling->width = plane_length(decoder->width, scaling->horizontal, decoder->max_horizontal, scaling->side);
    scaling->height = plane_length(decoder->height, scaling->vertical, decoder->max_vertical, scaling->side);
    webimage_jpeg_thumbnail_status status = make_axes(scaling, decoder, kernel, index == 0);
    if (status) return status;
    scaling->rows = malloc((size_t)scaling->down->taps * sizeof *scaling->rows);
    /* Whole rows are summed, also what is behind the picture: a row is whole vectors. */
    scaling->summed = calloc(component->stride / sizeof(int16_t) + (size_t)scaling->across->taps, sizeof *scaling->summed);
    scaling->scaled = malloc((size_t)decoder->request->width * sizeof *scaling->scaled);
    return scaling->rows && scaling->summed && scaling->scaled ? WEBIMAGE_JPEG_THUMBNAIL_OK
                                                               : WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_MEMORY;
}

static void scaling_free(scaling *scaling) {
    axis_free(&scaling->own_across);
    axis_free(&scaling->own_down);
    free(scaling->rows);
    free(scaling->summed);
    free(scaling->scaled);
}

static void scale_row(scaling *scaling, int y, int is_vectorized) {
    const axis *down = scaling->down;
    const component *component = scaling->component;
    const int16_t *weights = down->weights + (size_t)y * (size_t)down->taps;
    for (int tap = 0; tap < down->taps; tap++) {
        int row = (down->first[y] + (weights[tap] == 0 ? 0 : tap)) % component->rows;
        scaling->rows[tap] = (const int16_t *)(const void *)(component->samples + (size_t)row * component->stride);
    }
    sum_rows(scaling->rows, weights, down->taps, component->stride / sizeof(int16_t), is_vectorized, scaling->summed);
    sum_columns(scaling->summed, scaling->across, is_vectorized, scaling->scaled);
}

static inline uint8_t clamped(int value) { return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value); }

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

static void write_row(const decoder *decoder, const int16_t *const rows[3], uint8_t *target) {
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

/* Writes the samples of one component, rounded. */
static webimage_jpeg_thumbnail_status copy_plane(const decoder *decoder, const component *component) {
    const webimage_jpeg_thumbnail_request *request = decoder->request;
    if (request->width > component->padded_wide * component->side
        || request->height > component->padded_high * component->side)
        return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
    for (int y = 0; y < request->height; y++) {
        const int16_t *samples = (const int16_t *)(const void *)(component->samples + (size_t)y * component->stride);
        for (int x = 0; x < request->width; x++)
            request->pixels[(size_t)y * request->stride + (size_t)x] =
                clamped((samples[x] + (1 << (PLANE_BITS - 1))) >> PLANE_BITS);
    }
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

static webimage_jpeg_thumbnail_status start(decoder *decoder) {
    resampling *resampling = decoder->resampling = calloc(1, sizeof *resampling);
    if (!resampling) return WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_MEMORY;
    kernel kernel;
    kernel_init(&kernel);
    int count = decoder->component_count;
    resampling->count = decoder->request->format == WEBIMAGE_JPEG_THUMBNAIL_GRAY ? 1 : count < 3 ? count : 3;
    for (int index = 0; index < resampling->count; index++) {
        webimage_jpeg_thumbnail_status status = scaling_init(&resampling->scalings[index], decoder, &kernel, index);
        if (status) return status;
    }
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

/* The first row of MCUs that a row of the output needs, and the first one that it does not need. */
static void find_mcus(const decoder *decoder, int y, int *first, int *end) {
    const resampling *resampling = decoder->resampling;
    *first = decoder->mcus_high;
    *end = 0;
    for (int index = 0; index < resampling->count; index++) {
        const scaling *scaling = &resampling->scalings[index];
        int rows = rows_of_mcu(decoder, scaling->component), from = scaling->down->first[y], to = from + scaling->down->taps;
        if (to > scaling->height) to = scaling->height;
        if (from / rows < *first) *first = from / rows;
        if ((to + rows - 1) / rows > *end) *end = (to + rows - 1) / rows;
    }
}

webimage_jpeg_thumbnail_status webimage_jt_resample_early(decoder *decoder) {
    if (decoder->is_progressive || decoder->scan_components < decoder->component_count || decoder->strips
        || decoder->request->planes->component != 0 || decoder->request->format == WEBIMAGE_JPEG_THUMBNAIL_CMYK)
        return WEBIMAGE_JPEG_THUMBNAIL_OK;
    webimage_jpeg_thumbnail_status status = start(decoder);
    if (status) return status;
    /* While a row of MCUs is decoded, the rows of the output that need it have not been written. */
    int kept = 1;
    for (int y = 0; y < decoder->request->height; y++) {
        int first, end;
        find_mcus(decoder, y, &first, &end);
        if (end - first > kept) kept = end - first;
    }
    for (int index = 0; index < decoder->component_count; index++) {
        component *component = &decoder->components[index];
        component->rows = kept * rows_of_mcu(decoder, component);
    }
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

/* All planes of inks have the same rows. */
static void multiply_rows(const decoder *decoder, size_t mcu_rows) {
    resampling *resampling = decoder->resampling;
    const scaling *scaling = resampling->scalings;
    size_t height = (size_t)scaling->height, in_mcu = (size_t)rows_of_mcu(decoder, scaling->component);
    int end = (int)(mcu_rows <= height / in_mcu ? mcu_rows * in_mcu : height);
    webimage_jt_multiply_inks(decoder, resampling->multiplied, end);
    resampling->multiplied = end;
}

webimage_jpeg_thumbnail_status webimage_jt_resample_rows(decoder *decoder, size_t mcu_rows) {
    resampling *resampling = decoder->resampling;
    if (!resampling) return WEBIMAGE_JPEG_THUMBNAIL_OK;
    if (decoder->component_count == 4) multiply_rows(decoder, mcu_rows);
    const webimage_jpeg_thumbnail_request *request = decoder->request;
    const int16_t *rows[3];
    for (int index = 0; index < 3; index++)
        rows[index] = resampling->scalings[index < resampling->count ? index : 0].scaled;
    for (; resampling->next < request->height; resampling->next++) {
        int y = resampling->next, first, end;
        find_mcus(decoder, y, &first, &end);
        if ((size_t)end > mcu_rows) return WEBIMAGE_JPEG_THUMBNAIL_OK;
        for (int index = 0; index < resampling->count; index++)
            scale_row(&resampling->scalings[index], y, webimage_jt_has_avx2(request->planes));
        write_row(decoder, rows, request->pixels + (size_t)y * request->stride);
        if (y % 16 == 0 && webimage_jt_is_late(decoder)) return WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_TIME;
    }
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

webimage_jpeg_thumbnail_status webimage_jt_resample(decoder *decoder) {
    int wanted = decoder->request->planes->component;
    if (wanted > decoder->component_count) return WEBIMAGE_JPEG_THUMBNAIL_COLOR;
    if (wanted > 0) return copy_plane(decoder, &decoder->components[wanted - 1]);
    webimage_jpeg_thumbnail_status status = decoder->resampling ? WEBIMAGE_JPEG_THUMBNAIL_OK : start(decoder);
    return status ? status : webimage_jt_resample_rows(decoder, SIZE_MAX);
}

void webimage_jt_resample_free(decoder *decoder) {
    if (!decoder->resampling) return;
    for (int index = 0; index < MAX_COMPONENTS; index++) scaling_free(&decoder->resampling->scalings[index]);
    free(decoder->resampling);
}
