#ifndef CPEERS_H
#define CPEERS_H

#include <stddef.h>

// Every function does one whole job. The function frees all memory that it allocates and returns 0 on success, unless
// the comment of the function describes something else.

// libjpeg-turbo alone: decodes a JPEG to BGRX rows. The function allocates and frees the memory for these rows. CMYK
// and YCCK files are decoded to CMYK rows.
int peer_libjpeg_decode(const unsigned char *data, size_t length);
// libjpeg-turbo alone: decodes a JPEG to an eighth of its width and height. At this scale, libjpeg-turbo computes
// each pixel from the DC coefficient of one block.
int peer_libjpeg_decode_eighth(const unsigned char *data, size_t length);
// libjpeg-turbo alone: encodes BGRX rows with 4:2:0 chroma. Returns the file's size in bytes, or 0 on
// failure. The caller frees `*file` with free().
size_t peer_libjpeg_encode(
    const unsigned char *pixels, int width, int height, size_t stride, int quality, unsigned char **file);

// libvips: starts the library with `threads` worker threads. For a fair comparison, pass the number of cores that
// our library uses.
int peer_vips_start(int threads);
// libvips: fits the picture into a box of `width` x `height` px and encodes it as a JPEG in memory.
int peer_vips_resize_jpeg(const unsigned char *data, size_t length, int width, int height, int quality);
// libvips: decodes every pixel of a picture of any format into memory.
int peer_vips_decode(const unsigned char *data, size_t length);
// libvips: creates a thumbnail in memory with vips_thumbnail_buffer(). The thumbnail fits into a square of `side` px.
int peer_vips_thumbnail(const unsigned char *data, size_t length, int side);

enum peer_jpeg_kind { PEER_JPEG_444, PEER_JPEG_GREY, PEER_JPEG_CMYK, PEER_JPEG_ROTATED };
// libvips: writes the picture to `path` as a JPEG of quality 85, for use as an input of the contests. The kind of
// the JPEG is: without chroma subsampling, grey, CMYK, or with EXIF orientation 6.
int peer_vips_write_jpeg(
    const unsigned char *data, size_t length, enum peer_jpeg_kind kind, const char *path);

#endif
