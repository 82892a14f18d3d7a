#include "jpeg_decoder_state.h"

/* The maximum number of scans per file. No known encoder writes so many scans. libjpeg processes the whole picture for
   each scan, so without a limit a small file with many scans could use much processor time. */
static const int max_scans = 500;

static const char icc_signature[12] = "ICC_PROFILE";

int64_t webimage_jpeg_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void escape(j_common_ptr cinfo, int status) {
    error_manager *errors = (error_manager *)cinfo->err;
    errors->status = status;
    longjmp(errors->escape, 1);
}

static void error_exit(j_common_ptr cinfo) {
    error_manager *errors = (error_manager *)cinfo->err;
    cinfo->err->format_message(cinfo, errors->message);
    escape(cinfo, WEBIMAGE_JPEG_FAILED);
}

/* libjpeg calls this function for each message. A negative `level` is a warning about damage. The other messages are
   traces: one trace per saved marker reports the size of the marker. */
static void emit_message(j_common_ptr cinfo, int level) {
    error_manager *errors = (error_manager *)cinfo->err;
    if (level < 0) {
        errors->base.num_warnings++;
        if (errors->base.msg_code == JWRN_JPEG_EOF) errors->ran_dry = 1;
        if (errors->base.msg_code == JWRN_HIT_MARKER) errors->lacked_data = 1;
    } else if (errors->base.msg_code == JTRC_MISC_MARKER) {
        int marker = errors->base.msg_parm.i[0];
        size_t length = (size_t)errors->base.msg_parm.i[1];
        if (marker == JPEG_APP0 + 1) {
            /* Metadata over the limit is not stored. The picture is decoded without it. */
            errors->metadata += length;
            if (errors->metadata > errors->max_ancillary) jpeg_save_markers((j_decompress_ptr)cinfo, JPEG_APP0 + 1, 0);
        } else if (marker == JPEG_APP0 + 2) {
            errors->ancillary += length;
            if (errors->ancillary > errors->max_ancillary) escape(cinfo, WEBIMAGE_JPEG_ANCILLARY);
        }
    }
}

static void output_message(j_common_ptr cinfo) { (void)cinfo; }

struct jpeg_error_mgr *webimage_jpeg_prepare_errors(error_manager *errors) {
    memset(errors, 0, sizeof *errors);
    jpeg_std_error(&errors->base);
    errors->base.error_exit = error_exit;
    errors->base.emit_message = emit_message;
    errors->base.output_message = output_message;
    errors->max_ancillary = SIZE_MAX;
    return &errors->base;
}

/* libjpeg calls this function between rows of blocks. */
static void progress_monitor(j_common_ptr cinfo) { webimage_jpeg_check_progress((webimage_jpeg_decoder *)cinfo); }

void webimage_jpeg_check_progress(webimage_jpeg_decoder *decoder) {
    j_common_ptr cinfo = (j_common_ptr)&decoder->cinfo;
    if (decoder->cinfo.input_scan_number > max_scans) escape(cinfo, WEBIMAGE_JPEG_TOO_MANY_SCANS);
    if (webimage_jpeg_now() > decoder->deadline || (decoder->should_stop && decoder->should_stop()))
        escape(cinfo, WEBIMAGE_JPEG_OUT_OF_TIME);
}

webimage_jpeg_decoder *webimage_jpeg_decoder_make(size_t max_ancillary, int64_t max_nanoseconds) {
    webimage_jpeg_decoder *decoder = calloc(1, sizeof *decoder);
    if (!decoder) return NULL;
    decoder->cinfo.err = webimage_jpeg_prepare_errors(&decoder->errors);
    decoder->errors.max_ancillary = max_ancillary;
    int64_t start = webimage_jpeg_now();
    decoder->deadline = max_nanoseconds > INT64_MAX - start ? INT64_MAX : start + max_nanoseconds;
    if (setjmp(decoder->errors.escape)) {
        jpeg_destroy_decompress(&decoder->cinfo);
        free(decoder);
        return NULL;
    }
    jpeg_create_decompress(&decoder->cinfo);
    decoder->progress.progress_monitor = progress_monitor;
    decoder->cinfo.progress = &decoder->progress;
    jpeg_save_markers(&decoder->cinfo, JPEG_APP0 + 1, 0xffff);
    jpeg_save_markers(&decoder->cinfo, JPEG_APP0 + 2, 0xffff);
    return decoder;
}

