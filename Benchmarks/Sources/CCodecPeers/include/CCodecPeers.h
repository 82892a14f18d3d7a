#ifndef CCODECPEERS_H
#define CCODECPEERS_H

#include <stddef.h>

// The codecs' own libraries, used as their documentation shows: decode a whole picture to four bytes per pixel, on one
// thread. Each returns 0 on success.
int peer_libpng_decode(const unsigned char *data, size_t length);
int peer_libwebp_decode(const unsigned char *data, size_t length);
int peer_libavif_decode(const unsigned char *data, size_t length);
int peer_libjxl_decode(const unsigned char *data, size_t length);
int peer_libtiff_decode(const unsigned char *data, size_t length);

// Plays all frames of an animation. Each is composited on one canvas, which is copied for the viewer.
int peer_giflib_play(const unsigned char *data, size_t length);
int peer_libwebp_play(const unsigned char *data, size_t length);

#endif
