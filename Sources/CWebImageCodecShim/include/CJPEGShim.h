#ifndef CJPEGSHIM_H
#define CJPEGSHIM_H

#include <stddef.h>
#include <stdint.h>

/* libjpeg reports errors by a function that must not return, and longjmp must not cross Swift frames. So every call that
   may fail is made here, between setjmp and longjmp of this file. */

enum {
    WEBIMAGE_JPEG_OK = 0,
    WEBIMAGE_JPEG_FAILED = 1,
    WEBIMAGE_JPEG_OUT_OF_TIME = 2,
    WEBIMAGE_JPEG_TOO_MANY_SCANS = 3,
    WEBIMAGE_JPEG_ANCILLARY = 4,
    WEBIMAGE_JPEG_TRUNCATED = 5,
    WEBIMAGE_JPEG_SUSPENDED = 6,
};

typedef struct webimage_jpeg_decoder webimage_jpeg_decoder;

typedef struct {
    int width;
    int height;
    int components;
    int precision;
    int has_adobe_marker;
    int has_icc_marker;
    /* For a file of several scans: the bytes of all coefficients, which libjpeg stores at any output size. Else 0. */
    size_t coefficient_bytes;
} webimage_jpeg_header;

/* Allocates the state that setjmp and libjpeg's callbacks share. `data` must outlive it. NULL when out of memory.
   More than `max_ancillary` bytes of APP1 and APP2 end the decode with WEBIMAGE_JPEG_ANCILLARY. */
webimage_jpeg_decoder *webimage_jpeg_decoder_create(
    const uint8_t *data, size_t size, size_t max_ancillary, int64_t max_nanoseconds);
void webimage_jpeg_decoder_free(webimage_jpeg_decoder *decoder);

/* setjmp around jpeg_read_header. */
int webimage_jpeg_read_header(webimage_jpeg_decoder *decoder, webimage_jpeg_header *header);

/* Finds the first saved APP1 segment that starts with `signature`, and returns its bytes after the signature. In C */
/* because libjpeg's `cinfo` is in the opaque state. */
int webimage_jpeg_find_app1(
    const webimage_jpeg_decoder *decoder, const char *signature, size_t signature_length, const uint8_t **data,
    size_t *length);

/* setjmp around jpeg_read_icc_profile. The caller frees *data. The result is not OK if the file has no profile or */
/* the profile is incomplete. */
int webimage_jpeg_read_icc(webimage_jpeg_decoder *decoder, uint8_t **data, size_t *length);

/* setjmp around jpeg_calc_output_dimensions, for out_color_space `color` (a J_COLOR_SPACE) at scale_num / 8. */
int webimage_jpeg_output_size(webimage_jpeg_decoder *decoder, int color, int scale_num, int *width, int *height);

/* setjmp around the decompression of all rows. Row starts in `pixels` are `stride` bytes apart. */
int webimage_jpeg_read_rows(webimage_jpeg_decoder *decoder, uint8_t *pixels, size_t stride);

/* libjpeg's message for the last failure. */
const char *webimage_jpeg_message(const webimage_jpeg_decoder *decoder);
/* Whether libjpeg needed more bytes than the input has. */
int webimage_jpeg_ran_dry(const webimage_jpeg_decoder *decoder);

/* Creates a decoder for a file that arrives in pieces. In C: libjpeg's source manager is a table of callbacks. */
webimage_jpeg_decoder *webimage_jpeg_stream_create(size_t max_ancillary, int64_t max_nanoseconds);

/* Appends the next bytes and frees the bytes that libjpeg has consumed. `is_finished` means that no more bytes */
/* follow: if the file then has no end marker, one is inserted. */
int webimage_jpeg_stream_append(webimage_jpeg_decoder *decoder, const uint8_t *data, size_t size, int is_finished);

/* setjmp around jpeg_read_header. Returns SUSPENDED while the header is incomplete. */
int webimage_jpeg_stream_read_header(webimage_jpeg_decoder *decoder, webimage_jpeg_header *header, int *has_scans);

/* setjmp around jpeg_start_decompress, in buffered-image mode when the file has several scans. */
int webimage_jpeg_stream_start(webimage_jpeg_decoder *decoder);

/* setjmp around jpeg_read_scanlines, for a file of one scan. Reads all arrived rows; *row_count is their number
   so far. */
int webimage_jpeg_stream_read_rows(webimage_jpeg_decoder *decoder, uint8_t *pixels, size_t stride, int *row_count);

/* setjmp around jpeg_consume_input, for a file of several scans. *scan_count becomes the number of complete scans. */
int webimage_jpeg_stream_read_scans(webimage_jpeg_decoder *decoder, int *scan_count);

/* setjmp around one output pass, which draws the picture up to `scan`. That scan must be complete. */
int webimage_jpeg_stream_draw(webimage_jpeg_decoder *decoder, int scan, uint8_t *pixels, size_t stride);

/* Whether the whole picture has arrived. Call this after reading rows or scans has returned OK. */
int webimage_jpeg_stream_is_complete(const webimage_jpeg_decoder *decoder);

/* Bytes that the encoder writes to the file unchanged. NULL and 0 if there are none. */
typedef struct {
    const uint8_t *bytes;
    size_t length;
} webimage_jpeg_bytes;

typedef struct {
    int width;
    int height;
    int color;      /* a J_COLOR_SPACE */
    int components;
    int quality;    /* 0 to 100 */
    int halves_chroma;
    int is_progressive;
    webimage_jpeg_bytes icc;
    webimage_jpeg_bytes exif; /* APP1 payloads with their signatures, at most 65533 bytes each */
    webimage_jpeg_bytes xmp;
} webimage_jpeg_settings;

/* setjmp around the compression of a whole image. The caller frees *out. `message` has space for 200 bytes. */
int webimage_jpeg_encode(
    const uint8_t *pixels, size_t stride, const webimage_jpeg_settings *settings, uint8_t **out, size_t *out_length,
    char *message);

#endif
