#include "CWebImagePixelLoops.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* SSIMULACRA 2 (Jon Sneyers, Cloudinary, 2022 to 2023; version 2.1): structural similarity at six scales in the XYB colour space,
   with maps of new and lost edges. Constants, weights and the form of the score are those of the published metric
   (github.com/cloudinary/ssimulacra2, tools of libjxl); the borders follow the package ssimulacra2 0.3.0 for Python. */

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
/* The sanitizer instruments the functions that choose a clone, which run before it has started. */
#define CLONES
#endif
#endif
#if defined(CLONES)
#elif defined(__x86_64__)
#define CLONES __attribute__((target_clones("avx2", "default")))
#else
#define CLONES
#endif

enum { SCALES = 6, CHANNELS = 3, MAPS = 3, NORMS = 2, LEAST_SIDE = 8, RADIUS = 5, TAPS = 2 * RADIUS + 1, SUMS = 4, MARGIN = 8 };

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

/* The half of a Gaussian with a deviation of 1.5, from its middle. The sum of all taps is 1. */
static const float taps[RADIUS + 1] = {0.266011725f, 0.213005538f, 0.10936069f, 0.0360007721f, 0.00759875814f, 0.00102838008f};

static const float stabiliser = 0.0009f;

typedef struct {
    size_t width, height, stride; /* in samples; rows begin at multiples of 8 */
    float *samples;               /* three planes */
} planes;

typedef struct {
    double similarity[CHANNELS][NORMS], added[CHANNELS][NORMS], lost[CHANNELS][NORMS];
} scale_sums;

static float *plane_of(const planes *planes, int channel) {
    return planes->samples + (size_t)channel * planes->stride * planes->height;
}

static bool make(planes *planes, size_t width, size_t height) {
    planes->width = width;
    planes->height = height;
    planes->stride = (width + 7) / 8 * 8;
    planes->samples = calloc(planes->stride * height * CHANNELS + MARGIN, sizeof(float));
    return planes->samples != NULL;
}

/* sRGB (IEC 61966-2-1), as values from 0 to 1. */
static void fill_linear(float *table) {
    for (int value = 0; value < 256; value++) {
        double stored = value / 255.0;
        table[value] = (float)(stored <= 0.04045 ? stored / 12.92 : pow((stored + 0.055) / 1.055, 2.4));
    }
}

static void read_linear(const webimage_scored_picture *picture, planes *linear, const float *table) {
    for (size_t y = 0; y < picture->height; y++) {
        const uint8_t *row = picture->rows + y * picture->stride;
        for (int channel = 0; channel < CHANNELS; channel++) {
            float *target = plane_of(linear, channel) + y * linear->stride;
            const uint8_t *source = row + picture->offsets[channel];
            for (size_t x = 0; x < picture->width; x++) target[x] = table[source[x * picture->step]];
        }
    }
}

/* A first guess from the bits of the number, and two steps of Halley's method: exact to the last bit but one. */
static inline float cube_root(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    /* Division by three, by a product in 32 bits: a vector has no division of whole numbers. */
    bits = (uint32_t)((float)bits * (1.0f / 3)) + 709921077u;
    float root;
    memcpy(&root, &bits, sizeof root);
    for (int step = 0; step < 2; step++) {
        float cube = root * root * root;
        root = root * (cube + 2 * value) / (2 * cube + value);
    }
    return root;
}

/* Converts light in place to XYB with the absorbances of libjxl, moved so that no sample is negative. */
CLONES static void convert_to_xyb(const planes *planes) {
    const float bias = 0.0037930732552754493f, root = 0.155954201f;
    const size_t count = planes->stride * planes->height;
    float *restrict first = plane_of(planes, 0), *restrict second = plane_of(planes, 1), *restrict third = plane_of(planes, 2);
    for (size_t i = 0; i < count; i++) {
        float red = first[i], green = second[i], blue = third[i];
        float l = cube_root(0.30f * red + 0.622f * green + 0.078f * blue + bias) - root;
        float m = cube_root(0.23f * red + 0.692f * green + 0.078f * blue + bias) - root;
        float s = cube_root(0.24342268924547819f * red + 0.20476744424496821f * green + 0.55180986650955360f * blue + bias)
            - root;
        float light = 0.5f * (l + m);
        first[i] = 0.5f * (l - m) * 14 + 0.42f;
        second[i] = light + 0.01f;
        third[i] = s - light + 0.55f;
    }
}

