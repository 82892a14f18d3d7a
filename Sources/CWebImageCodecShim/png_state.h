#ifndef PNG_STATE_H
#define PNG_STATE_H

#include "CPNGShim.h"

#include <png.h>
#include <setjmp.h>

// Declarations that the reader of complete files and the reader of arriving files share.

typedef struct {
    jmp_buf target;
    char text[160];
} Failure;

// The functions that libpng calls for errors and warnings. libpng's error pointer must point to a `Failure`.
void cpng_fail(png_structp png, png_const_charp message);
void cpng_ignore_warning(png_structp png, png_const_charp message);

// Sets the limits of a reader. Call this function after setjmp has set the jump target.
void cpng_limit(png_structp png, size_t max_chunk_bytes);

// Makes libpng convert each row to `layout`. Returns the number of passes. Call this function after setjmp has set the
// jump target.
int cpng_transform(png_structp png, png_infop info, CPNGLayout layout);

#endif