webimage_jpeg_decoder *webimage_jpeg_decoder_create(
    const uint8_t *data, size_t size, size_t max_ancillary, int64_t max_nanoseconds) {
    webimage_jpeg_decoder *decoder = webimage_jpeg_decoder_make(max_ancillary, max_nanoseconds);
    if (!decoder) return NULL;
    if (setjmp(decoder->errors.escape)) {
        webimage_jpeg_decoder_free(decoder);
        return NULL;
    }
    /* jpeg_mem_src fails for empty input; callers check the size first. */
    jpeg_mem_src(&decoder->cinfo, data, (unsigned long)size);
    return decoder;
}

void webimage_jpeg_decoder_free(webimage_jpeg_decoder *decoder) {
    if (!decoder) return;
    jpeg_destroy_decompress(&decoder->cinfo);
    if (decoder->source) free(decoder->source->memory);
    free(decoder->source);
    free(decoder);
}

int webimage_jpeg_read_header(webimage_jpeg_decoder *decoder, webimage_jpeg_header *header) {
    struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
    if (setjmp(decoder->errors.escape)) return decoder->errors.status;
    jpeg_read_header(cinfo, TRUE);
    webimage_jpeg_describe(decoder, header);
    return WEBIMAGE_JPEG_OK;
}

static int is_icc(jpeg_saved_marker_ptr marker) {
    return marker->marker == JPEG_APP0 + 2 && marker->data_length >= sizeof icc_signature + 2
        && memcmp(marker->data, icc_signature, sizeof icc_signature) == 0;
}

void webimage_jpeg_describe(const webimage_jpeg_decoder *decoder, webimage_jpeg_header *header) {
    const struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
    header->width = (int)cinfo->image_width;
    header->height = (int)cinfo->image_height;
    header->components = cinfo->num_components;
    header->precision = cinfo->data_precision;
    header->has_icc_marker = 0;
    header->coefficient_bytes = 0;
    header->has_small_components = 0;
    const JQUANT_TBL *table = NULL;
    if (cinfo->num_components > 0 && (unsigned)cinfo->comp_info[0].quant_tbl_no < NUM_QUANT_TBLS)
        table = cinfo->quant_tbl_ptrs[cinfo->comp_info[0].quant_tbl_no];
    header->mean_step = table ? table->quantval[0] : 0;
    for (int index = 0; index < cinfo->num_components; index++) {
        const jpeg_component_info *component = &cinfo->comp_info[index];
        if (component->h_samp_factor < cinfo->max_h_samp_factor || component->v_samp_factor < cinfo->max_v_samp_factor)
            header->has_small_components = 1;
    }
    if (jpeg_has_multiple_scans((j_decompress_ptr)cinfo)) {
        for (int index = 0; index < cinfo->num_components; index++) {
            const jpeg_component_info *component = &cinfo->comp_info[index];
            header->coefficient_bytes +=
                (size_t)component->width_in_blocks * component->height_in_blocks * DCTSIZE2 * sizeof(JCOEF);
        }
    }
    for (jpeg_saved_marker_ptr marker = cinfo->marker_list; marker; marker = marker->next) {
        if (is_icc(marker)) header->has_icc_marker = 1;
    }
}

int webimage_jpeg_find_app1(
    const webimage_jpeg_decoder *decoder, const char *signature, size_t signature_length, const uint8_t **data,
    size_t *length) {
    for (jpeg_saved_marker_ptr marker = decoder->cinfo.marker_list; marker; marker = marker->next) {
        if (marker->marker != JPEG_APP0 + 1 || marker->data_length <= signature_length) continue;
        if (memcmp(marker->data, signature, signature_length) != 0) continue;
        *data = marker->data + signature_length;
        *length = marker->data_length - signature_length;
        return WEBIMAGE_JPEG_OK;
    }
    return WEBIMAGE_JPEG_FAILED;
}

int webimage_jpeg_find_icc(const webimage_jpeg_decoder *decoder, int index, const uint8_t **data, size_t *length) {
    for (jpeg_saved_marker_ptr marker = decoder->cinfo.marker_list; marker; marker = marker->next) {
        if (!is_icc(marker) || index-- > 0) continue;
        *data = marker->data + sizeof icc_signature;
        *length = marker->data_length - sizeof icc_signature;
        return WEBIMAGE_JPEG_OK;
    }
    return WEBIMAGE_JPEG_FAILED;
}

