#include "png_state.h"

#include <stdlib.h>
#include <string.h>

struct CPNGStream {
    png_structp png;
    png_infop info;
    CPNGLayout layout;
    uint8_t *pixels;
    size_t stride;
    uint32_t height;
    CPNGProgress progress;
    int passes;
    Failure failure;
};

static void take_info(png_structp png, png_infop info) {
    CPNGStream *stream = png_get_progressive_ptr(png);
    stream->passes = cpng_transform(png, info, stream->layout);
    if (png_get_rowbytes(png, info) > stream->stride || png_get_image_height(png, info) > stream->height)
        png_error(png, "the picture is larger than its header declares");
}

static void take_row(png_structp png, png_bytep row, png_uint_32 index, int pass) {
    CPNGStream *stream = png_get_progressive_ptr(png);
    if (index >= stream->height) return;
    // For an early pass of an interlaced picture, this call fills a whole block with each pixel. Therefore the picture
    // has no gaps, even after the first pass.
    png_progressive_combine_row(png, stream->pixels + (size_t)index * stream->stride, row);
    stream->progress.event_count++;
    if (pass == 0) stream->progress.first_pass_rows = index + 1;
    if (pass > 0) stream->progress.first_pass_rows = stream->height;
    if (pass == stream->passes - 1) stream->progress.final_rows = index + 1;
}

// Treats a wrong checksum after the last row as an error, as the reader of complete files does. libpng's push reader
// only reports a warning.
static void refuse_damaged_end(png_structp png, png_const_charp message) {
    if (strstr(message, "Truncated compressed data") != NULL) png_error(png, "IDAT: incorrect data check");
    cpng_take_warning(png, message);
}

static void take_end(png_structp png, png_infop info) {
    bool is_whole = png_get_interlace_type(png, info) == PNG_INTERLACE_NONE
                        ? png_get_current_row_number(png) >= png_get_image_height(png, info)
                        : png_get_current_pass_number(png) > 6;
    if (!is_whole) png_error(png, "Not enough image data");
    CPNGStream *stream = png_get_progressive_ptr(png);
    stream->progress.first_pass_rows = stream->progress.final_rows = stream->height;
    stream->progress.event_count++;
    stream->progress.has_ended = true;
}

CPNGStream *cpng_stream_create(
    CPNGLayout layout, uint8_t *pixels, size_t stride, uint32_t height, size_t max_chunk_bytes) {
    CPNGStream *stream = calloc(1, sizeof *stream);
    if (stream == NULL) return NULL;
    stream->layout = layout;
    stream->pixels = pixels;
    stream->stride = stride;
    stream->height = height;
    if (setjmp(stream->failure.target) == 0) {
        stream->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &stream->failure, cpng_fail, refuse_damaged_end);
        if (stream->png != NULL) stream->info = png_create_info_struct(stream->png);
        if (stream->info != NULL) {
            cpng_limit(stream->png, max_chunk_bytes);
            png_set_progressive_read_fn(stream->png, stream, take_info, take_row, take_end);
        }
    }
    if (stream->info == NULL) {
        cpng_stream_destroy(stream);
        return NULL;
    }
    return stream;
}

bool cpng_stream_append(CPNGStream *stream, const uint8_t *bytes, size_t count, CPNGProgress *progress) {
    // After an error, `*progress` still counts the rows before the damage.
    bool is_good = setjmp(stream->failure.target) == 0;
    if (is_good && !stream->progress.has_ended)
        png_process_data(stream->png, stream->info, (png_bytep)bytes, count);
    *progress = stream->progress;
    return is_good;
}

const char *cpng_stream_message(const CPNGStream *stream) { return stream->failure.text; }

void cpng_stream_destroy(CPNGStream *stream) {
    if (stream == NULL) return;
    png_destroy_read_struct(&stream->png, &stream->info, NULL);
    free(stream);
}
