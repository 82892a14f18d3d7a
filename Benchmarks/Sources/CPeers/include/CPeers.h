#ifndef CPEERS_H
#define CPEERS_H

#include <stddef.h>

// Every function does one whole job, frees its allocations, and returns 0 on success.

// libjpeg-turbo alone: decodes to BGRX rows in its own memory.
int peer_libjpeg_decode(const unsigned char *data, size_t length);
// libjpeg-turbo alone: decodes at an eighth of the size, which its inverse transform computes from the DC coefficient
// of each block.
int peer_libjpeg_decode_eighth(const unsigned char *data, size_t length);
// libjpeg-turbo alone: encodes BGRX rows with chroma of half the size; returns the file's size, 0 on failure. The caller
// frees the file.
size_t peer_libjpeg_encode(
    const unsigned char *pixels, int width, int height, size_t stride, int quality, unsigned char **file);

// libvips: starts the library with this number of worker threads, which should be the number of cores that our
// library uses.
int peer_vips_start(int threads);
// libvips: fits the picture into a box and writes it as a JPEG into memory.
int peer_vips_resize_jpeg(const unsigned char *data, size_t length, int width, int height, int quality);
// libvips: decodes every pixel of a picture of any format into memory.
int peer_vips_decode(const unsigned char *data, size_t length);
// libvips: makes a thumbnail that fits a square with vips_thumbnail_buffer, in memory.
int peer_vips_thumbnail(const unsigned char *data, size_t length, int side);

enum peer_jpeg_kind { PEER_JPEG_444, PEER_JPEG_GREY, PEER_JPEG_CMYK, PEER_JPEG_ROTATED };
// libvips: writes the picture as a JPEG of quality 85 and the given kind. The result is an input of the contests.
int peer_vips_write_jpeg(
    const unsigned char *data, size_t length, enum peer_jpeg_kind kind, const char *path);

#endif
