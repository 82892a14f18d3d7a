#ifndef PNG_REDUCE_H
#define PNG_REDUCE_H

#include "png_filters.h"

/* The same pixels in fewer bits: without alpha that is opaque everywhere, as grey, with 1, 2 or 4 bits, or with a palette. */

typedef struct {
    int color;  /* a colour type of libpng */
    int depth;  /* 1, 2, 4 or 8 bits */
    bool drops_alpha;
    /* The rows if `color` or `depth` differ from the picture's: bytes, packed as in the file. */
    uint8_t *rows;
    size_t row_bytes;
    int color_count;        /* of the palette; the transparent colours come first */
    int transparent_count;
    uint8_t palette[256][4]; /* red, green, blue, alpha */
} cpng_reduction;

/* Finds the smallest form of an 8-bit picture, without looking at how it compresses. `may_be_gray`: a grey file may stand
   for colours, because no profile is written with it. Returns false if there is no smaller form, or no memory. The caller
   frees `rows`. */
bool cpng_reduce(const cpng_picture *picture, bool may_be_gray, bool may_have_palette, cpng_reduction *reduction);

/* Whether the palette makes the file smaller: gradients of few colours can be larger with one. Compresses up to a megabyte of
   rows both ways. */
bool cpng_palette_pays(const cpng_picture *picture, const cpng_reduction *reduction);

/* The picture that has the reduction's rows, for the filters. */
cpng_picture cpng_reduced_picture(const cpng_picture *picture, const cpng_reduction *reduction);

#endif
