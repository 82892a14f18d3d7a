#ifndef CPIXELLOOPS_H
#define CPIXELLOOPS_H

#include <stddef.h>
#include <stdint.h>

#include "PictureScore.h"
#include "YUVRows.h"

/* Pixel loops that no library provides. The loops are in C, because a debug build of Swift takes many times as long per
   pixel. */

/* Converts palette indices to pixels of four bytes: index i becomes table[i]. `table` has 256 entries. Row starts are
   `stride` bytes apart in `indices`, and `target_stride` bytes apart in `target`. The rows of `target` are aligned to
   four bytes. */
void webimage_expand_indices(
    const uint8_t *indices, size_t stride, const uint32_t *table, size_t width, size_t rows, uint8_t *target,
    size_t target_stride);

/* Like webimage_expand_indices, but does not change a target pixel whose index is `clear`. */
void webimage_expand_indices_over(
    const uint8_t *indices, size_t stride, const uint32_t *table, uint8_t clear, size_t width, size_t rows,
    uint8_t *target, size_t target_stride);

/* A rectangle with rounded corners. All values are in pixels. `radii` are the radii of the corners: top left, top
   right, bottom left, bottom right. `half_stroke` is half the width of the outline. If it is negative, the rectangle is
   filled. */
typedef struct {
    double left, top, right, bottom;
    double radii[4];
    double half_stroke;
} webimage_rounded_rect;

/* Writes one byte for each pixel of an area. The byte is the share of the pixel that the rectangle or its outline
   covers, from 0 (nothing) to 255 (the whole pixel). */
void webimage_rounded_rect_cover(
    webimage_rounded_rect shape, size_t x, size_t y, size_t width, size_t height, uint8_t *target, size_t stride);

/* Whether all bytes of an area are equal to `value`. */
int webimage_bytes_are(const uint8_t *bytes, size_t stride, size_t width, size_t rows, uint8_t value);

/* Fills the first `width` bytes of each target row with the first byte of the source row that has the same number. */
void webimage_repeat_column(
    const uint8_t *column, size_t column_stride, uint8_t *target, size_t stride, size_t width, size_t rows);

/* Whether the fourth byte of every pixel is 255. A pixel has four bytes. */
int webimage_is_opaque(const uint8_t *pixels, size_t stride, size_t width, size_t rows);

/* Limits the first three bytes of every pixel to the fourth. A pixel has four bytes. */
void webimage_limit_to_alpha(uint8_t *pixels, size_t stride, size_t width, size_t rows);

/* The next two functions multiply and divide the first three bytes of each pixel by the fourth. They round to the nearest
   number, so that colours that are not larger than their alpha do not change if they are divided and multiplied again.
   The target can be the same memory as the source. Strides are in bytes and can be negative or 0. The functions return 0,
   as those of YUVRows.h do. */
int webimage_premultiply(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height);
int webimage_unpremultiply(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height);

/* The instructions of the two functions above: none of a special processor, those of every processor of the kind, or
   those of AVX2. Tests call the functions with each; the processor must have the instructions. */
enum { WEBIMAGE_INSTRUCTIONS_PORTABLE, WEBIMAGE_INSTRUCTIONS_USUAL, WEBIMAGE_INSTRUCTIONS_WIDE };
int webimage_widest_instructions(void);
int webimage_premultiply_by(
    int instructions, const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height);
int webimage_unpremultiply_by(
    int instructions, const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height);

/* Replaces each byte by its entry in a table of 256 bytes. Source and target can be the same memory. */
void webimage_map_bytes(
    const uint8_t *source, size_t stride, uint8_t *target, size_t target_stride, size_t width, size_t rows,
    const uint8_t *table);

/* Tables for a conversion between RGB colour spaces that are defined by three curves and primaries. */
typedef struct {
    const float *curves[3];   /* the light of each stored value, with 65536 entries per channel */
    float matrix[9];          /* from the light of the source to the light of the target, by rows */
    const uint16_t *encoding; /* the stored value of the light i / 65535, with 65536 entries */
} webimage_matrix_tables;

/* Converts the colours of pixels of four 16-bit samples and copies the fourth sample. The samples of the target have
   `target_bits`: 16 or 8. Strides are in bytes. Source and target can be the same memory. lcms2 has no such loop for
   samples of 16 bits: it replaces curves and matrix by a coarse table, or takes five times as long. */