/* Means of 2x2 samples, of what is there of them at the edges. */
static void halve(const planes *from, planes *to) {
    for (int channel = 0; channel < CHANNELS; channel++)
        for (size_t y = 0; y < to->height; y++) {
            const float *first = plane_of(from, channel) + 2 * y * from->stride;
            const float *second = 2 * y + 1 < from->height ? first + from->stride : first;
            float *target = plane_of(to, channel) + y * to->stride;
            size_t whole = from->width / 2;
            for (size_t x = 0; x < whole; x++)
                target[x] = (first[2 * x] + first[2 * x + 1] + second[2 * x] + second[2 * x + 1]) * 0.25f;
            if (whole < to->width) target[whole] = (first[2 * whole] + second[2 * whole]) * 0.5f;
        }
}

/* Blurs a row of both pictures, of the square of their difference, and of their product. Samples outside of a row are 0. */
CLONES static void blur_row(const float *a, const float *b, size_t width, size_t padded, float *space, float *restrict target) {
    float *padded_rows[SUMS];
    for (int sum = 0; sum < SUMS; sum++) padded_rows[sum] = space + (size_t)sum * (padded + 2 * MARGIN) + MARGIN;
    float *restrict c = padded_rows[0], *restrict d = padded_rows[1], *restrict e = padded_rows[2], *restrict f = padded_rows[3];
    for (size_t x = 0; x < width; x++) {
        c[x] = a[x];
        d[x] = b[x];
        e[x] = (a[x] - b[x]) * (a[x] - b[x]);
        f[x] = a[x] * b[x];
    }
    for (int sum = 0; sum < SUMS; sum++) {
        const float *restrict from = padded_rows[sum];
        float *restrict to = target + (size_t)sum * padded;
        for (size_t x = 0; x < padded; x++) {
            float value = taps[0] * from[x];
            for (int tap = 1; tap <= RADIUS; tap++) value += taps[tap] * (from[x - tap] + from[x + tap]);
            to[x] = value;
        }
    }
}

/* Eight samples. Sums are kept in eight parts with every instruction set, so that scores do not depend on it. */
typedef float vector __attribute__((vector_size(32)));
typedef float loose_vector __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t mask __attribute__((vector_size(32)));

/* Macros, because a function with a vector as its argument has another form with each instruction set. A cast of a vector keeps
   its bits. */
#define LOAD(samples) ((vector)*(const loose_vector *)(samples))
#define WHERE(condition, value) ((vector)((condition) & (mask)(value)))
#define POSITIVE(value) WHERE((value) > 0, value)
#define MAGNITUDE(value) ((vector)((mask)(value) & INT32_MAX))

typedef struct {
    vector sums[MAPS * NORMS];
} row_sums;

CLONES static void compare_row(
    const float *const *rows, const float *a, const float *b, size_t width, size_t padded, row_sums *result) {
    const mask places = {0, 1, 2, 3, 4, 5, 6, 7};
    row_sums sums = *result;
    for (size_t x = 0; x < width; x += 8) {
        vector blurred[SUMS];
        for (int sum = 0; sum < SUMS; sum++) {
            size_t at = (size_t)sum * padded + x;
            blurred[sum] = taps[0] * LOAD(rows[RADIUS] + at);
            for (int tap = 1; tap <= RADIUS; tap++)
                blurred[sum] += taps[tap] * (LOAD(rows[RADIUS - tap] + at) + LOAD(rows[RADIUS + tap] + at));
        }
        vector m1 = blurred[0], m2 = blurred[1], difference = m1 - m2;
        /* The published form is 1 - (1 - d^2) (2 s12 + c) / (s11 + s22 + c). This is the same number without the difference of
           nearly equal ones, so that equal pictures have exactly 0. */
        vector square_difference = difference * difference, variance = blurred[2] - square_difference;
        vector covariance = 2 * (blurred[3] - m1 * m2) + stabiliser;
        vector similarity = (variance + square_difference * covariance) / (variance + covariance);
        vector edges = (1 + MAGNITUDE(LOAD(b + x) - m2)) / (1 + MAGNITUDE(LOAD(a + x) - m1)) - 1;
        const mask is_inside = places < (int32_t)(width - x);
        vector maps[MAPS] = {POSITIVE(similarity), POSITIVE(edges), POSITIVE(-edges)};
        for (int map = 0; map < MAPS; map++) {
            vector value = WHERE(is_inside, maps[map]), square = value * value;
            sums.sums[NORMS * map] += value;
            sums.sums[NORMS * map + 1] += square * square;
        }
    }
    *result = sums;
}

