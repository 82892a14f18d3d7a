#ifndef CWEBIMAGEJPEGSAMPLES_H
#define CWEBIMAGEJPEGSAMPLES_H

#include <stddef.h>
#include <stdint.h>

/* Writes JPEG files of every kind that libjpeg-turbo can write, and decodes files at 1/8 with libjpeg-turbo. The package's
   own encoder writes only a few of these kinds. This code is in C because of libjpeg's setjmp. */

enum {
    WEBIMAGE_JPEG_SAMPLE_BASELINE,
    WEBIMAGE_JPEG_SAMPLE_SEPARATE_SCANS, /* one scan for each component */
    WEBIMAGE_JPEG_SAMPLE_PROGRESSIVE,    /* libjpeg's usual order of scans */
    WEBIMAGE_JPEG_SAMPLE_REFINED,        /* many scans, with random bands and bits */
    WEBIMAGE_JPEG_SAMPLE_ARITHMETIC,
};

enum {
    WEBIMAGE_JPEG_SAMPLE_SMOOTH, /* soft shapes with some noise, as in a photo */
    WEBIMAGE_JPEG_SAMPLE_NOISE,
    WEBIMAGE_JPEG_SAMPLE_FLAT,
    WEBIMAGE_JPEG_SAMPLE_STRIPES,
    WEBIMAGE_JPEG_SAMPLE_PATTERN, /* the same noise in every MCU, so that a decoder's branches are predictable */
};

enum {
    WEBIMAGE_JPEG_SAMPLE_YCC,
    WEBIMAGE_JPEG_SAMPLE_RGB,
    WEBIMAGE_JPEG_SAMPLE_GRAY,
    WEBIMAGE_JPEG_SAMPLE_CMYK,
    WEBIMAGE_JPEG_SAMPLE_YCCK, /* CMYK whose colours are stored as Y, Cb and Cr */
};

typedef struct {
    int width;
    int height;
    int color;
    int kind;
    int content;
    int quality;
    int is_baseline; /* limits the quantisation factors to 255 */
    int optimizes_codes;
    int has_long_codes;   /* frequent AC symbols have the longest codes */
    int restart_interval; /* in MCUs; 0: none */
    uint8_t horizontal[4], vertical[4]; /* sampling factors */
    uint64_t seed;
    int has_own_chroma;   /* the content of Cb and Cr is `chroma_content`; otherwise all channels of RGB are alike */
    int chroma_content;
    uint64_t code_seed;   /* if not 0, all Huffman codes are random; not for progressive files */
} webimage_jpeg_sample;

/* Returns the length of the file, or 0 if libjpeg cannot write it. The caller frees *file with free(). */
size_t webimage_jpeg_sample_write(const webimage_jpeg_sample *sample, uint8_t **file);

/* Decodes a file at 1/8. `bytes_per_pixel` is 1 (grey), 3 (RGB) or 4 (RGBA; negative: BGRA). The result is 1 if the file
   is complete; then *pixels contains the rows without padding, and the caller frees it with free(). Sets the size if the
   header is valid, otherwise 0. *warnings is the number of libjpeg's warnings. */
int webimage_jpeg_sample_read(
    const uint8_t *file, size_t length, int bytes_per_pixel, int *width, int *height, int *warnings, uint8_t **pixels);

/* The same at another scale in eighths: 1, 2, 4 or 8. The four bytes of a file of CMYK or YCCK are its inks as they are stored. */
int webimage_jpeg_sample_read_scaled(
    const uint8_t *file, size_t length, int eighths, int bytes_per_pixel, int *width, int *height, int *warnings,
    uint8_t **pixels);

/* Computes the plane of a component whose blocks have side x side samples, in real numbers from the coefficients that
   libjpeg-turbo reads. `component` counts from 1. The result is 1 if the file is complete and has the component; then the caller
   frees *samples with free(). The samples of a block of which only the first coefficient is not 0 are whole. Samples of sharp
   edges are below 0 and above 255, down to -128 and up to 383. Blocks of damaged files with values that no picture
   has are NAN. */
int webimage_jpeg_sample_plane(
    const uint8_t *file, size_t length, int component, int side, int *width, int *height, float **samples);

#endif
