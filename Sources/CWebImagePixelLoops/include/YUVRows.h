#ifndef YUVROWS_H
#define YUVROWS_H

#include <stdint.h>

/* Functions that process rows of pixels with libyuv. libyuv is called only with widths that are a multiple of 64.
 *
 * libyuv has separate functions for the pixels after the last whole vector. In some releases these functions write
 * beyond their buffers. In release 0.0.1904 (Debian 13), for example, SplitRGBRow_Any_AVX2 and SplitXRGBRow_Any_AVX2
 * do so for most widths. Therefore each function here passes the first (width & ~63) pixels of every row to libyuv
 * directly. The function copies the rest of the row to a block of 64 pixels on the stack and passes this block to
 * libyuv. The faulty functions never run.
 *
 * Layouts are named by the order of bytes in memory. Strides are in bytes and can be negative or 0. A source and a
 * target must be the same memory or must not overlap. Each function returns 0, or libyuv's error code. */

/* The next two functions convert interleaved pixels to planes. If `a` is NULL, the fourth channel is dropped. */
int webimage_yuv_split_rgb(
    const uint8_t *source, int stride, uint8_t *r, int r_stride, uint8_t *g, int g_stride, uint8_t *b, int b_stride,
    int width, int height);
int webimage_yuv_split_bgra(
    const uint8_t *source, int stride, uint8_t *r, int r_stride, uint8_t *g, int g_stride, uint8_t *b, int b_stride,
    uint8_t *a, int a_stride, int width, int height);
/* Splits pairs of 16-bit samples into two planes. Copies the first sample of each pair to `first`, and the second
   sample to `second`. `width` is the number of pairs per row. */
int webimage_yuv_split_pairs16(
    const uint16_t *source, int stride, uint16_t *first, int first_stride, uint16_t *second, int second_stride, int width,
    int height);

/* The next three functions convert planes to interleaved pixels. If `a` is NULL, the fourth channel is opaque. */
int webimage_yuv_merge_rgb(
    const uint8_t *r, int r_stride, const uint8_t *g, int g_stride, const uint8_t *b, int b_stride, uint8_t *target,
    int stride, int width, int height);
int webimage_yuv_merge_bgra(
    const uint8_t *r, int r_stride, const uint8_t *g, int g_stride, const uint8_t *b, int b_stride, const uint8_t *a,
    int a_stride, uint8_t *target, int stride, int width, int height);
int webimage_yuv_merge_bgra16(
    const uint16_t *r, int r_stride, const uint16_t *g, int g_stride, const uint16_t *b, int b_stride,
    const uint16_t *a, int a_stride, uint16_t *target, int stride, int width, int height);

/* Multiplies the first three channels of four by the fourth, and rounds down as FFmpeg and libtiff do for ink. The target can
   be the same memory as the source. For alpha, webimage_premultiply rounds to the nearest number. */
int webimage_yuv_premultiply(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height);

/* The next two functions compute `first` - `second` and `first` + `second` for each byte. A difference below 0 becomes
   0; a sum above 255 becomes 255. */
int webimage_yuv_subtract(
    const uint8_t *first, int first_stride, const uint8_t *second, int second_stride, uint8_t *target, int stride,
    int width, int height);
int webimage_yuv_add(
    const uint8_t *first, int first_stride, const uint8_t *second, int second_stride, uint8_t *target, int stride,
    int width, int height);
/* Blends the premultiplied BGRA pixels of `above` over the opaque pixels of `below`. */
int webimage_yuv_blend(
    const uint8_t *above, int above_stride, const uint8_t *below, int below_stride, uint8_t *target, int stride,
    int width, int height);
/* Reorders the bytes of each group of four pixels. Byte i of the target group is byte order[i] of the source group, for
   i from 0 to 15. */
int webimage_yuv_shuffle(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, const uint8_t *order, int width, int height);
/* Copies the plane `alpha` to the fourth channel of the target. The other channels do not change. */
int webimage_yuv_set_alpha(
    const uint8_t *alpha, int alpha_stride, uint8_t *target, int stride, int width, int height);

/* The next functions, up to and including webimage_yuv_rgb_to_gray, convert between layouts with eight bits per
   channel. */
int webimage_yuv_swap_red_and_blue(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height);
int webimage_yuv_rgb_to_bgra(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height);
/* The next two functions add or remove alpha and do not change the channel order. The first function converts BGR to
   BGRA, or RGB to RGBA. The second function does the reverse. */
int webimage_yuv_append_alpha(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height);
int webimage_yuv_drop_alpha(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height);
/* Removes alpha and changes the order of the channels: from RGBA to BGR. */
int webimage_yuv_rgba_to_bgr(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height);
int webimage_yuv_gray_to_bgra(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height);
int webimage_yuv_rgba_to_gray(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height);
int webimage_yuv_rgb_to_gray(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height);
/* The next two functions convert little-endian 16-bit words with red in the highest colour bits. */
int webimage_yuv_rgb565_to_bgra(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height);
int webimage_yuv_rgb555_to_bgra(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height);
/* The next two functions convert pixels of four channels. webimage_yuv_widen converts 8 bits per channel to 16 bits.
   webimage_yuv_narrow converts 16 bits per channel to 8 bits: it keeps the high byte of each sample. */
int webimage_yuv_widen(
    const uint8_t *source, int source_stride, uint16_t *target, int stride, int width, int height);
int webimage_yuv_narrow(
    const uint16_t *source, int source_stride, uint8_t *target, int stride, int width, int height);

/* Mirrors each row. A pixel has 1 or 4 bytes (`bytes`). The source and the target must not overlap. */
int webimage_yuv_mirror(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height, int bytes);
/* Turns `width` x `height` pixels by 90 degrees, clockwise or counterclockwise. The target has `height` columns and
 * `width` rows. */
int webimage_yuv_turn(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height, int bytes,
    int is_clockwise);

/* The next two functions do not use libyuv. webimage_copy_rows copies rows of bytes. webimage_fill_pixels fills rows
   with one pixel of four bytes. */
void webimage_copy_rows(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int row_bytes, int height);
void webimage_fill_pixels(uint8_t *target, int stride, int width, int height, uint32_t pixel);

#endif
