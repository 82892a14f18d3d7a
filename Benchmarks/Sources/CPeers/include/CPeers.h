#ifndef CPEERS_H
#define CPEERS_H

#include <stddef.h>

// Every function does one whole job, frees its allocations, and returns 0 on success.

// libjpeg-turbo alone: decodes to BGRX rows in its own memory.
int peer_libjpeg_decode(const unsigned char *data, size_t length);

// libvips: starts it with this number of worker threads, the number of cores that our library uses.
int peer_vips_start(int threads);
// libvips: fits the picture into a box and writes it as a JPEG into memory.
int peer_vips_resize_jpeg(const unsigned char *data, size_t length, int width, int height, int quality);
// libvips: decodes every pixel of a picture of any format into memory.
int peer_vips_decode(const unsigned char *data, size_t length);
// libvips: makes a thumbnail that fits a square with vips_thumbnail_buffer, in memory.
int peer_vips_thumbnail(const unsigned char *data, size_t length, int side);

#endif
