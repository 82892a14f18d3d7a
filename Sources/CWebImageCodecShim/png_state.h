#ifndef PNG_STATE_H
#define PNG_STATE_H

#include "CPNGShim.h"

#include <png.h>
#include <setjmp.h>

// What the readers of whole files and of files that are still arriving share.

typedef struct {
    jmp_buf target;
    char text[160];
} Failure;

// libpng's error and warning functions; the error pointer is a Failure.
void cpng_fail(png_structp png, png_const_charp message);
void cpng_ignore_warning(png_structp png, png_const_charp message);

// Says what may be read; to be called inside a jump target.
void cpng_limit(png_structp png, size_t max_chunk_bytes);

// Sets the transformations that make rows of `layout` and gives the number of passes; inside a jump target.
int cpng_transform(png_structp png, png_infop info, CPNGLayout layout);

#endif
