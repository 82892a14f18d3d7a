#ifndef CMOTIONPEERS_H
#define CMOTIONPEERS_H

#include <stddef.h>

// Every function does one whole job and returns 0 on success. If `out` is not NULL, it receives the pixels of the last
// result, so that results can be compared before timing.

// libvips on one thread: resizes RGB rows by Lanczos 3, or blurs them with a Gaussian of the given deviation. `out` is
// RGB.
int peer_vips_resize(const unsigned char *rgb, int width, int height, int to_width, int to_height, unsigned char *out);
int peer_vips_blur(const unsigned char *rgb, int width, int height, double deviation, unsigned char *out);
// libvips: mirrors a picture, turns it by 90 degrees counter-clockwise, rounds its corners, or fills its outline with
// one colour. `out` is RGB for the first two and RGBA for the others.
int peer_vips_flip(const unsigned char *rgb, int width, int height, unsigned char *out);
int peer_vips_rotate(const unsigned char *rgb, int width, int height, unsigned char *out);
int peer_vips_round(const unsigned char *rgb, int width, int height, int radius, unsigned char *out);
int peer_vips_tint(const unsigned char *rgb, int width, int height, const unsigned char color[3], unsigned char *out);

// The bare libraries: decode every frame of an animation to pixels and keep no frame. For GIF, indices from giflib
// are converted by the palette and drawn on a canvas; for WebP, libwebp's animation decoder is used. `out` is the
// last frame as RGBA. `count` receives the number of frames.
int peer_gif_frames(const unsigned char *data, size_t length, int *count, unsigned char *out);
int peer_webp_frames(const unsigned char *data, size_t length, int *count, unsigned char *out);
// libpng: decodes `count` PNG files in sequence to RGBA, each into its own memory.
int peer_png_stills(const unsigned char *const *files, const size_t *lengths, int count);

// gdk-pixbuf: decodes every frame of a GIF with its animation iterator.
int peer_gdk_frames(const unsigned char *data, size_t length, int frames, unsigned char *out);

// gdk-pixbuf: decodes a picture, whole or to fit a square of `side`.
int peer_gdk_decode(const unsigned char *data, size_t length, int side);
// gdk-pixbuf: fits a picture into a box and writes it as a JPEG into memory.
int peer_gdk_resize_jpeg(const unsigned char *data, size_t length, int width, int height, int quality);

#endif
