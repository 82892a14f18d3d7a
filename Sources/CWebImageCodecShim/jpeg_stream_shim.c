#include "jpeg_decoder_state.h"

static const JOCTET made_up_end[2] = {0xFF, JPEG_EOI};

static void nothing(j_decompress_ptr cinfo) { (void)cinfo; }

static boolean fill(j_decompress_ptr cinfo) {
    growing_source *source = (growing_source *)cinfo->src;
    if (!source->is_finished) return FALSE;
    /* The file has ended without an end marker. Insert an end marker, as the input sources of libjpeg do. */
    WARNMS(cinfo, JWRN_JPEG_EOF);
    source->base.next_input_byte = made_up_end;
    source->base.bytes_in_buffer = sizeof made_up_end;
    return TRUE;
}

static void skip(j_decompress_ptr cinfo, long count) {
    growing_source *source = (growing_source *)cinfo->src;
    if (count <= 0) return;
    size_t present = source->base.bytes_in_buffer;
    size_t now = (size_t)count < present ? (size_t)count : present;
    source->base.next_input_byte += now;
    source->base.bytes_in_buffer -= now;
    source->to_skip += (size_t)count - now;
}

/* The time limit counts only the time inside calls. It does not count the time between calls, in which the caller waits
   for bytes. Each function that consumes input calls begin() first and returns the result of end(). */
static void begin(webimage_jpeg_decoder *decoder) {
    int64_t start = webimage_jpeg_now();
    int64_t left = decoder->source->nanoseconds_left;
    decoder->deadline = left > INT64_MAX - start ? INT64_MAX : start + left;
}

static int end(webimage_jpeg_decoder *decoder, int status) {
    if (decoder->deadline != INT64_MAX) decoder->source->nanoseconds_left = decoder->deadline - webimage_jpeg_now();
    return status;
}

webimage_jpeg_decoder *webimage_jpeg_stream_create(size_t max_ancillary, int64_t max_nanoseconds) {
    webimage_jpeg_decoder *decoder = webimage_jpeg_decoder_make(max_ancillary, max_nanoseconds);
    if (!decoder) return NULL;
    growing_source *source = calloc(1, sizeof *source);
    if (!source) {
        webimage_jpeg_decoder_free(decoder);
        return NULL;
    }
    source->nanoseconds_left = max_nanoseconds;
    source->base.init_source = nothing;
    source->base.term_source = nothing;
    source->base.fill_input_buffer = fill;
    source->base.skip_input_data = skip;
    source->base.resync_to_restart = jpeg_resync_to_restart;
    decoder->source = source;
    decoder->cinfo.src = &source->base;
    return decoder;
}

/* Makes space for `count` bytes after the unread bytes. Returns 0 when out of memory. If the space at the end of the
   buffer is too small, there are two cases. If the unread and the new bytes together need at most half of the buffer,
   moves the unread bytes to the start of the buffer. Otherwise allocates a larger buffer. Without this rule, each byte
   of a file in many small pieces could be moved many times. */
static int make_room(growing_source *source, size_t count) {
    size_t left = source->base.bytes_in_buffer;
    size_t start = left > 0 ? (size_t)(source->base.next_input_byte - source->memory) : 0;
    if (source->memory && source->capacity - start - left >= count) {
        if (left == 0) source->base.next_input_byte = source->memory;
        return 1;
    }
    if (source->memory && source->capacity / 2 >= left + count) {
        memmove(source->memory, source->base.next_input_byte, left);
    } else {
        size_t capacity = 2 * (left + count) < 65536 ? 65536 : 2 * (left + count);
        uint8_t *memory = malloc(capacity);
        if (!memory) return 0;
        if (left > 0) memcpy(memory, source->base.next_input_byte, left);
        free(source->memory);
        source->memory = memory;
        source->capacity = capacity;
    }
    source->base.next_input_byte = source->memory;
    return 1;
}

int webimage_jpeg_stream_append(webimage_jpeg_decoder *decoder, const uint8_t *data, size_t size, int is_finished) {
    growing_source *source = decoder->source;
    if (source->is_finished) return WEBIMAGE_JPEG_OK;
    source->is_finished = is_finished;
    size_t skipped = source->to_skip < size ? source->to_skip : size;
    source->to_skip -= skipped;
    data += skipped;
    size -= skipped;
    if (size == 0) return WEBIMAGE_JPEG_OK;
    if (!make_room(source, size)) return WEBIMAGE_JPEG_FAILED;
    memcpy((uint8_t *)source->base.next_input_byte + source->base.bytes_in_buffer, data, size);
    source->base.bytes_in_buffer += size;
    return WEBIMAGE_JPEG_OK;
}

