#ifndef CPEERS_H
#define CPEERS_H

#include <stddef.h>

// Every function does one whole job, frees what it made, and returns 0 when the job was done.

// libjpeg-turbo alone: decodes to BGRX rows in memory of its own.
int peer_libjpeg_decode(const unsigned char *data, size_t length);

// libvips: starts it with one thread of work per core of ours that takes part.
int peer_vips_start(int threads);
// libvips: fits the picture into a box and writes it as a JPEG, into memory.
int peer_vips_resize_jpeg(const unsigned char *data, size_t length, int width, int height, int quality);
// libvips: every pixel of a picture of any format, into memory.
int peer_vips_decode(const unsigned char *data, size_t length);
// libvips: vips_thumbnail_buffer to fit a square, into memory.
int peer_vips_thumbnail(const unsigned char *data, size_t length, int side);

#endif
