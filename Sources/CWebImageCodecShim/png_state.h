#ifndef PNG_STATE_H
#define PNG_STATE_H

#include "CPNGShim.h"

#include <png.h>
#include <setjmp.h>
#include <stdbool.h>

// Declarations that the reader of complete files and the reader of arriving files share.

typedef struct {
    jmp_buf target;
    char text[160];
    bool has_wrong_checksum; // of an IDAT chunk
    bool has_damaged_pixels; // a message about the compressed pixels that is not an error
} Failure;

// The functions that libpng calls for errors and warnings. libpng's error pointer must point to a `Failure`.
void cpng_fail(png_structp png, png_const_charp message);
void cpng_ignore_warning(png_structp png, png_const_charp message);

// Called for warnings of a reader. The wrong checksum of an IDAT chunk is an error only if zlib's own checksum does not
// prove the pixels. The wrong checksum of any other critical chunk is always an error.
void cpng_take_warning(png_structp png, png_const_charp message);

// Sets the limits of a reader. Call this function after setjmp has set the jump target.
void cpng_limit(png_structp png, size_t max_chunk_bytes);

// Makes libpng convert each row to `layout`. Returns the number of passes. Call this function after setjmp has set the
// jump target.
int cpng_transform(png_structp png, png_infop info, CPNGLayout layout);

#endif
