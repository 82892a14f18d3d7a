#ifndef CGIFSHIM_H
#define CGIFSHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A decoder for GIF's variant of LZW (GIF89a, appendix F). giflib is not used, because it decodes one pixel at a time
   and takes three times as long. The decoder is in C, because a debug build of Swift takes many times as long for each
   code. */

typedef struct cgif_indices cgif_indices;

/* Creates a decoder for the data of one frame. The data starts with the byte of the code size; data blocks follow. The
   data must outlive the decoder. `window` is the maximum number of indices per call of cgif_indices_next. Returns NULL
   when out of memory, or for an invalid code size. */
cgif_indices *cgif_indices_create(const uint8_t *data, size_t count, size_t window);

/* Decodes the next `count` indices. `count` is at most `window`. Sets *indices to the address of the indices, which is
   valid until the next call. Returns the number of decoded indices. This number is below `count` if the data ends or is
   invalid. */
size_t cgif_indices_next(cgif_indices *decoder, size_t count, const uint8_t **indices);

void cgif_indices_destroy(cgif_indices *decoder);

/* Compresses the indices of a frame to data that cgif_indices_create reads, in the fewest bits that hold the largest index.
   `window`: after how many codes with a full table it is looked whether the codes become longer; the table is then cleared. 0
   clears a full table at once. The caller frees *bytes with free(). Returns false when out of memory. */
bool cgif_compress(const uint8_t *indices, size_t count, unsigned window, uint8_t **bytes, size_t *byte_count);

#endif
