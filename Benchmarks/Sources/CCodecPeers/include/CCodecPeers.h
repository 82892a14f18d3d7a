#ifndef CCODECPEERS_H
#define CCODECPEERS_H

#include <stddef.h>

// The codecs' own libraries, used as their documentation shows. These functions decode a whole picture to four bytes
// per pixel, on one thread. Each returns 0 on success.
int peer_libpng_decode(const unsigned char *data, size_t length);
int peer_libwebp_decode(const unsigned char *data, size_t length);
int peer_libavif_decode(const unsigned char *data, size_t length);
int peer_libjxl_decode(const unsigned char *data, size_t length);
int peer_libtiff_decode(const unsigned char *data, size_t length);

// Plays all frames of an animation. Each frame is composited on one canvas, and the canvas is copied for the viewer.
int peer_giflib_play(const unsigned char *data, size_t length);
int peer_libwebp_play(const unsigned char *data, size_t length);

// Encodes BGRX rows with the library alone. Each returns the file's size, 0 on failure; the caller frees the file.
size_t peer_libwebp_encode(
    const unsigned char *pixels, int width, int height, size_t stride, int quality, int method, unsigned char **file);
size_t peer_libpng_encode(
    const unsigned char *pixels, int width, int height, size_t stride, int level, unsigned char **file);
// Encodes on one thread. The quantizer is from 0 (best) to 63, the speed from 0 to 10 (fastest).
size_t peer_libavif_encode(
    const unsigned char *pixels, int width, int height, size_t stride, int quantizer, int speed, int halves_chroma,
    unsigned char **file);

#endif
