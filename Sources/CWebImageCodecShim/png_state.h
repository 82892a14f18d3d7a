#ifndef PNG_STATE_H
#define PNG_STATE_H

#include "CPNGShim.h"

#include <png.h>
#include <setjmp.h>

// Shared by the readers of whole files and of files that are still arriving.

typedef struct {
    jmp_buf target;
    char text[160];
} Failure;

// libpng's error and warning functions; the error pointer is a Failure.
void cpng_fail(png_structp png, png_const_charp message);
void cpng_ignore_warning(png_structp png, png_const_charp message);

// Sets the limits of a reader; to be called inside a jump target.
void cpng_limit(png_structp png, size_t max_chunk_bytes);

// Sets the transformations that make rows of `layout`; returns the number of passes. To be called inside a jump target.
int cpng_transform(png_structp png, png_infop info, CPNGLayout layout);

#endif