/* The row at a place that can be outside: rows are mirrored at the upper and the lower edge. */
static size_t mirrored(ptrdiff_t row, size_t height) {
    ptrdiff_t last = (ptrdiff_t)height - 1;
    while (row < 0 || row > last) row = row < 0 ? -1 - row : 2 * last + 1 - row;
    return (size_t)row;
}

static bool compare_scale(const planes *first, const planes *second, scale_sums *result) {
    const size_t padded = first->stride, height = first->height, line = SUMS * padded;
    float *space = calloc(SUMS * (padded + 2 * MARGIN) + TAPS * line, sizeof(float));
    if (!space) return false;
    float *ring = space + SUMS * (padded + 2 * MARGIN);
    for (int channel = 0; channel < CHANNELS; channel++) {
        double sums[6] = {0};
        size_t done = 0; /* rows in the ring so far; a row is at its number modulo TAPS */
        for (size_t y = 0; y < height; y++) {
            for (; done < height && done <= y + RADIUS; done++)
                blur_row(
                    plane_of(first, channel) + done * padded, plane_of(second, channel) + done * padded, first->width, padded,
                    space, ring + done % TAPS * line);
            const float *rows[TAPS];
            for (int tap = 0; tap < TAPS; tap++)
                rows[tap] = ring + mirrored((ptrdiff_t)y + tap - RADIUS, height) % TAPS * line;
            row_sums row;
            memset(&row, 0, sizeof row);
            compare_row(
                rows, plane_of(first, channel) + y * padded, plane_of(second, channel) + y * padded, first->width, padded, &row);
            for (int sum = 0; sum < 6; sum++)
                for (int part = 0; part < 8; part++) sums[sum] += row.sums[sum][part];
        }
        const double count = (double)first->width * (double)height;
        double (*maps[MAPS])[NORMS] = {&result->similarity[channel], &result->added[channel], &result->lost[channel]};
        for (int map = 0; map < MAPS; map++) {
            (*maps[map])[0] = sums[2 * map] / count;
            (*maps[map])[1] = sqrt(sqrt(sums[2 * map + 1] / count));
        }
    }
    free(space);
    return true;
}

static double score(const scale_sums *scales, int count) {
    double sum = 0;
    const double *weight = weights;
    /* A small picture has fewer scales; the weights then move up, as in the published metric. */
    for (int channel = 0; channel < CHANNELS; channel++)
        for (int scale = 0; scale < count; scale++)
            for (int norm = 0; norm < NORMS; norm++) {
                sum += *weight++ * fabs(scales[scale].similarity[channel][norm]);
                sum += *weight++ * fabs(scales[scale].added[channel][norm]);
                sum += *weight++ * fabs(scales[scale].lost[channel][norm]);
            }
    sum *= 0.9562382616834844;
    sum = 2.326765642916932 * sum - 0.020884521182843837 * sum * sum + 6.248496625763138e-05 * sum * sum * sum;
    return sum > 0 ? 100 - 10 * pow(sum, 0.6276336467831387) : 100;
}

double webimage_picture_score(const webimage_scored_picture *original, const webimage_scored_picture *distorted) {
    const webimage_scored_picture *pictures[2] = {original, distorted};
    planes now[2] = {{0}}, next[2] = {{0}};
    scale_sums scales[SCALES];
    float table[256];
    double result = NAN;
    int count = 0;
    bool is_done = original->width == distorted->width && original->height == distorted->height;
    fill_linear(table);
    for (int index = 0; index < 2 && is_done; index++) {
        is_done = make(&now[index], original->width, original->height);
        if (is_done) read_linear(pictures[index], &now[index], table);
    }
    while (is_done && count < SCALES && now[0].width >= LEAST_SIDE && now[0].height >= LEAST_SIDE) {
        /* The light of the next scale is made first. Then this scale needs no second copy for XYB. */
        for (int index = 0; index < 2 && is_done; index++) {
            is_done = make(&next[index], (now[index].width + 1) / 2, (now[index].height + 1) / 2);
            if (!is_done) break;
            halve(&now[index], &next[index]);
            convert_to_xyb(&now[index]);
        }
        is_done = is_done && compare_scale(&now[0], &now[1], &scales[count++]);
        for (int index = 0; index < 2; index++) {
            free(now[index].samples);
            now[index] = next[index];
            next[index].samples = NULL;
        }
    }
    if (is_done) result = score(scales, count);
    for (int index = 0; index < 2; index++) free(now[index].samples);
    return result;
}
