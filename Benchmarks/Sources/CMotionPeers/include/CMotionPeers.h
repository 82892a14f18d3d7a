#ifndef CMOTIONPEERS_H
#define CMOTIONPEERS_H

#include <stddef.h>

// Every function does one whole job and returns 0 on success. If `out` is not NULL, the function copies the pixels
// of the result to `out`. For an animation, these are the pixels of the last frame. The results of all competitors
// are compared before the times are measured.

// libvips: peer_vips_resize resizes RGB rows with a Lanczos 3 filter. peer_vips_blur blurs RGB rows with a
// Gaussian of the given standard deviation in pixels. `out` receives RGB rows. To use one thread, first call
// peer_vips_start(1) of CPeers.h.
int peer_vips_resize(const unsigned char *rgb, int width, int height, int to_width, int to_height, unsigned char *out);
int peer_vips_blur(const unsigned char *rgb, int width, int height, double deviation, unsigned char *out);
// libvips: peer_vips_flip mirrors a picture horizontally. peer_vips_rotate rotates a picture by 90 degrees
// counter-clockwise. For these two functions, `out` receives RGB rows. peer_vips_round rounds the corners.
// peer_vips_tint replaces the colour of every pixel. For these two functions, `out` receives RGBA rows.
int peer_vips_flip(const unsigned char *rgb, int width, int height, unsigned char *out);
int peer_vips_rotate(const unsigned char *rgb, int width, int height, unsigned char *out);
int peer_vips_round(const unsigned char *rgb, int width, int height, int radius, unsigned char *out);
int peer_vips_tint(const unsigned char *rgb, int width, int height, const unsigned char color[3], unsigned char *out);

// giflib and libwebp, called directly: decodes every frame of an animation to pixels and keeps no frame. The GIF
// function converts giflib's indices to colours with the palette and draws the colours on a canvas. The WebP
// function uses libwebp's animation decoder. `out` receives the last frame as RGBA. `count` receives the number
// of frames.
int peer_gif_frames(const unsigned char *data, size_t length, int *count, unsigned char *out);
int peer_webp_frames(const unsigned char *data, size_t length, int *count, unsigned char *out);
// libpng: decodes `count` PNG files one after another to RGBA. The files are the frames of an APNG. For each file,
// the function allocates new memory.
int peer_png_stills(const unsigned char *const *files, const size_t *lengths, int count);

// gdk-pixbuf: decodes the first `frames` frames of a GIF with GdkPixbufAnimationIter. `out` receives the last of
// these frames as RGBA.
int peer_gdk_frames(const unsigned char *data, size_t length, int frames, unsigned char *out);

// gdk-pixbuf: decodes a picture to fit into a square of `side` px, or at full size if `side` is 0.
int peer_gdk_decode(const unsigned char *data, size_t length, int side);
// gdk-pixbuf: fits a picture into a box of `width` x `height` px and encodes it as a JPEG in memory.
int peer_gdk_resize_jpeg(const unsigned char *data, size_t length, int width, int height, int quality);

#endif
