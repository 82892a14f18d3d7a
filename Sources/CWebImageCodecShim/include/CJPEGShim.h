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
    /* Memory for the coefficients of a file of several scans, which libjpeg stores at any output size; else 0. */
    size_t coefficient_bytes;
} webimage_jpeg_header;

/* Allocates the state that setjmp and libjpeg's callbacks share; `data` must outlive it. NULL when out of memory.
   More than `max_ancillary` bytes of APP1 and APP2 end the decode with WEBIMAGE_JPEG_ANCILLARY. */
webimage_jpeg_decoder *webimage_jpeg_decoder_create(
    const uint8_t *data, size_t size, size_t max_ancillary, int64_t max_nanoseconds);
void webimage_jpeg_decoder_free(webimage_jpeg_decoder *decoder);

/* setjmp around jpeg_read_header. */
int webimage_jpeg_read_header(webimage_jpeg_decoder *decoder, webimage_jpeg_header *header);

/* The first saved APP1 that starts with `signature`, without the signature. In C because cinfo is in the opaque state. */
int webimage_jpeg_find_app1(
    const webimage_jpeg_decoder *decoder, const char *signature, size_t signature_length, const uint8_t **data,
    size_t *length);

/* setjmp around jpeg_read_icc_profile; the caller frees *data. Not OK when there is no profile or it is incomplete. */
int webimage_jpeg_read_icc(webimage_jpeg_decoder *decoder, uint8_t **data, size_t *length);

/* setjmp around jpeg_calc_output_dimensions, for out_color_space `color` (a J_COLOR_SPACE) at scale_num / 8. */
int webimage_jpeg_output_size(webimage_jpeg_decoder *decoder, int color, int scale_num, int *width, int *height);

/* setjmp around the decompression of all rows, into rows `stride` bytes apart. */
int webimage_jpeg_read_rows(webimage_jpeg_decoder *decoder, uint8_t *pixels, size_t stride);

/* libjpeg's message of the failure. */
const char *webimage_jpeg_message(const webimage_jpeg_decoder *decoder);
/* Whether libjpeg ran out of input. */
int webimage_jpeg_ran_dry(const webimage_jpeg_decoder *decoder);

/* Makes a decoder of a file that arrives in pieces. In C because libjpeg's source manager is a table of callbacks. */
webimage_jpeg_decoder *webimage_jpeg_stream_create(size_t max_ancillary, int64_t max_nanoseconds);

/* Takes the next bytes and drops those that libjpeg has consumed. After `is_finished` a missing end is inserted. */
int webimage_jpeg_stream_append(webimage_jpeg_decoder *decoder, const uint8_t *data, size_t size, int is_finished);

/* setjmp around jpeg_read_header; SUSPENDED while the header is incomplete. */
int webimage_jpeg_stream_read_header(webimage_jpeg_decoder *decoder, webimage_jpeg_header *header, int *has_scans);

/* setjmp around jpeg_start_decompress, in buffered-image mode when the file has several scans. */
int webimage_jpeg_stream_start(webimage_jpeg_decoder *decoder);

/* setjmp around jpeg_read_scanlines of a file of one scan: reads all rows that have arrived; *row_count is their number
   so far. */
int webimage_jpeg_stream_read_rows(webimage_jpeg_decoder *decoder, uint8_t *pixels, size_t stride, int *row_count);

/* setjmp around jpeg_consume_input of a file of several scans; *scan_count is the number of complete scans. */
int webimage_jpeg_stream_read_scans(webimage_jpeg_decoder *decoder, int *scan_count);

/* setjmp around one output pass of `scan`, which must be complete. */
int webimage_jpeg_stream_draw(webimage_jpeg_decoder *decoder, int scan, uint8_t *pixels, size_t stride);

/* Whether the whole picture has arrived; to be called after reading rows or scans returned OK. */
int webimage_jpeg_stream_is_complete(const webimage_jpeg_decoder *decoder);

/* Bytes that are written unchanged; NULL and 0 for none. */
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

/* setjmp around a whole compression; the caller frees *out. `message` has space for 200 bytes. */
int webimage_jpeg_encode(
    const uint8_t *pixels, size_t stride, const webimage_jpeg_settings *settings, uint8_t **out, size_t *out_length,
    char *message);

#endif
