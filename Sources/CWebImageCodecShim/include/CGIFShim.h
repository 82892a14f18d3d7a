#ifndef CGIFSHIM_H
#define CGIFSHIM_H

#include <stddef.h>
#include <stdint.h>

/* GIF's variant of LZW (GIF89a, appendix F). giflib decodes a pixel at a time and takes three times as long; in C, since
   Swift's debug build takes many times as long for each code. */

typedef struct cgif_indices cgif_indices;

/* Makes a decoder of one frame's data: the byte with the code size, then data blocks. The data must outlive it. Room is
   made for `window` indices. NULL without memory, and for a code size that does not exist. */
cgif_indices *cgif_indices_create(const uint8_t *data, size_t count, size_t window);

/* Decodes the next `count` indices, at most a window; *indices is where they are until the next call. Gives how many there
   are: fewer when the data ends or makes no sense before. */
size_t cgif_indices_next(cgif_indices *decoder, size_t count, const uint8_t **indices);

void cgif_indices_destroy(cgif_indices *decoder);

#endif
