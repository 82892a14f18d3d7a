#ifndef CYUVSHIM_H
#define CYUVSHIM_H

#include <stdint.h>

/* libyuv's functions for rows of pixels, called only with widths that are a multiple of 64.
 *
 * libyuv has separate functions for the pixels after the last whole vector. In some releases those write beyond their
 * buffers: SplitRGBRow_Any_AVX2 and SplitXRGBRow_Any_AVX2 of 0.0.1904 (Debian 13) do so for most widths. Each function
 * here passes the first (width & ~63) pixels of every row to libyuv directly, and the rest through a block of 64 pixels
 * on the stack, so that the faulty functions never run.
 *
 * Layouts are named by the order of bytes in memory. Strides are in bytes and may be negative or 0. Sources and targets
 * are the same memory or do not overlap. Each function returns 0, or libyuv's error code. */

/* Converts interleaved pixels to planes. If `a` is NULL, the fourth channel is dropped. */
int webimage_yuv_split_rgb(
    const uint8_t *source, int stride, uint8_t *r, int r_stride, uint8_t *g, int g_stride, uint8_t *b, int b_stride,
    int width, int height);
int webimage_yuv_split_bgra(
    const uint8_t *source, int stride, uint8_t *r, int r_stride, uint8_t *g, int g_stride, uint8_t *b, int b_stride,
    uint8_t *a, int a_stride, int width, int height);
/* Splits 16-bit samples into two planes: samples with even index and samples with odd index. `width` counts pairs. */
int webimage_yuv_split_pairs16(
    const uint16_t *source, int stride, uint16_t *first, int first_stride, uint16_t *second, int second_stride, int width,
    int height);

/* Converts planes to interleaved pixels. If `a` is NULL, the fourth channel is opaque. */
int webimage_yuv_merge_rgb(
    const uint8_t *r, int r_stride, const uint8_t *g, int g_stride, const uint8_t *b, int b_stride, uint8_t *target,
    int stride, int width, int height);
int webimage_yuv_merge_bgra(
    const uint8_t *r, int r_stride, const uint8_t *g, int g_stride, const uint8_t *b, int b_stride, const uint8_t *a,
    int a_stride, uint8_t *target, int stride, int width, int height);
int webimage_yuv_merge_bgra16(
    const uint16_t *r, int r_stride, const uint16_t *g, int g_stride, const uint16_t *b, int b_stride,
    const uint16_t *a, int a_stride, uint16_t *target, int stride, int width, int height);

/* Source and target have four channels of eight bits. They may be the same memory. */
int webimage_yuv_premultiply(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height);
int webimage_yuv_unpremultiply(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height);
/* Subtraction and addition of bytes. A difference below 0 becomes 0; a sum above 255 becomes 255. */
int webimage_yuv_subtract(
    const uint8_t *first, int first_stride, const uint8_t *second, int second_stride, uint8_t *target, int stride,
    int width, int height);
int webimage_yuv_add(
    const uint8_t *first, int first_stride, const uint8_t *second, int second_stride, uint8_t *target, int stride,
    int width, int height);
/* Blends premultiplied BGRA pixels over an opaque background. */
int webimage_yuv_blend(
    const uint8_t *above, int above_stride, const uint8_t *below, int below_stride, uint8_t *target, int stride,
    int width, int height);
/* Reorders the 16 bytes of each group of four pixels. */
int webimage_yuv_shuffle(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, const uint8_t *order, int width, int height);
/* Writes a plane to the fourth channel of the target. */
int webimage_yuv_set_alpha(
    const uint8_t *alpha, int alpha_stride, uint8_t *target, int stride, int width, int height);

/* Conversions between layouts with eight bits per channel. */
int webimage_yuv_swap_red_and_blue(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height);
int webimage_yuv_rgb_to_bgra(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height);
/* The next two functions add or remove alpha and keep the channel order: BGR to BGRA or RGB to RGBA, and back. */
int webimage_yuv_append_alpha(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height);
int webimage_yuv_drop_alpha(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height);
int webimage_yuv_gray_to_bgra(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height);
int webimage_yuv_rgba_to_gray(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height);
int webimage_yuv_rgb_to_gray(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height);
/* Converts little-endian 16-bit words with red in the highest bits. */
int webimage_yuv_rgb565_to_bgra(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height);
int webimage_yuv_rgb555_to_bgra(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height);
/* Converts four channels from 8 to 16 bits, and from 16 to 8 bits. The latter keeps the high byte of each sample. */
int webimage_yuv_widen(
    const uint8_t *source, int source_stride, uint16_t *target, int stride, int width, int height);
int webimage_yuv_narrow(
    const uint16_t *source, int source_stride, uint8_t *target, int stride, int width, int height);

/* Mirrors rows of pixels of 1 or 4 `bytes`; source and target must not overlap. */
int webimage_yuv_mirror(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height, int bytes);
/* Turns `width` x `height` pixels by 90 degrees, clockwise or counterclockwise; the target is `height` x `width` pixels. */
int webimage_yuv_turn(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height, int bytes,
    int is_clockwise);

/* These functions do not use libyuv. One copies rows of bytes, the other fills rows with one four-byte pixel. */
void webimage_copy_rows(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int row_bytes, int height);
void webimage_fill_pixels(uint8_t *target, int stride, int width, int height, uint32_t pixel);

#endif
