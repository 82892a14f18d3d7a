#ifndef CPIXELLOOPS_H
#define CPIXELLOOPS_H

#include <stddef.h>
#include <stdint.h>

/* Loops over pixels that no library has. In C, since Swift's debug build takes many times as long for each pixel. */

/* Turns `rows` rows of palette indices, `stride` bytes apart, into pixels of four bytes: entries of `table`, which has
   256. Row starts of the target are `target_stride` bytes apart and aligned to four. */
void webimage_expand_indices(
    const uint8_t *indices, size_t stride, const uint32_t *table, size_t width, size_t rows, uint8_t *target,
    size_t target_stride);

/* The same, but where the index is `clear` the target stays as it is. */
void webimage_expand_indices_over(
    const uint8_t *indices, size_t stride, const uint32_t *table, uint8_t clear, size_t width, size_t rows,
    uint8_t *target, size_t target_stride);

/* A rectangle with rounded corners: its edges in pixels, the radii at the top left and right, then at the bottom, and half
   the width of its outline; less than 0 for the whole of it. */
typedef struct {
    double left, top, right, bottom;
    double radii[4];
    double half_stroke;
} webimage_rounded_rect;

/* How much the rectangle covers of the pixels of an area: 255 for all of a pixel. */
void webimage_rounded_rect_cover(
    webimage_rounded_rect shape, size_t x, size_t y, size_t width, size_t height, uint8_t *target, size_t stride);

/* Whether all bytes of an area are `value`. */
int webimage_bytes_are(const uint8_t *bytes, size_t stride, size_t width, size_t rows, uint8_t value);

/* Repeats each row's first byte over the row of the target. */
void webimage_repeat_column(
    const uint8_t *column, size_t column_stride, uint8_t *target, size_t stride, size_t width, size_t rows);

/* Whether the highest byte of every pixel of four bytes is 255. */
int webimage_is_opaque(const uint8_t *pixels, size_t stride, size_t width, size_t rows);

#endif