void webimage_matrix_colors(
    const uint16_t *source, size_t stride, void *target, size_t target_stride, size_t width, size_t rows,
    int target_bits, const webimage_matrix_tables *tables);

/* Tables for a conversion of a signal with high dynamic range to sRGB. Light of 1 is the white of sRGB. */
typedef struct {
    const float *light;       /* the light of each stored value, with 65536 entries */
    float luminance[3];       /* the part of each channel in the luminance of the source */
    const float *gains;       /* the factor for each luminance: see webimage_tone_index */
    float matrix[9];          /* from the light of the source to the light of the target, by rows */
    const uint16_t *encoding; /* the stored value of the light i / 65535, with 65536 entries */
} webimage_tone_tables;

/* The entries of `gains` are for luminances with equal steps in each octave, from 2^-24 to 2^6. */
enum {
    WEBIMAGE_TONE_FIRST_OCTAVE = -24,
    WEBIMAGE_TONE_OCTAVES = 30,
    WEBIMAGE_TONE_STEPS = 256,
    WEBIMAGE_TONE_COUNT = WEBIMAGE_TONE_OCTAVES * WEBIMAGE_TONE_STEPS + 1
};

/* The place of colours in a pixel, in samples of `bits`: 8 or 16. */
typedef struct {
    int bits;
    int samples; /* the number of samples in a pixel: 3, or 4 with an alpha that is copied */
    int red;     /* the place of red: 0, or 2 if blue is first */
} webimage_tone_layout;

/* Multiplies the light of each pixel by the factor for its luminance, converts it to the target's primaries, moves colours
   that are too bright towards grey of the same luminance, and encodes it. No library here does this: zimg clips, and lcms2
   has one curve for each channel, which changes the hue of bright colours. The target of 16-bit samples can have 8 bits.
   Source and target can be the same memory if they have the same bits. */
void webimage_tone_map(
    const void *source, size_t stride, webimage_tone_layout layout, void *target, size_t target_stride, int target_bits,
    size_t width, size_t rows, const webimage_tone_tables *tables);

/* The values of a gain map: bytes of one or three channels. */
typedef struct {
    const uint8_t *values;
    size_t stride;
    size_t width, height;
    int channels;
} webimage_gain_map;

/* The steps of a table of factors, which are interpolated. */
enum { WEBIMAGE_GAIN_STEPS = 1020 };

/* What the values of a gain map mean (ISO 21496-1). */
typedef struct {
    const float *light[3]; /* the light of each value of the base, for each channel */
    const float *factors; /* the factors of WEBIMAGE_GAIN_STEPS + 1 values from 0 to 255, for each of three channels */
    float base_offsets[3];
    float alternate_offsets[3];
    /* The light of the display is that of the table times factor * luminance ^ exponent. The exponent is 0 except for HLG. */
    float luminance[3], factor, exponent;
    int has_matrix; /* whether the factors apply to other primaries than those of the base */
    float matrix[9];
} webimage_gain_tables;

/* Multiplies the light of pixels of four samples of 8 or 16 bits, red first, by the factors of a gain map, which covers the
   picture and can have fewer values. Writes half-precision light. No library of Debian 12 has this function. */
void webimage_apply_gain(
    const void *source, size_t stride, int bits, webimage_gain_map map, uint16_t *target, size_t target_stride,
    size_t width, size_t rows, const webimage_gain_tables *tables);

/* How the light of two pictures is compared. */
typedef struct {
    const float *high; /* the light of each value of 16 bits */
    float high_luminance[3];
    const float *low; /* the light of each byte */
    float low_luminance[3];
    float factor, exponent; /* the light of the display is factor * luminance ^ exponent, for the high picture */
    float offset;           /* added to both, so that black has a finite logarithm */
} webimage_gain_measure;

/* Computes the logarithm of the factor from the luminance of a picture of 8 bits to that of one of 16 bits, with four samples
   in each pixel, red first. Stores the least and the greatest one and the brightest light in `range`, if `target` is NULL;
   otherwise writes bytes, of which 0 and 255 stand for the first two. */
