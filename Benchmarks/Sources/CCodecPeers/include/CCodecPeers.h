#ifndef CCODECPEERS_H
#define CCODECPEERS_H

#include <stddef.h>

// Each function calls the library of one format as the documentation of that library shows. The function decodes
// a whole picture to four bytes per pixel on one thread, frees the pixels, and returns 0 on success.
int peer_libpng_decode(const unsigned char *data, size_t length);
int peer_libwebp_decode(const unsigned char *data, size_t length);
int peer_libavif_decode(const unsigned char *data, size_t length);
int peer_libjxl_decode(const unsigned char *data, size_t length);
int peer_libtiff_decode(const unsigned char *data, size_t length);

// Each function decodes all frames of an animation in order and returns 0 on success. Each frame is composited on
// one canvas. The function then copies the canvas, like an application that shows the frame.
int peer_giflib_play(const unsigned char *data, size_t length);
int peer_libwebp_play(const unsigned char *data, size_t length);

// Each function encodes BGRX rows with a direct call of the format's library. It returns the size of the file in
// bytes, or 0 on failure. The caller frees `*file` with free().
size_t peer_libwebp_encode(
    const unsigned char *pixels, int width, int height, size_t stride, int quality, int method, unsigned char **file);
size_t peer_libpng_encode(
    const unsigned char *pixels, int width, int height, size_t stride, int level, unsigned char **file);
// Encodes on one thread. The quantizer is from 0 (best quality) to 63. The speed is from 0 to 10 (fastest). If
// `halves_chroma` is not 0, the chroma is subsampled to 4:2:0. Otherwise the chroma is 4:4:4.
size_t peer_libavif_encode(
    const unsigned char *pixels, int width, int height, size_t stride, int quantizer, int speed, int halves_chroma,
    unsigned char **file);

#endif
