#ifndef RESAMPLE_H
#define RESAMPLE_H

#include "thumbnail.h"

/* The parts of the scaling. resample.c uses them in this order: weights.c, sums.c, colors.c. */

/* weights.c */
/* The number of weights of a column is a multiple of this. */
enum { TAPS_STEP = 8 };

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
void webimage_jt_kernel_init(kernel *kernel);
/* The part from `start` of a plane's row or column of `available` samples becomes `count` samples. `pixel` is the side of the
   picture's pixel in samples, and `factor` the number of pixels that a complete decode makes of a sample. */
webimage_jpeg_thumbnail_status webimage_jt_axis_init(
    axis *axis, const kernel *lanczos, double start, double length, int available, int count, int taps_step, double pixel,
    int factor);
void webimage_jt_axis_free(axis *axis);

/* sums.c */
/* Adds `taps` rows. `taps` is even; the weight of a row that does not exist is 0. */
void webimage_jt_sum_rows(
    const int16_t *const *rows, const int16_t *weights, int taps, size_t width, int is_vectorized, int16_t *target);
/* Scales a row. `source` has zeros behind its end. */
void webimage_jt_sum_columns(const int16_t *source, const axis *axis, int is_vectorized, int16_t *target);

/* colors.c */
/* Writes a row of the output from the scaled rows of the planes. */
void webimage_jt_write_colors(const decoder *decoder, const int16_t *const rows[3], uint8_t *target);

#endif