void webimage_measure_gain(
    const uint16_t *high, size_t high_stride, const uint8_t *low, size_t low_stride, uint8_t *target,
    size_t target_stride, size_t width, size_t rows, const webimage_gain_measure *tables, float range[3]);

/* Converts half-precision light to values of PQ with 16 bits. `matrix` leads from the light to nits of the target's channels,
   and more than `most` nits are limited. */
void webimage_quantize_light(
    const uint16_t *source, size_t stride, uint16_t *target, size_t target_stride, size_t width, size_t rows,
    const float matrix[9], float most);

/* The following functions blur pixels of four bytes. */

/* The number of binary places of a weight. A weight of 1 is 1 << WEBIMAGE_WEIGHT_BITS. */
#define WEBIMAGE_WEIGHT_BITS 13

/* Writes for each byte the sum of the bytes at the same place in `count` lines, each multiplied by its weight. Rounds
   the sum and limits it to 0...255. The target must not overlap the lines. */
void webimage_weighted_sum(
    const uint8_t *const *lines, const int16_t *weights, size_t count, uint8_t *target, size_t bytes);

/* Adds the bytes of a row, multiplied by `factor`, to the sums of columns. */
void webimage_add_row(int32_t *sums, const uint8_t *row, size_t count, int32_t factor);

/* Adds the bytes of the next row to the sums of columns, and subtracts those of the last row. */
void webimage_move_sums(int32_t *sums, const uint8_t *next, const uint8_t *last, size_t count);

/* Writes for each pixel of a row the means of the channels over a square of 2 * reach + 1 pixels. `sums` are the sums of
   each column of the square's rows. Beyond the ends of the row, the last column is repeated. `width` is at least 1. With
   a reach of at most 1,000, the sums of a square fit into 32 bits. The result is rounded only here: rounding after the
   columns and again after the rows would make the picture lighter. */
void webimage_box_means(const int32_t *sums, uint8_t *target, size_t width, size_t reach);

/* Adds to each pixel `amount` times the difference between the pixel and its blurred pixel. */
void webimage_unsharp_row(const uint8_t *blurred, uint8_t *pixels, size_t width, float amount);

/* The following functions write planes of samples to channels of interleaved pixels. A pixel has `channels` samples of 8
   bits, or of 16 bits if `is_deep` is not 0. `target` is the address of the channel in the first pixel. Strides are in bytes,
   except that of 32-bit samples, which is in samples. */

/* Adds `bias` to each sample, limits it to 0...`largest`, and scales it to the range of the pixels' samples. `largest` is
   2^n - 1. */
void webimage_write_samples(
    const int32_t *samples, size_t sample_stride, int32_t bias, uint32_t largest, size_t width, size_t rows,
    uint8_t *target, size_t target_stride, size_t channels, int is_deep);

/* Writes samples of 8 bits. */
void webimage_spread_channel(
    const uint8_t *plane, size_t plane_stride, size_t width, size_t rows, uint8_t *target, size_t target_stride,
    size_t channels, int is_deep);

/* Converts the first three of four channels in place from luminance and differences of colour (ITU-R BT.601, full range, as in
   JFIF and sYCC) to red, green and blue. `middle` is the difference 0 as a part of the range. */
void webimage_ycc_to_rgb(
    uint8_t *pixels, size_t stride, size_t width, size_t rows, double middle, int is_deep);

/* The samples of one colour in the half-sized picture of a sensor: each pixel is a group of four samples, and the colour has
   one of them. `width` and `rows` are the columns and rows of groups that have the sample: the last group of a sensor with an
   odd side is half of one. */
typedef struct {
    size_t channel; /* 0 to 3 */
    int is_right, is_low; /* where the sample is in its group: left or right, above or below */
    int is_in_place;      /* whether the samples stay where they are, and only missing ones are added */
    size_t width, rows;
} webimage_quad_sample;

/* Moves the samples of one colour to the middles of their groups, a quarter of a pixel, after adding those that are missing.
   `pixels` has four samples for each of `width` x `rows` pixels, without padding. Returns -1 if memory is exhausted. */
int webimage_centre_samples(uint16_t *pixels, size_t width, size_t rows, webimage_quad_sample sample);

#endif
