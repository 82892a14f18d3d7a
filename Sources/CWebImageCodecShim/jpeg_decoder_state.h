#ifndef JPEG_DECODER_STATE_H
#define JPEG_DECODER_STATE_H

#include "CJPEGShim.h"

#include <setjmp.h>
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
