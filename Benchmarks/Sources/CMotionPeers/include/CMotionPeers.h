#ifndef CMOTIONPEERS_H
#define CMOTIONPEERS_H

#include <stddef.h>

// Every function does one whole job and returns 0 when the job was done. Pixels of a last result go to `out` when that
// is not NULL, so that results can be compared before anybody is timed.

// libvips, one thread: RGB rows to another size by Lanczos 3; a Gaussian of this deviation. `out` is RGB.
int peer_vips_resize(const unsigned char *rgb, int width, int height, int to_width, int to_height, unsigned char *out);
int peer_vips_blur(const unsigned char *rgb, int width, int height, double deviation, unsigned char *out);
// The same of a picture mirrored, turned by 90 degrees against the clock, with round corners, and as its outline in one
// colour; `out` is RGB of the first two and RGBA of the others.
int peer_vips_flip(const unsigned char *rgb, int width, int height, unsigned char *out);
int peer_vips_rotate(const unsigned char *rgb, int width, int height, unsigned char *out);
int peer_vips_round(const unsigned char *rgb, int width, int height, int radius, unsigned char *out);
int peer_vips_tint(const unsigned char *rgb, int width, int height, const unsigned char color[3], unsigned char *out);

// The bare libraries: every frame of an animation, to pixels (GIF: giflib's indices looked up in the palette and laid over
// the canvas; WebP: libwebp's animation decoder), no frame kept. `out` is the last frame as RGBA. `count` is the frames.
int peer_gif_frames(const unsigned char *data, size_t length, int *count, unsigned char *out);
int peer_webp_frames(const unsigned char *data, size_t length, int *count, unsigned char *out);
// libpng: so many PNG files, one after another, to RGBA of memory of their own.
int peer_png_stills(const unsigned char *const *files, const size_t *lengths, int count);

// gdk-pixbuf: every frame of a GIF by its animation iterator.
int peer_gdk_frames(const unsigned char *data, size_t length, int frames, unsigned char *out);

// gdk-pixbuf: a picture, whole or to fit a square of `side`.
int peer_gdk_decode(const unsigned char *data, size_t length, int side);
// gdk-pixbuf: a picture to fit a box, written as a JPEG into memory.
int peer_gdk_resize_jpeg(const unsigned char *data, size_t length, int width, int height, int quality);

#endif
