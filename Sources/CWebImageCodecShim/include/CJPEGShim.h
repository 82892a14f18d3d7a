#ifndef CJPEGSHIM_H
#define CJPEGSHIM_H

#include <stddef.h>
#include <stdint.h>

/* libjpeg reports errors by a function that must not return. Swift frames cannot be jumped over, so every call that may
   fail is made here, between setjmp and longjmp of this file. */

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
    /* What libjpeg keeps of a file of several scans: every coefficient, whatever size is wanted; else 0. */
    size_t coefficient_bytes;
} webimage_jpeg_header;

/* Allocates the state that setjmp and libjpeg's callbacks share; `data` must outlive it. NULL without memory.
   Saving of APP1 and APP2 ends with WEBIMAGE_JPEG_ANCILLARY at `max_ancillary` bytes. */
webimage_jpeg_decoder *webimage_jpeg_decoder_create(
    const uint8_t *data, size_t size, size_t max_ancillary, int64_t max_nanoseconds);
void webimage_jpeg_decoder_free(webimage_jpeg_decoder *decoder);

/* setjmp around jpeg_read_header. */
int webimage_jpeg_read_header(webimage_jpeg_decoder *decoder, webimage_jpeg_header *header);

/* The first saved APP1 that starts with `signature`, without it; cinfo lives in the opaque state. */
int webimage_jpeg_find_app1(
    const webimage_jpeg_decoder *decoder, const char *signature, size_t signature_length, const uint8_t **data,
    size_t *length);

/* setjmp around jpeg_read_icc_profile; *data is to be freed. Not OK when there is none or it is incomplete. */
int webimage_jpeg_read_icc(webimage_jpeg_decoder *decoder, uint8_t **data, size_t *length);

/* setjmp around jpeg_calc_output_dimensions, for out_color_space `color` (a J_COLOR_SPACE) at scale_num / 8. */
int webimage_jpeg_output_size(webimage_jpeg_decoder *decoder, int color, int scale_num, int *width, int *height);

/* setjmp around the decompression of all rows, into rows `stride` bytes apart. */
int webimage_jpeg_read_rows(webimage_jpeg_decoder *decoder, uint8_t *pixels, size_t stride);

/* libjpeg's words for what failed. */
const char *webimage_jpeg_message(const webimage_jpeg_decoder *decoder);
/* Whether libjpeg ran out of input. */
int webimage_jpeg_ran_dry(const webimage_jpeg_decoder *decoder);

/* A decoder whose file arrives in pieces; in C because libjpeg's source manager is a table of callbacks. */
webimage_jpeg_decoder *webimage_jpeg_stream_create(size_t max_ancillary, int64_t max_nanoseconds);

/* Takes the next bytes; what libjpeg has used up is dropped. After `is_finished` a missing end is made up. */
int webimage_jpeg_stream_append(webimage_jpeg_decoder *decoder, const uint8_t *data, size_t size, int is_finished);

/* setjmp around jpeg_read_header; SUSPENDED while it is not whole. */
int webimage_jpeg_stream_read_header(webimage_jpeg_decoder *decoder, webimage_jpeg_header *header, int *has_scans);

/* setjmp around jpeg_start_decompress, in buffered-image mode when the file has several scans. */
int webimage_jpeg_stream_start(webimage_jpeg_decoder *decoder);

/* setjmp around jpeg_read_scanlines of a file of one scan: all rows that have arrived; *row_count is how many there
   are by now. */
int webimage_jpeg_stream_read_rows(webimage_jpeg_decoder *decoder, uint8_t *pixels, size_t stride, int *row_count);

/* setjmp around jpeg_consume_input of a file of several scans; *scan_count is how many are complete. */
int webimage_jpeg_stream_read_scans(webimage_jpeg_decoder *decoder, int *scan_count);

/* setjmp around one output pass that shows `scan`, a complete one. */
int webimage_jpeg_stream_draw(webimage_jpeg_decoder *decoder, int scan, uint8_t *pixels, size_t stride);

/* Whether the whole picture has arrived, once rows or scans say OK. */
int webimage_jpeg_stream_is_complete(const webimage_jpeg_decoder *decoder);

/* Bytes that go into the file as they are; NULL and 0 for none. */
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

/* setjmp around a whole compression; *out is to be freed. `message` takes 200 bytes. */
int webimage_jpeg_encode(
    const uint8_t *pixels, size_t stride, const webimage_jpeg_settings *settings, uint8_t **out, size_t *out_length,
    char *message);

#endif
