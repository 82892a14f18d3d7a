#ifndef PICTURESCORE_H
#define PICTURESCORE_H

#include <stddef.h>
#include <stdint.h>

/* Pixels with 8 bits per channel in sRGB. */
typedef struct {
    size_t width, height;
    const uint8_t *rows;
    size_t stride, step; /* bytes from row to row, and from pixel to pixel */
    size_t offsets[3];   /* of red, green and blue in a pixel */
} webimage_scored_picture;

/* Compares two pictures of one size by SSIMULACRA 2. Returns 100 for equal pictures and less for others, also less than 0; not a
   number if the sizes differ or memory is exhausted. A picture with a side below 8 pixels has the score 100. Uses about 30 bytes
   of memory for each pixel. */
double webimage_picture_score(const webimage_scored_picture *original, const webimage_scored_picture *distorted);

#endif
