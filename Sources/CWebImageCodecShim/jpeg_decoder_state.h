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

/* Shared by the decoders of whole files and of files that are still arriving. */

/* Input to which bytes are appended while libjpeg consumes it from the start. */
typedef struct {
    struct jpeg_source_mgr base; /* first, so that cinfo->src can be cast back */
    uint8_t *memory;
    size_t capacity;
    size_t to_skip;     /* bytes of a skipped marker that have not arrived yet */
    int is_finished;
    int64_t nanoseconds_left; /* time spent waiting for bytes does not count */
} growing_source;

typedef struct {
    struct jpeg_error_mgr base; /* first, so that cinfo->err can be cast back */
    jmp_buf escape;
    char message[JMSG_LENGTH_MAX];
    int status;
    int ran_dry;     /* a fake end of image was inserted */
    int lacked_data; /* zeros replaced missing entropy-coded bits */
    size_t ancillary;
    size_t max_ancillary;
} error_manager;

struct webimage_jpeg_decoder {
    struct jpeg_decompress_struct cinfo;
    error_manager errors;
    struct jpeg_progress_mgr progress;
    int64_t deadline;
    growing_source *source; /* NULL when the whole file is in memory */
};

int64_t webimage_jpeg_now(void);
/* Makes a decoder without a source; NULL when out of memory. */
webimage_jpeg_decoder *webimage_jpeg_decoder_make(size_t max_ancillary, int64_t max_nanoseconds);
/* Fills in the facts of the header; to be called inside a jump target. */
void webimage_jpeg_describe(const webimage_jpeg_decoder *decoder, webimage_jpeg_header *header);
/* Jumps to the jump target when the deadline has passed or there are too many scans. */
void webimage_jpeg_check_progress(webimage_jpeg_decoder *decoder);
/* Whether all bits of all coefficients have arrived, as far as libjpeg can tell. */
int webimage_jpeg_is_complete(const webimage_jpeg_decoder *decoder);

#endif
