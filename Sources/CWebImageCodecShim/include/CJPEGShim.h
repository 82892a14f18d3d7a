#ifndef CJPEGSHIM_H
#define CJPEGSHIM_H

#include <stddef.h>
#include <stdint.h>

/* libjpeg reports an error by calling a function that must not return. In this shim, that function calls longjmp.
   longjmp must not cross Swift frames. Therefore Swift code does not call a libjpeg function that can fail. The
   functions below call setjmp first, and then libjpeg. */

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
    int has_icc_marker;
    int has_small_components; /* whether a component has fewer samples than another, as chroma of 4:2:0 */
    int mean_step; /* the quantisation step of the means (DC) of luma, grey or the first ink; 0 if no table comes before the scans */
    /* The size in bytes of all coefficients of a file with several scans; 0 for a file with one scan. libjpeg stores
       these coefficients in memory, even for a small output size. */
    size_t coefficient_bytes;
} webimage_jpeg_header;

/* Creates a decoder for a file in memory. `data` must outlive the decoder. Returns NULL when out of memory. A later
   call returns WEBIMAGE_JPEG_ANCILLARY if the APP1 and APP2 segments have more than `max_ancillary` bytes in total. The
   decoder is in C because libjpeg's callbacks use the decoder's state and call longjmp. */
webimage_jpeg_decoder *webimage_jpeg_decoder_create(
    const uint8_t *data, size_t size, size_t max_ancillary, int64_t max_nanoseconds);
void webimage_jpeg_decoder_free(webimage_jpeg_decoder *decoder);

/* Calls setjmp, then jpeg_read_header. */
int webimage_jpeg_read_header(webimage_jpeg_decoder *decoder, webimage_jpeg_header *header);

/* Finds the first saved APP1 segment that starts with `signature`. *data points to the bytes after the signature. The
   function is in C because the decoder type is opaque: Swift cannot read libjpeg's list of saved segments. */
int webimage_jpeg_find_app1(
    const webimage_jpeg_decoder *decoder, const char *signature, size_t signature_length, const uint8_t **data,
    size_t *length);

/* Finds a saved segment of an ICC profile. The first segment in the file has the index 0. *data points to the bytes
   after the signature. The result is not OK if there are fewer segments. The function is in C because the decoder type
   is opaque: Swift cannot read libjpeg's list of saved segments. */
int webimage_jpeg_find_icc(const webimage_jpeg_decoder *decoder, int index, const uint8_t **data, size_t *length);

/* Calls setjmp. Then sets out_color_space to `color` (a J_COLOR_SPACE) and the scale to `scale_num` / 8, and calls
   jpeg_calc_output_dimensions. */
int webimage_jpeg_output_size(webimage_jpeg_decoder *decoder, int color, int scale_num, int *width, int *height);

/* Sets a function that is called between rows of blocks. The decode ends as out of time if it does not return 0. */
void webimage_jpeg_set_stop(webimage_jpeg_decoder *decoder, int (*should_stop)(void));

/* The time at which the decode must end, in nanoseconds of CLOCK_MONOTONIC. */
int64_t webimage_jpeg_deadline(const webimage_jpeg_decoder *decoder);

/* Calls setjmp, then decompresses all rows. Row starts in `pixels` are `stride` bytes apart. */
int webimage_jpeg_read_rows(webimage_jpeg_decoder *decoder, uint8_t *pixels, size_t stride);

/* Decompresses all rows on `threads` threads, the caller's and others that end before the function returns. The pixels are
   those of webimage_jpeg_read_rows. The header must have been read from `data`, and the output's size be set; nothing
   else may have been read. The result is FAILED if the file cannot be decoded in strips (progressive, damaged, few rows):
   then call webimage_jpeg_read_rows. The function is in C because each thread calls setjmp. */
int webimage_jpeg_read_strips(
    const webimage_jpeg_decoder *decoder, const uint8_t *data, size_t size, int threads, uint8_t *pixels, size_t stride);
/* Decodes in strips also where it saves no time. Tests call it. */
void webimage_jpeg_ignore_cost(webimage_jpeg_decoder *decoder);

/* Returns libjpeg's message for the last failure. */
const char *webimage_jpeg_message(const webimage_jpeg_decoder *decoder);
/* Whether libjpeg needed more bytes than the input has. */
int webimage_jpeg_ran_dry(const webimage_jpeg_decoder *decoder);

/* Creates a decoder for a file that arrives in pieces. The function is in C because libjpeg's source manager is a table
   of callbacks. */
