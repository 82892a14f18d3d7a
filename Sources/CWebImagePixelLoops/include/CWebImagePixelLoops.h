#ifndef CPIXELLOOPS_H
#define CPIXELLOOPS_H

#include <stddef.h>
#include <stdint.h>

/* Pixel loops that no library provides. In C, because in a debug build Swift takes many times as long per pixel. */

/* Turns `rows` rows of palette indices, `stride` bytes apart, into pixels of four bytes. `table` has 256 entries. Row
   starts of the target are `target_stride` bytes apart and aligned to four bytes. */
void webimage_expand_indices(
    const uint8_t *indices, size_t stride, const uint32_t *table, size_t width, size_t rows, uint8_t *target,
    size_t target_stride);

/* Like webimage_expand_indices, but leaves the target unchanged where the index is `clear`. */
void webimage_expand_indices_over(
    const uint8_t *indices, size_t stride, const uint32_t *table, uint8_t clear, size_t width, size_t rows,
    uint8_t *target, size_t target_stride);

/* A rectangle with rounded corners. Edges are in pixels. The radii are top left, top right, bottom left, bottom right.
   `half_stroke` is half the width of the outline; a negative value fills the rectangle. */
typedef struct {
    double left, top, right, bottom;
    double radii[4];
    double half_stroke;
} webimage_rounded_rect;

/* Writes for each pixel of an area how much of the pixel the rectangle covers, from 0 (nothing) to 255 (all). */
void webimage_rounded_rect_cover(
    webimage_rounded_rect shape, size_t x, size_t y, size_t width, size_t height, uint8_t *target, size_t stride);

/* Whether all bytes of an area are `value`. */
int webimage_bytes_are(const uint8_t *bytes, size_t stride, size_t width, size_t rows, uint8_t value);

/* Fills each row of the target with the first byte of the same source row. */
void webimage_repeat_column(
    const uint8_t *column, size_t column_stride, uint8_t *target, size_t stride, size_t width, size_t rows);

/* Whether the highest byte of every pixel of four bytes is 255. */
int webimage_is_opaque(const uint8_t *pixels, size_t stride, size_t width, size_t rows);

#endif
