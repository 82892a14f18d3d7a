#ifndef JPEG_DECODER_STATE_H
#define JPEG_DECODER_STATE_H

#include "CJPEGShim.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <jpeglib.h>
#include <jerror.h>

/* Declarations that the decoder of complete files and the decoder of arriving files share. */

/* The input of a decoder for an arriving file. New bytes are appended at the end. libjpeg consumes bytes from the
   start. */
typedef struct {
    struct jpeg_source_mgr base; /* the first member, because cinfo->src is cast to growing_source * */
    uint8_t *memory;
    size_t capacity;
    size_t to_skip;     /* the number of bytes of a skipped marker that have not arrived yet */
    int is_finished;
    int64_t nanoseconds_left; /* time spent waiting for bytes does not count */
} growing_source;

typedef struct {
    struct jpeg_error_mgr base; /* the first member, because cinfo->err is cast to error_manager * */
    jmp_buf escape;
    char message[JMSG_LENGTH_MAX];
    int status;
    int ran_dry;     /* a fake end of image was inserted */
    int lacked_data; /* zeros replaced missing entropy-coded bits */
    size_t ancillary;
    size_t metadata;
    size_t max_ancillary;
} error_manager;

struct webimage_jpeg_decoder {
    struct jpeg_decompress_struct cinfo;
    error_manager errors;
    struct jpeg_progress_mgr progress;
    int64_t deadline;
    int (*should_stop)(void); /* NULL, or returns whether the decode must end */
    int ignores_cost;         /* see webimage_jpeg_ignore_cost */
    growing_source *source; /* NULL when the whole file is in memory */
};

/* The output buffer of an encoder. When the buffer is full, its capacity is doubled. jpeg_mem_dest is not used: after
   an error, the caller cannot know which buffer of jpeg_mem_dest is still allocated. */
typedef struct {
    struct jpeg_destination_mgr base; /* the first member, because cinfo->dest is cast to this type */
    uint8_t *memory;
    size_t capacity;
} memory_destination;

typedef struct {
    struct jpeg_progress_mgr base; /* the first member, because cinfo->progress is cast to this type */
    int (*should_stop)(void);
    long calls;
} stopping_progress;

/* The encoder's state. It is allocated on the heap: local variables that change after setjmp have undefined values
   after longjmp. */
typedef struct {
    struct jpeg_compress_struct cinfo;
    error_manager errors;
    memory_destination destination;
    stopping_progress progress;
    struct jpeg_compress_struct sample; /* whose Huffman codes are used; zeros if there is none */
    memory_destination sample_destination;
} webimage_jpeg_encoder;

/* Prepares libjpeg's error handling. Call this function before setjmp sets the jump target. */
struct jpeg_error_mgr *webimage_jpeg_prepare_errors(error_manager *errors);
/* Creates the compressor with its output and a function that ends it, or NULL. Call this function after setjmp has set the
   jump target. */
void webimage_jpeg_start_encoder(webimage_jpeg_encoder *encoder, int (*should_stop)(void));
/* Makes the destination that of the compressor. */
void webimage_jpeg_write_to(j_compress_ptr cinfo, memory_destination *destination);
/* Writes rows to a compressor that has started. */
void webimage_jpeg_write_rows(j_compress_ptr cinfo, const uint8_t *pixels, size_t stride, JDIMENSION count);
/* Destroys the compressor. *out is the written file, which the caller frees. */
void webimage_jpeg_take_output(webimage_jpeg_encoder *encoder, uint8_t **out, size_t *out_length);
void webimage_jpeg_free_encoder(webimage_jpeg_encoder *encoder);

/* Replaces the Huffman codes of a compressor, whose other settings are made, by codes that fit the picture. */
void webimage_jpeg_fit_codes(webimage_jpeg_encoder *encoder, const uint8_t *pixels, size_t stride);

int64_t webimage_jpeg_now(void);
/* Creates a decoder that has no input yet. NULL when out of memory. */
webimage_jpeg_decoder *webimage_jpeg_decoder_make(size_t max_ancillary, int64_t max_nanoseconds);
/* Copies the values of the file's header to `header`. Call this function after setjmp has set the jump target. */
void webimage_jpeg_describe(const webimage_jpeg_decoder *decoder, webimage_jpeg_header *header);
/* Calls longjmp if the deadline has passed or the file has too many scans. */
void webimage_jpeg_check_progress(webimage_jpeg_decoder *decoder);
/* Whether all coefficients have arrived completely, as far as libjpeg can detect this. */
int webimage_jpeg_is_complete(const webimage_jpeg_decoder *decoder);

#endif