int webimage_jpeg_stream_read_header(webimage_jpeg_decoder *decoder, webimage_jpeg_header *header, int *has_scans) {
    if (setjmp(decoder->errors.escape)) return end(decoder, decoder->errors.status);
    begin(decoder);
    if (jpeg_read_header(&decoder->cinfo, TRUE) == JPEG_SUSPENDED) return end(decoder, WEBIMAGE_JPEG_SUSPENDED);
    webimage_jpeg_describe(decoder, header);
    *has_scans = jpeg_has_multiple_scans(&decoder->cinfo);
    return end(decoder, WEBIMAGE_JPEG_OK);
}

int webimage_jpeg_stream_start(webimage_jpeg_decoder *decoder) {
    struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
    if (setjmp(decoder->errors.escape)) return end(decoder, decoder->errors.status);
    /* The arithmetic decoder cannot pause when bytes are missing. Therefore decoding starts only after all bytes have
       arrived. */
    if (cinfo->arith_code && !decoder->source->is_finished) return WEBIMAGE_JPEG_SUSPENDED;
    begin(decoder);
    cinfo->buffered_image = jpeg_has_multiple_scans(cinfo);
    int has_started = jpeg_start_decompress(cinfo);
    return end(decoder, has_started ? WEBIMAGE_JPEG_OK : WEBIMAGE_JPEG_SUSPENDED);
}

/* Reads rows. Returns OK at the end of the picture, SUSPENDED when more bytes must arrive, and TRUNCATED when all
   further rows would be grey. */
static int read_rows(webimage_jpeg_decoder *decoder, uint8_t *pixels, size_t stride) {
    struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
    JSAMPROW rows[64];
    while (cinfo->output_scanline < cinfo->output_height) {
        JDIMENSION left = cinfo->output_height - cinfo->output_scanline;
        JDIMENSION count = left < 64 ? left : 64;
        for (JDIMENSION row = 0; row < count; row++) rows[row] = pixels + (cinfo->output_scanline + row) * stride;
        if (jpeg_read_scanlines(cinfo, rows, count) == 0) return WEBIMAGE_JPEG_SUSPENDED;
        if (!cinfo->buffered_image && decoder->errors.ran_dry && decoder->errors.lacked_data)
            return WEBIMAGE_JPEG_TRUNCATED;
    }
    return WEBIMAGE_JPEG_OK;
}

int webimage_jpeg_stream_read_rows(webimage_jpeg_decoder *decoder, uint8_t *pixels, size_t stride, int *row_count) {
    if (setjmp(decoder->errors.escape)) return end(decoder, decoder->errors.status);
    begin(decoder);
    int status = read_rows(decoder, pixels, stride);
    *row_count = (int)decoder->cinfo.output_scanline;
    return end(decoder, status);
}

int webimage_jpeg_stream_read_scans(webimage_jpeg_decoder *decoder, int *scan_count) {
    struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
    if (setjmp(decoder->errors.escape)) return end(decoder, decoder->errors.status);
    begin(decoder);
    int status;
    do {
        status = jpeg_consume_input(cinfo);
        webimage_jpeg_check_progress(decoder);
    } while (status != JPEG_SUSPENDED && status != JPEG_REACHED_EOI);
    /* Before the end of the file, do not count the current scan. This scan is certainly complete only when the next
       scan begins. */
    *scan_count = status == JPEG_REACHED_EOI ? cinfo->input_scan_number : cinfo->input_scan_number - 1;
    return end(decoder, status == JPEG_REACHED_EOI ? WEBIMAGE_JPEG_OK : WEBIMAGE_JPEG_SUSPENDED);
}

int webimage_jpeg_stream_draw(webimage_jpeg_decoder *decoder, int scan, uint8_t *pixels, size_t stride) {
    struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
    if (setjmp(decoder->errors.escape)) return decoder->errors.status;
    /* This function does not call end(). Therefore the time of an output pass does not reduce the time that is left for
       the file. */
    begin(decoder);
    /* Block smoothing takes more time than the pass itself. Use smoothing only for the first scan, which is the
       coarsest, and for the last pass. The pixels of the last pass must be equal to the pixels of a decode of the whole
       file, which uses smoothing. */
    cinfo->do_block_smoothing = scan == 1 || jpeg_input_complete(cinfo);
    if (!jpeg_start_output(cinfo, scan)) return WEBIMAGE_JPEG_SUSPENDED;
    int status = read_rows(decoder, pixels, stride);
    if (status != WEBIMAGE_JPEG_OK) return status;
    return jpeg_finish_output(cinfo) ? WEBIMAGE_JPEG_OK : WEBIMAGE_JPEG_SUSPENDED;
}

int webimage_jpeg_stream_is_complete(const webimage_jpeg_decoder *decoder) {
    return webimage_jpeg_is_complete(decoder);
}
