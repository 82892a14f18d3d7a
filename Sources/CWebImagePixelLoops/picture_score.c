#include "CWebImagePixelLoops.h"
#include "vectors.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* SSIMULACRA 2 (Jon Sneyers, Cloudinary, 2022 to 2023; version 2.1): structural similarity at six scales in the XYB colour space,
   with maps of new and lost edges. Constants, weights and the form of the score are those of the published metric
   (github.com/cloudinary/ssimulacra2, tools of libjxl); the borders follow the package ssimulacra2 0.3.0 for Python. */

enum { SCALES = 6, CHANNELS = 3, MAPS = 3, NORMS = 2, LEAST_SIDE = 8, RADIUS = 5, TAPS = 2 * RADIUS + 1, MARGIN = 8 };

/* For each channel (X, Y, B), scale, and norm (mean, fourth root of the mean fourth power): the weights of the similarity, of edges
   that are new, and of edges that are lost. */
static const double weights[CHANNELS * SCALES * NORMS * MAPS] = {
    0, 0.0007376606707406586, 0, 0, 0.0007793481682867309, 0, 0, 0.0004371155730107379, 0, 1.1041726426657346,
    0.00066284834129271, 0.00015231632783718752, 0, 0.0016406437456599754, 0, 1.8422455520539298, 11.441172603757666,
    0, 0.0007989109436015163, 0.000176816438078653, 0, 1.8787594979546387, 10.94906990605142, 0,
    0.0007289346991508072, 0.9677937080626833, 0, 0.00014003424285435884, 0.9981766977854967, 0.00031949755934435053,
    0.0004550992113792063, 0, 0, 0.0013648766163243398, 0, 0, 0, 0, 0, 7.466890328078848, 0, 17.445833984131262,
    0.0006235601634041466, 0, 0, 6.683678146179332, 0.00037724407979611296, 1.027889937768264, 225.20515300849274, 0,
    0, 19.213238186143016, 0.0011401524586618361, 0.001237755635509985, 176.39317598450694, 0, 0, 24.43300999870476,
    0.28520802612117757, 0.0004485436923833408, 0, 0, 0, 34.77906344483772, 44.835625328877896, 0, 0, 0, 0, 0, 0, 0,
    0, 0.0008680556573291698, 0, 0, 0, 0, 0, 0.0005313191874358747, 0, 0.00016533814161379112, 0, 0, 0, 0, 0,
    0.0004179171803251336, 0.0017290828234722833, 0, 0.0020827005846636437, 0, 0, 8.826982764996862,
    23.19243343998926, 0, 95.1080498811086, 0.9863978034400682, 0.9834382792465353, 0.0012286405048278493,
    171.2667255897307, 0.9807858872435379, 0, 0, 0, 0.0005130064588990679, 0, 0.00010854057858411537,
};

/* Maps with less weight are not computed: they change a score by less than 0.1 points, and are more than half of the samples. The
   least weight above is 0.28. */
static const double least_weight = 0.01;

/* The half of a Gaussian with a deviation of 1.5, from its middle. The sum of all taps is 1. */
static const float taps[RADIUS + 1] = {0.266011725f, 0.213005538f, 0.10936069f, 0.0360007721f, 0.00759875814f, 0.00102838008f};

static const float stabiliser = 0.0009f, bias = 0.0037930732552754493f, bias_root = 0.155954201f;
static const float absorbances[CHANNELS][3] = {
    {0.30f, 0.622f, 0.078f},
    {0.23f, 0.692f, 0.078f},
    {0.24342268924547819f, 0.20476744424496821f, 0.55180986650955360f},
};

typedef struct {
    void (*convert_row)(const float *const *, float *const *, size_t, size_t);
    void (*halve_row)(const float *, const float *, float *, size_t);
    void (*blur_across)(const float *, float *, size_t);
    void (*multiply_rows)(const float *, const float *, float *, float *, size_t);
    void (*blur_down)(const float *const *, float *, size_t);
    void (*compare_row)(
        const float *const *, const float *, const float *, const float *, size_t, size_t, double *);
} loops;

#define FOR_SET
#define NAMED(name) name##_portable
#include "picture_score_rows.h"
#undef FOR_SET
#undef NAMED