webimage_jpeg_decoder *webimage_jpeg_stream_create(size_t max_ancillary, int64_t max_nanoseconds);

/* Appends the next bytes. Reuses the memory of the bytes that libjpeg has consumed. `is_finished` means that no more
   bytes follow. If such a file has no end marker, the decoder inserts an end marker. */
int webimage_jpeg_stream_append(webimage_jpeg_decoder *decoder, const uint8_t *data, size_t size, int is_finished);

/* Calls setjmp, then jpeg_read_header. Returns SUSPENDED while the header is incomplete. */
int webimage_jpeg_stream_read_header(webimage_jpeg_decoder *decoder, webimage_jpeg_header *header, int *has_scans);

/* Calls setjmp, then jpeg_start_decompress. Uses buffered-image mode if the file has several scans. */
int webimage_jpeg_stream_start(webimage_jpeg_decoder *decoder);

/* For a file of one scan: calls setjmp, then jpeg_read_scanlines. Reads all rows that have arrived. Sets *row_count to
   the number of rows read since the start of the file. */
int webimage_jpeg_stream_read_rows(webimage_jpeg_decoder *decoder, uint8_t *pixels, size_t stride, int *row_count);

/* For a file of several scans: calls setjmp, then jpeg_consume_input. Sets *scan_count to the number of complete
   scans. */
int webimage_jpeg_stream_read_scans(webimage_jpeg_decoder *decoder, int *scan_count);

/* Calls setjmp, then performs one output pass. The pass draws the picture from the scans 1 to `scan`. All these scans
   must be complete. */
int webimage_jpeg_stream_draw(webimage_jpeg_decoder *decoder, int scan, uint8_t *pixels, size_t stride);

/* Whether the whole picture has arrived. Call this function only after webimage_jpeg_stream_read_rows or
   webimage_jpeg_stream_read_scans has returned OK. */
int webimage_jpeg_stream_is_complete(const webimage_jpeg_decoder *decoder);

/* Bytes that the encoder writes to the file unchanged. If there are none, `bytes` is NULL and `length` is 0. */
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
    const uint16_t *table; /* NULL, or the 64 quantisation steps of all channels in rows, instead of a quality */
    int halves_chroma;
    int is_progressive;
    int density[2]; /* pixels for each inch from left to right and from top to bottom, or 0 */
    webimage_jpeg_bytes icc;
    webimage_jpeg_bytes exif; /* APP1 payloads with their signatures, at most 65533 bytes each */
    webimage_jpeg_bytes xmp;
    int (*should_stop)(void); /* called between rows; a result other than 0 ends the encoding as a failure */
} webimage_jpeg_settings;

/* Calls setjmp, then compresses a whole image. The caller frees *out with free(). `message` has space for 200 bytes. */
int webimage_jpeg_encode(
    const uint8_t *pixels, size_t stride, const webimage_jpeg_settings *settings, uint8_t **out, size_t *out_length,
    char *message);

/* How a file is written again with the same coefficients. */
typedef struct {
    int orientation;   /* the EXIF orientation from which the blocks are turned upright; 1: not turned */
    int keeps_markers; /* whether all segments are kept; otherwise only JFIF, Adobe's and the colour profile */
    /* APP1 payloads with their signatures. If they are not empty, they replace the file's EXIF and XMP. */
    webimage_jpeg_bytes exif;
    webimage_jpeg_bytes xmp;
    int tries_scripts; /* whether further orders of progressive scans are tried */
    int (*should_stop)(void);
} webimage_jpeg_rewriting;

/* Calls setjmp, then writes the file's coefficients again in the smallest of several ways: one scan, progressive scans, each
   with optimal Huffman codes. Fails for damaged files, and if the blocks of the file's right or lower edge are cut so that it
   cannot be turned. *rest is the number of bytes after the end of the picture. The caller frees *out with free(). `message` has
   space for 200 bytes. */
int webimage_jpeg_rewrite(
    const uint8_t *data, size_t size, int64_t max_nanoseconds, const webimage_jpeg_rewriting *wanted, uint8_t **out,
    size_t *out_length, size_t *rest, char *message);

/* Calls setjmp, then compares two files. Returns whether the second one has exactly the coefficients, quantisers, sampling and
   size of the first one, turned upright from `orientation`. */
int webimage_jpeg_is_same(
    const uint8_t *first, size_t first_size, const uint8_t *second, size_t second_size, int orientation,
    int64_t max_nanoseconds);

#endif
