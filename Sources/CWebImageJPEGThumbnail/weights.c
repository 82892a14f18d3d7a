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

void webimage_jt_axis_free(axis *axis) {
    free(axis->first);
    free(axis->weights);
}