static const loops portable_loops = {
    convert_row_portable, halve_row_portable, blur_across_portable, multiply_rows_portable, blur_down_portable,
    compare_row_portable,
};

#if defined(__x86_64__)
#define FOR_SET __attribute__((target("avx2")))
#define NAMED(name) name##_wide
#include "picture_score_rows.h"

static const loops wide_loops = {
    convert_row_wide, halve_row_wide, blur_across_wide, multiply_rows_wide, blur_down_wide, compare_row_wide,
};
#endif

static const loops *loops_for(int instructions) {
#if defined(__x86_64__)
    if (instructions >= WEBIMAGE_INSTRUCTIONS_WIDE) return &wide_loops;
#endif
    (void)instructions;
    return &portable_loops;
}

/* One scale of a picture. Channels without weight have no samples. A row begins at a multiple of 8 samples, after and before at
   least RADIUS zeros. */
typedef struct {
    size_t width, height, stride;
    float *channels[CHANNELS];
} plane_set;

typedef struct {
    int count;
    plane_set scales[SCALES];
} pyramid;

struct webimage_scored_original {
    const loops *loops;
    size_t width, height;
    webimage_score_range scales;
    pyramid samples, blurred;
    /* Of the picture that is compared. Kept for the next one: to get the memory anew takes as long as a third of the work. */
    pyramid distorted;
    plane_set light[2];
    float *space;
};

static size_t stride_for(size_t width) { return (width + RADIUS + 7) / 8 * 8; }

/* Planes that exist are kept: they have the size, or more memory than it needs. */
static bool make_planes(plane_set *planes, size_t width, size_t height, unsigned channels) {
    planes->width = width;
    planes->height = height;
    planes->stride = stride_for(width);
    for (int channel = 0; channel < CHANNELS; channel++) {
        if (!(channels >> channel & 1) || planes->channels[channel]) continue;
        planes->channels[channel] = calloc(planes->stride * height + 2 * MARGIN, sizeof(float));
        if (!planes->channels[channel]) return false;
        planes->channels[channel] += MARGIN;
    }
    return true;
}

static void free_planes(plane_set *planes) {
    for (int channel = 0; channel < CHANNELS; channel++)
        if (planes->channels[channel]) free(planes->channels[channel] - MARGIN);
    memset(planes, 0, sizeof *planes);
}

static void free_pyramid(pyramid *pyramid) {
    for (int scale = 0; scale < SCALES; scale++) free_planes(&pyramid->scales[scale]);
}

int webimage_score_scales(size_t width, size_t height) {
    int count = 0;
    for (; count < SCALES && width >= LEAST_SIDE && height >= LEAST_SIDE; count++) {
        width = (width + 1) / 2;
        height = (height + 1) / 2;
    }
    return count;
}

/* The weights of a channel at a scale. A small picture has fewer scales; the weights then move up, as in the published metric. */
static const double *weights_of(int channel, int scale, int count) {
    return weights + (channel * count + scale) * NORMS * MAPS;
}

/* A bit for each channel whose samples are compared at a scale. */
static unsigned channels_at(int scale, webimage_score_range scales) {
    unsigned channels = 0;
    if (scale < scales.first) return 0;
    for (int channel = 0; channel < CHANNELS; channel++)
        for (int index = 0; index < NORMS * MAPS; index++)
            if (weights_of(channel, scale, scales.count)[index] >= least_weight) channels |= 1u << channel;
    return channels;
}

/* sRGB (IEC 61966-2-1), as values from 0 to 1. */
static void fill_linear(float *table) {
    for (int value = 0; value < 256; value++) {
        double stored = value / 255.0;
        table[value] = (float)(stored <= 0.04045 ? stored / 12.92 : pow((stored + 0.055) / 1.055, 2.4));
    }
}

static void read_row(const webimage_scored_picture *picture, size_t y, const float *table, float *const *targets) {
    const uint8_t *row = picture->rows + y * picture->stride;
    for (int channel = 0; channel < CHANNELS; channel++) {
        const uint8_t *source = row + picture->offsets[channel];
        float *target = targets[channel];
        for (size_t x = 0; x < picture->width; x++) target[x] = table[source[x * picture->step]];
    }
}