int webimage_jpeg_output_size(webimage_jpeg_decoder *decoder, int color, int scale_num, int *width, int *height) {
    struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
    if (setjmp(decoder->errors.escape)) return decoder->errors.status;
    cinfo->out_color_space = (J_COLOR_SPACE)color;
    cinfo->scale_num = (unsigned int)scale_num;
    cinfo->scale_denom = 8;
    jpeg_calc_output_dimensions(cinfo);
    *width = (int)cinfo->output_width;
    *height = (int)cinfo->output_height;
    return WEBIMAGE_JPEG_OK;
}

int webimage_jpeg_is_complete(const webimage_jpeg_decoder *decoder) {
    const struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
    if (!decoder->errors.ran_dry) return 1;
    /* Arithmetic decoding replaces missing bits without a warning, so assume that bits are missing. */
    if (cinfo->arith_code) return 0;
    if (cinfo->progressive_mode && cinfo->coef_bits) {
        for (int component = 0; component < cinfo->num_components; component++)
            for (int coefficient = 0; coefficient < DCTSIZE2; coefficient++)
                if (cinfo->coef_bits[component][coefficient] != 0) return 0;
        return 1;
    }
    /* libjpeg has decoded all rows. If the file has one scan, only the end marker is missing: the file is complete. If
       the file has several scans, a scan can be missing. A file has one scan if this scan contains all components. */
    return cinfo->comps_in_scan == cinfo->num_components;
}

int webimage_jpeg_read_rows(webimage_jpeg_decoder *decoder, uint8_t *pixels, size_t stride) {
    struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
    JSAMPROW rows[64];
    if (setjmp(decoder->errors.escape)) return decoder->errors.status;
    jpeg_start_decompress(cinfo);
    while (cinfo->output_scanline < cinfo->output_height) {
        JDIMENSION left = cinfo->output_height - cinfo->output_scanline;
        JDIMENSION count = left < 64 ? left : 64;
        for (JDIMENSION row = 0; row < count; row++) rows[row] = pixels + (cinfo->output_scanline + row) * stride;
        jpeg_read_scanlines(cinfo, rows, count);
        /* The file has ended and all further rows would be grey, so stop here. */
        if (decoder->errors.ran_dry && decoder->errors.lacked_data) return WEBIMAGE_JPEG_TRUNCATED;
    }
    return webimage_jpeg_is_complete(decoder) ? WEBIMAGE_JPEG_OK : WEBIMAGE_JPEG_TRUNCATED;
}

void webimage_jpeg_set_stop(webimage_jpeg_decoder *decoder, int (*should_stop)(void)) { decoder->should_stop = should_stop; }

void webimage_jpeg_ignore_cost(webimage_jpeg_decoder *decoder) { decoder->ignores_cost = 1; }

int64_t webimage_jpeg_deadline(const webimage_jpeg_decoder *decoder) { return decoder->deadline; }

const char *webimage_jpeg_message(const webimage_jpeg_decoder *decoder) { return decoder->errors.message; }

int webimage_jpeg_ran_dry(const webimage_jpeg_decoder *decoder) { return decoder->errors.ran_dry; }

static void grow(j_compress_ptr cinfo) {
    memory_destination *destination = (memory_destination *)cinfo->dest;
    size_t used = destination->capacity;
    size_t capacity = used ? used * 2 : 64 * 1024;
    uint8_t *memory = realloc(destination->memory, capacity);
    if (!memory) ERREXIT1(cinfo, JERR_OUT_OF_MEMORY, 0);
    destination->memory = memory;
    destination->capacity = capacity;
    destination->base.next_output_byte = memory + used;
    destination->base.free_in_buffer = capacity - used;
}

static boolean grow_when_full(j_compress_ptr cinfo) {
    grow(cinfo);
    return TRUE;
}

static void nothing_more(j_compress_ptr cinfo) { (void)cinfo; }

/* libjpeg calls this function for each 16 rows, and for each row of blocks in each scan of a progressive file. */
static void stop_when_told(j_common_ptr cinfo) {
    stopping_progress *progress = (stopping_progress *)cinfo->progress;
    if (progress->calls++ % 4 == 0 && progress->should_stop()) {
        snprintf(((error_manager *)cinfo->err)->message, 200, "stopped");
        escape(cinfo, WEBIMAGE_JPEG_FAILED);
    }
}

static void write_app1(j_compress_ptr cinfo, webimage_jpeg_bytes payload) {
    if (payload.length > 0) jpeg_write_marker(cinfo, JPEG_APP0 + 1, payload.bytes, (unsigned int)payload.length);
}

void webimage_jpeg_write_to(j_compress_ptr cinfo, memory_destination *destination) {
    destination->base.init_destination = grow;
    destination->base.empty_output_buffer = grow_when_full;
    destination->base.term_destination = nothing_more;
    cinfo->dest = &destination->base;
}

