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

/* A picture with which others are compared by SSIMULACRA 2: its samples at all scales, and the blurred ones. A comparison writes
   in it, so that only one thread at a time may compare with it. */
typedef struct webimage_scored_original webimage_scored_original;

/* The number of scales at which a picture is compared, 0 to 6: each scale halves the sides, and the last one has at least 8 px. The
   weights of the scales depend on this number. */
int webimage_score_scales(size_t width, size_t height);

/* The scales from `first` to `end` - 1 of a picture that is compared at `count` scales. */
typedef struct {
    int first, end, count;
} webimage_score_range;

/* Returns the original, or NULL if memory is exhausted. It does not refer to the picture. Uses about 16 bytes of memory for each
   pixel if it has the first scale, otherwise 6 or less. The count of scales is that of the picture, or for parts of a larger one that of
   the whole: otherwise their score would have other weights. The instructions are one of WEBIMAGE_INSTRUCTIONS_...; scores do not
   depend on them. */
webimage_scored_original *webimage_scored_original_make(
    const webimage_scored_picture *picture, webimage_score_range scales, int instructions);
void webimage_scored_original_free(webimage_scored_original *original);

/* Compares a picture with the original at the original's scales before `end`. Returns 0 for equal pictures, and more for others. The
   loss of several scales is the sum of theirs. Not a number if the sizes differ or memory is exhausted. Uses about 12 bytes of memory
   for each pixel while it runs. */
double webimage_picture_loss(webimage_scored_original *original, const webimage_scored_picture *distorted, int end);

/* The score of a loss at all scales: 100 for equal pictures and less for others, also less than 0. */
double webimage_score_of_loss(double loss);

/* A picture that is coded as JPEG does it, with several tables. */
typedef struct webimage_block_coder webimage_block_coder;

/* Returns NULL if memory is exhausted. The coder does not refer to the picture. Uses 15 bytes of memory for each pixel, or 23 if chroma
   is coded at its full size. The instructions are one of WEBIMAGE_INSTRUCTIONS_...; results do not depend on them. */
webimage_block_coder *webimage_block_coder_make(const webimage_scored_picture *picture, int instructions);
void webimage_block_coder_free(webimage_block_coder *coder);

/* Makes the picture as it looks after a JPEG with this table, in memory of the coder. The scores of such pictures tell which quality
   an encoder needs. Returns 0 if memory is exhausted. */
int webimage_block_coded(
    webimage_block_coder *coder, const uint16_t *table, int halves_chroma, webimage_scored_picture *result);

/* Planes of a picture with chroma of half the width and height, rounded up. Strides are in bytes. */
typedef struct {
    uint8_t *luma, *u, *v;
    size_t luma_stride, u_stride, v_stride;
} webimage_halved_planes;

/* Writes luma and chroma by BT.601 with 8 bits, chroma in the middle of four pixels. Luma is chosen so that each pixel keeps its
   luminance although its chroma is an average. Returns 0 if memory is exhausted. */
int webimage_halve_chroma(const webimage_scored_picture *picture, int has_full_range, const webimage_halved_planes *target);

#endif
