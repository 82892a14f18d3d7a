#include "resample.h"

#include <math.h>
#include <stdlib.h>

/* The weights of a Lanczos filter, for samples that a complete decode would spread over several pixels. */

/* A picture's pixels for each sample of its chroma, in one direction, as libjpeg-turbo's complete decode makes them: a pixel
   is 3/4 of the nearer sample and 1/4 of the farther one, or the nearest of four. So a sample is spread over four pixels.
   Results of planes would be sharper in chroma than those of a complete decode, which is visible up to a third of a
   picture. The weights are eighths. */
static const int spread_of_factor[5][4] = {[2] = {1, 3, 3, 1}, [4] = {2, 2, 2, 2}};

void webimage_jt_kernel_init(kernel *kernel) {
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

/* The sample that stands for one outside of the picture: its mirror image at the border. zimg, which scales all other pictures, does
   the same, so that a thumbnail's border does not depend on the decoder. */
static inline int mirrored(int place, int available) {
    if (place < 0) place = -1 - place;
    if (place >= available) place = 2 * available - 1 - place;
    return place < 0 ? 0 : place;
}

/* Makes the weights of the samples from `first` to `end`, whose sum is 1. `weights` begins with the sample `start`, and is 0. */
static void add_weights(
    const kernel *kernel, double *weights, int start, int count, int first, int end, double center, double share, int available) {
    double sum = 0;
    for (int place = first; place < end; place++) {
        double weight = kernel_at(kernel, (place + 0.5 - center) * share);
        weights[mirrored(place, available) - start] += weight;
        sum += weight;
    }
    for (int tap = 0; tap < count; tap++) weights[tap] /= sum;
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

webimage_jpeg_thumbnail_status webimage_jt_axis_init(
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
    double *exacts = malloc(AT_ONCE * (size_t)axis->taps * sizeof *exacts);
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
        int from = (int)ceil(center - reach - 0.5), to = (int)floor(center + reach - 0.5) + 1;
        int first = from < 0 ? 0 : from, end = to > available ? available : to;
        /* The mirror images of samples outside can lie beyond the other samples. */
        if (from < 0 && -from > end) end = -from < available ? -from : available;
        if (to > available && 2 * available - to < first) first = 2 * available - to > 0 ? 2 * available - to : 0;
        double *exact = exacts + index % AT_ONCE * axis->taps;
        for (int tap = 0; tap < end - first; tap++) exact[tap] = 0;
        add_weights(shares ? &spread : lanczos, exact, first, end - first, from, to, center, 1 / scale, available);
        axis->first[index] = first;
        int place = index % AT_ONCE;
        ends[place] = end - first;
        if (place == AT_ONCE - 1 || index == count - 1)
            round_weights(exacts, ends, place + 1, axis->taps, axis->weights + (size_t)(index - place) * (size_t)axis->taps);
    }
    free(exacts);
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

void webimage_jt_axis_free(axis *axis) {
    free(axis->first);
    free(axis->weights);
}