/* Makes the scales of a picture. The light of a scale is made row by row with the samples of the scale before; at full size it is
   never kept. */
static bool make_pyramid(webimage_scored_original *original, const webimage_scored_picture *picture, pyramid *result) {
    const size_t padded = stride_for(picture->width);
    const loops *loops = original->loops;
    float table[256];
    fill_linear(table);
    float *lines = calloc(2 * CHANNELS * padded, sizeof(float));
    bool is_made = lines != NULL;
    size_t width = picture->width, height = picture->height;
    result->count = original->scales.end;
    for (int scale = 0; scale < result->count && is_made; scale++) {
        plane_set *now = &result->scales[scale];
        const plane_set *light = &original->light[scale % 2];
        plane_set *next = &original->light[(scale + 1) % 2];
        const bool has_next = scale + 1 < result->count;
        is_made = make_planes(now, width, height, channels_at(scale, original->scales))
            && (!has_next || make_planes(next, (width + 1) / 2, (height + 1) / 2, 7));
        for (size_t y = 0; y < height && is_made; y += 2) {
            float *sources[2][CHANNELS];
            for (size_t row = 0; row < 2; row++) {
                /* The last row of an odd height counts twice. */
                const size_t place = y + row < height ? y + row : y;
                for (int channel = 0; channel < CHANNELS; channel++)
                    sources[row][channel] = scale ? light->channels[channel] + place * light->stride
                                                  : lines + (row * CHANNELS + (size_t)channel) * padded;
                if (!scale) read_row(picture, place, table, sources[row]);
                float *targets[CHANNELS] = {0};
                bool is_needed = false;
                for (int channel = 0; channel < CHANNELS; channel++) {
                    if (!now->channels[channel]) continue;
                    targets[channel] = now->channels[channel] + place * now->stride;
                    is_needed = true;
                }
                if (is_needed && place == y + row)
                    loops->convert_row((const float *const *)sources[row], targets, width, now->stride);
            }
            for (int channel = 0; channel < CHANNELS && has_next; channel++)
                loops->halve_row(
                    sources[0][channel], sources[1][channel], next->channels[channel] + y / 2 * next->stride, width);
        }
        width = (width + 1) / 2;
        height = (height + 1) / 2;
    }
    free(lines);
    return is_made;
}

/* The row at a place that can be outside: rows are mirrored at the upper and the lower edge. */
static size_t mirrored(ptrdiff_t row, size_t height) {
    ptrdiff_t last = (ptrdiff_t)height - 1;
    while (row < 0 || row > last) row = row < 0 ? -1 - row : 2 * last + 1 - row;
    return (size_t)row;
}

/* The rows of a ring around a row. A row is at its number modulo TAPS. */
static void rows_around(size_t y, size_t height, const float *ring, size_t line, const float **rows) {
    for (int tap = 0; tap < TAPS; tap++) rows[tap] = ring + mirrored((ptrdiff_t)y + tap - RADIUS, height) % TAPS * line;
}

static bool blur_scale(const plane_set *planes, const loops *loops, plane_set *result) {
    unsigned channels = 0;
    for (int channel = 0; channel < CHANNELS; channel++)
        if (planes->channels[channel]) channels |= 1u << channel;
    float *ring = calloc(TAPS * planes->stride, sizeof(float));
    if (!ring) return false;
    bool is_made = make_planes(result, planes->width, planes->height, channels);
    for (int channel = 0; channel < CHANNELS && is_made; channel++) {
        if (!planes->channels[channel]) continue;
        size_t done = 0;
        for (size_t y = 0; y < planes->height; y++) {
            for (; done < planes->height && done <= y + RADIUS; done++)
                loops->blur_across(
                    planes->channels[channel] + done * planes->stride, ring + done % TAPS * planes->stride, planes->stride);
            const float *rows[TAPS];
            rows_around(y, planes->height, ring, planes->stride, rows);
            loops->blur_down(rows, result->channels[channel] + y * planes->stride, planes->stride);
        }
    }
    free(ring);
    return is_made;
}

