#ifndef PNG_FILTERS_H
#define PNG_FILTERS_H

#include "CPNGShim.h"

/* Filters and compresses pixels for a PNG file at once: libdeflate needs them whole. In a quarter of the time of libpng with
   zlib. Documentation/Decisions/png-writer.md has the measurements. */

typedef struct {
    size_t width, height;
    CPNGLayout layout;
    bool has_alpha; /* whether the fourth channel is written */
    size_t stored_pixel_bytes; /* of a pixel with the layout CPNG_STORED */
    const uint8_t *rows;
    size_t stride;
    int (*should_stop)(void);
} cpng_picture;

/* The bytes of the filtered rows. */
size_t cpng_filtered_bytes(const cpng_picture *picture);
/* Sets *bytes to a zlib stream with `*count` bytes for an IDAT chunk, which the caller frees. `effort` is 1 to 9. Returns false
   if there is not enough memory or if `should_stop` has ended it. */
bool cpng_deflate_picture(const cpng_picture *picture, int effort, uint8_t **bytes, size_t *count);
/* As cpng_deflate_picture, but from effort 7 on also with one filter for all rows, and takes the smallest. Several times the time. */
bool cpng_deflate_smallest(const cpng_picture *picture, int effort, uint8_t **bytes, size_t *count);

#endif