void webimage_jpeg_start_encoder(webimage_jpeg_encoder *encoder, int (*should_stop)(void)) {
    jpeg_create_compress(&encoder->cinfo);
    webimage_jpeg_write_to(&encoder->cinfo, &encoder->destination);
    encoder->progress.base.progress_monitor = stop_when_told;
    encoder->progress.should_stop = should_stop;
    if (should_stop) encoder->cinfo.progress = &encoder->progress.base;
}

void webimage_jpeg_take_output(webimage_jpeg_encoder *encoder, uint8_t **out, size_t *out_length) {
    *out = encoder->destination.memory;
    *out_length = encoder->destination.capacity - encoder->destination.base.free_in_buffer;
    encoder->destination.memory = NULL;
    webimage_jpeg_free_encoder(encoder);
}

void webimage_jpeg_free_encoder(webimage_jpeg_encoder *encoder) {
    jpeg_destroy_compress(&encoder->cinfo);
    jpeg_destroy_compress(&encoder->sample);
    free(encoder->destination.memory);
    free(encoder->sample_destination.memory);
    free(encoder);
}

static void set_table(j_compress_ptr cinfo, const uint16_t *table) {
    unsigned int steps[DCTSIZE2];
    for (int index = 0; index < DCTSIZE2; index++) steps[index] = table[index];
    for (int slot = 0; slot < 2; slot++) jpeg_add_quant_table(cinfo, slot, steps, 100, TRUE);
}

void webimage_jpeg_write_rows(j_compress_ptr cinfo, const uint8_t *pixels, size_t stride, JDIMENSION count) {
    JSAMPROW rows[2 * DCTSIZE];
    for (JDIMENSION done = 0; done < count;) {
        JDIMENSION part = count - done < 2 * DCTSIZE ? count - done : 2 * DCTSIZE;
        for (JDIMENSION row = 0; row < part; row++) rows[row] = (JSAMPROW)(pixels + (done + row) * stride);
        done += jpeg_write_scanlines(cinfo, rows, part);
    }
}

int webimage_jpeg_encode(
    const uint8_t *pixels, size_t stride, const webimage_jpeg_settings *settings, uint8_t **out, size_t *out_length,
    char *message) {
    *out = NULL;
    *out_length = 0;
    message[0] = 0;
    webimage_jpeg_encoder *state = calloc(1, sizeof *state);
    if (!state) return WEBIMAGE_JPEG_FAILED;
    struct jpeg_compress_struct *cinfo = &state->cinfo;
    cinfo->err = webimage_jpeg_prepare_errors(&state->errors);
    if (setjmp(state->errors.escape)) {
        int status = state->errors.status;
        snprintf(message, 200, "%s", state->errors.message);
        webimage_jpeg_free_encoder(state);
        return status;
    }
    webimage_jpeg_start_encoder(state, settings->should_stop);
    cinfo->image_width = (JDIMENSION)settings->width;
    cinfo->image_height = (JDIMENSION)settings->height;
    cinfo->input_components = settings->components;
    cinfo->in_color_space = (J_COLOR_SPACE)settings->color;
    jpeg_set_defaults(cinfo);
    if (settings->table) set_table(cinfo, settings->table);
    else jpeg_set_quality(cinfo, settings->quality, TRUE);
    if (cinfo->num_components == 3) {
        cinfo->comp_info[0].h_samp_factor = settings->halves_chroma ? 2 : 1;
        cinfo->comp_info[0].v_samp_factor = settings->halves_chroma ? 2 : 1;
    }
    if (settings->is_progressive) jpeg_simple_progression(cinfo);
    else webimage_jpeg_fit_codes(state, pixels, stride);
    if (settings->density[0] > 0 && settings->density[1] > 0) {
        cinfo->density_unit = 1;
        cinfo->X_density = (UINT16)settings->density[0];
        cinfo->Y_density = (UINT16)settings->density[1];
    }
    jpeg_start_compress(cinfo, TRUE);
    write_app1(cinfo, settings->exif);
    write_app1(cinfo, settings->xmp);
    if (settings->icc.length > 0)
        jpeg_write_icc_profile(cinfo, settings->icc.bytes, (unsigned int)settings->icc.length);
    webimage_jpeg_write_rows(cinfo, pixels, stride, cinfo->image_height);
    jpeg_finish_compress(cinfo);
    webimage_jpeg_take_output(state, out, out_length);
    return WEBIMAGE_JPEG_OK;
}