/* Compares a channel at a scale. The sums of the three maps and of their fourth powers are added to `sums`. */
static void compare_channel(
    const plane_set *first, const plane_set *blurred, const plane_set *second, int channel, const loops *loops, float *space,
    double *sums) {
    const size_t padded = first->stride, height = first->height, line = 3 * padded;
    float *squares = space + MARGIN, *products = squares + padded + MARGIN, *ring = products + padded + MARGIN;
    size_t done = 0;
    for (size_t y = 0; y < height; y++) {
        for (; done < height && done <= y + RADIUS; done++) {
            const float *b = second->channels[channel] + done * padded;
            float *target = ring + done % TAPS * line;
            loops->multiply_rows(first->channels[channel] + done * padded, b, squares, products, padded);
            loops->blur_across(b, target, padded);
            loops->blur_across(squares, target + padded, padded);
            loops->blur_across(products, target + 2 * padded, padded);
        }
        const float *rows[TAPS];
        rows_around(y, height, ring, line, rows);
        loops->compare_row(
            rows, first->channels[channel] + y * padded, second->channels[channel] + y * padded,
            blurred->channels[channel] + y * padded, first->width, padded, sums);
    }
}

/* The weighted sum of all maps of the scales before `end`. */
static double compare(const webimage_scored_original *original, int end) {
    const pyramid *samples = &original->samples;
    double result = 0;
    for (int scale = 0; scale < samples->count && scale < end; scale++)
        for (int channel = 0; channel < CHANNELS; channel++) {
            const plane_set *first = &samples->scales[scale];
            if (!first->channels[channel]) continue;
            /* What a wider scale left is not zero beside the rows. */
            memset(original->space, 0, (2 * first->stride + 3 * MARGIN) * sizeof(float));
            double sums[MAPS * NORMS] = {0};
            compare_channel(
                first, &original->blurred.scales[scale], &original->distorted.scales[scale], channel, original->loops,
                original->space, sums);
            const double count = (double)first->width * (double)first->height;
            const double *weight = weights_of(channel, scale, original->scales.count);
            for (int map = 0; map < MAPS; map++) {
                result += weight[map] * fabs(sums[NORMS * map] / count);
                result += weight[MAPS + map] * sqrt(sqrt(sums[NORMS * map + 1] / count));
            }
        }
    return result;
}

webimage_scored_original *webimage_scored_original_make(
    const webimage_scored_picture *picture, webimage_score_range scales, int instructions) {
    webimage_scored_original *result = calloc(1, sizeof *result);
    if (!result) return NULL;
    result->loops = loops_for(instructions);
    result->width = picture->width;
    result->height = picture->height;
    result->scales = scales;
    bool is_made = make_pyramid(result, picture, &result->samples);
    for (int scale = 0; scale < result->samples.count && is_made; scale++)
        is_made = blur_scale(&result->samples.scales[scale], result->loops, &result->blurred.scales[scale]);
    result->space = calloc((3 * TAPS + 2) * stride_for(picture->width) + 4 * MARGIN, sizeof(float));
    if (is_made && result->space) return result;
    webimage_scored_original_free(result);
    return NULL;
}

void webimage_scored_original_free(webimage_scored_original *original) {
    if (!original) return;
    free_pyramid(&original->samples);
    free_pyramid(&original->blurred);
    free_pyramid(&original->distorted);
    for (int index = 0; index < 2; index++) free_planes(&original->light[index]);
    free(original->space);
    free(original);
}

double webimage_picture_loss(webimage_scored_original *original, const webimage_scored_picture *distorted, int end) {
    if (original->width != distorted->width || original->height != distorted->height) return NAN;
    if (!make_pyramid(original, distorted, &original->distorted)) return NAN;
    return compare(original, end);
}

double webimage_score_of_loss(double loss) {
    double sum = 0.9562382616834844 * loss;
    sum = 2.326765642916932 * sum - 0.020884521182843837 * sum * sum + 6.248496625763138e-05 * sum * sum * sum;
    return sum > 0 ? 100 - 10 * pow(sum, 0.6276336467831387) : isnan(loss) ? NAN : 100;
}
