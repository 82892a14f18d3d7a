#ifndef CCODECPEERS_H
#define CCODECPEERS_H

#include <stddef.h>

// The codecs' own libraries as their documentation shows them: a whole picture to four bytes a pixel, one thread.
// Each returns 0, or not.
int peer_libpng_decode(const unsigned char *data, size_t length);
int peer_libwebp_decode(const unsigned char *data, size_t length);
int peer_libavif_decode(const unsigned char *data, size_t length);
int peer_libjxl_decode(const unsigned char *data, size_t length);
int peer_libtiff_decode(const unsigned char *data, size_t length);

// All frames of an animation, each composited on one canvas that is copied for whoever shows it.
int peer_giflib_play(const unsigned char *data, size_t length);
int peer_libwebp_play(const unsigned char *data, size_t length);

#endif
