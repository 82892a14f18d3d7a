#include "jpeg_decoder_state.h"

/* Writes a JPEG file again with other codes for the same coefficients, so that every pixel stays the same. */

enum { BLOCK = DCTSIZE, SCRIPT_COUNT = 5, SEPARATE_SCANS = 5, JFIF_BYTES = 14 };

/* How a picture is turned. A pixel of the result comes from the source's column and row, which are first exchanged, then
   counted from the other end. */
typedef struct {
    bool exchanges, mirrors_columns, mirrors_rows;
} turn;

static turn turn_from(int orientation) {
    return (turn){
        .exchanges = orientation >= 5 && orientation <= 8,
        .mirrors_columns = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8,
        .mirrors_rows = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7,
    };
}

/* Whether each mirrored side is a whole number of MCUs, so that no block at its end is cut. */
static int can_turn(const struct jpeg_decompress_struct *cinfo, turn turn) {
    JDIMENSION column = (JDIMENSION)cinfo->max_h_samp_factor * BLOCK, row = (JDIMENSION)cinfo->max_v_samp_factor * BLOCK;
    return (!turn.mirrors_columns || cinfo->image_width % column == 0) && (!turn.mirrors_rows || cinfo->image_height % row == 0);
}

/* A frequency of a mirrored side changes its sign if it is odd. */
static void turn_block(const JCOEF *from, JCOEF *to, turn turn) {
    for (int row = 0; row < BLOCK; row++)
        for (int column = 0; column < BLOCK; column++) {
            int source_column = turn.exchanges ? row : column, source_row = turn.exchanges ? column : row;
            JCOEF value = from[source_row * BLOCK + source_column];
            int is_odd = (turn.mirrors_columns & source_column & 1) ^ (turn.mirrors_rows & source_row & 1);
            to[row * BLOCK + column] = (JCOEF)(is_odd ? -value : value);
        }
}

/* Returns the source's block for a block of the result. */
static const JCOEF *source_block(
    struct jpeg_decompress_struct *cinfo, jvirt_barray_ptr array, const jpeg_component_info *component, turn turn,
    JDIMENSION column, JDIMENSION row) {
    JDIMENSION x = turn.exchanges ? row : column, y = turn.exchanges ? column : row;
    if (turn.mirrors_columns) x = component->width_in_blocks - 1 - x;
    if (turn.mirrors_rows) y = component->height_in_blocks - 1 - y;
    return cinfo->mem->access_virt_barray((j_common_ptr)cinfo, array, y, 1, FALSE)[0][x];
}

static JDIMENSION rounded_up(JDIMENSION value, int step) { return (value + (JDIMENSION)step - 1) / (JDIMENSION)step * (JDIMENSION)step; }

/* Creates the turned coefficients, in the memory of the compressor. */
static jvirt_barray_ptr *turned(
    struct jpeg_decompress_struct *source, jvirt_barray_ptr *arrays, struct jpeg_compress_struct *cinfo, turn turn) {
    jvirt_barray_ptr *results = cinfo->mem->alloc_small(
        (j_common_ptr)cinfo, JPOOL_IMAGE, sizeof(jvirt_barray_ptr) * (size_t)source->num_components);
    for (int index = 0; index < source->num_components; index++) {
        const jpeg_component_info *component = &source->comp_info[index];
        int across = turn.exchanges ? component->v_samp_factor : component->h_samp_factor;
        int down = turn.exchanges ? component->h_samp_factor : component->v_samp_factor;
        JDIMENSION width = turn.exchanges ? component->height_in_blocks : component->width_in_blocks;
        JDIMENSION height = turn.exchanges ? component->width_in_blocks : component->height_in_blocks;
        results[index] = cinfo->mem->request_virt_barray(
            (j_common_ptr)cinfo, JPOOL_IMAGE, TRUE, rounded_up(width, across), rounded_up(height, down), (JDIMENSION)down);
    }
    cinfo->mem->realize_virt_arrays((j_common_ptr)cinfo);
    for (int index = 0; index < source->num_components; index++) {
        const jpeg_component_info *component = &source->comp_info[index];
        JDIMENSION width = turn.exchanges ? component->height_in_blocks : component->width_in_blocks;
        JDIMENSION height = turn.exchanges ? component->width_in_blocks : component->height_in_blocks;
        for (JDIMENSION row = 0; row < height; row++) {
            JBLOCKROW blocks = cinfo->mem->access_virt_barray((j_common_ptr)cinfo, results[index], row, 1, TRUE)[0];
            for (JDIMENSION column = 0; column < width; column++)
                turn_block(source_block(source, arrays[index], component, turn, column, row), blocks[column], turn);
        }
    }
    return results;
}

static UINT16 turned_quantiser(const JQUANT_TBL *table, int place, turn turn) {
    return table->quantval[turn.exchanges ? place % BLOCK * BLOCK + place / BLOCK : place];
}

/* Exchanges the sides, samplings and quantisers of the compressor, which are the source's. */
static void turn_parameters(struct jpeg_compress_struct *cinfo) {
    JDIMENSION width = cinfo->image_width;
    cinfo->image_width = cinfo->image_height;
    cinfo->image_height = width;
    for (int index = 0; index < cinfo->num_components; index++) {
        jpeg_component_info *component = &cinfo->comp_info[index];
        int across = component->h_samp_factor;
        component->h_samp_factor = component->v_samp_factor;
        component->v_samp_factor = across;
    }
    for (int index = 0; index < NUM_QUANT_TBLS; index++) {
        if (!cinfo->quant_tbl_ptrs[index]) continue;
        JQUANT_TBL table = *cinfo->quant_tbl_ptrs[index];
        for (int place = 0; place < DCTSIZE2; place++)
            cinfo->quant_tbl_ptrs[index]->quantval[place] = turned_quantiser(&table, place, (turn){.exchanges = true});
    }
}

static int starts_with(jpeg_saved_marker_ptr marker, const char *signature, size_t length) {
    return marker->data_length >= length && memcmp(marker->data, signature, length) == 0;
}

/* Writes the source's segments in their order. The compressor itself writes none, so that none is added. */
static void write_markers(
    struct jpeg_compress_struct *cinfo, jpeg_saved_marker_ptr marker, const webimage_jpeg_rewriting *wanted) {
    int has_exif = 0, has_xmp = 0;
    for (; marker; marker = marker->next) {
        const uint8_t *data = marker->data;
        unsigned length = marker->data_length;
        int is_exif = marker->marker == JPEG_APP0 + 1 && starts_with(marker, "Exif\0", 6);
        int is_xmp = marker->marker == JPEG_APP0 + 1 && starts_with(marker, "http://ns.adobe.com/xap/1.0/", 29);
        int is_jfif = marker->marker == JPEG_APP0 && starts_with(marker, "JFIF", 5);
        int is_needed = is_jfif || (marker->marker == JPEG_APP0 + 14 && starts_with(marker, "Adobe", 5))
            || (marker->marker == JPEG_APP0 + 2 && starts_with(marker, "ICC_PROFILE", 12));
        if (is_exif && wanted->exif.length > 0) {
            if (!has_exif) jpeg_write_marker(cinfo, JPEG_APP0 + 1, wanted->exif.bytes, (unsigned)wanted->exif.length);
            has_exif = 1;
        } else if (is_xmp && wanted->xmp.length > 0) {
            if (!has_xmp) jpeg_write_marker(cinfo, JPEG_APP0 + 1, wanted->xmp.bytes, (unsigned)wanted->xmp.length);
            has_xmp = 1;
        } else if (wanted->keeps_markers) {
            jpeg_write_marker(cinfo, marker->marker, data, length);
        } else if (is_jfif && length > JFIF_BYTES) {
            /* Without the thumbnail, whose sides are the last two bytes. */
            uint8_t header[JFIF_BYTES];
            memcpy(header, data, JFIF_BYTES);
            header[JFIF_BYTES - 2] = header[JFIF_BYTES - 1] = 0;
            jpeg_write_marker(cinfo, marker->marker, header, JFIF_BYTES);
        } else if (is_needed) {
            jpeg_write_marker(cinfo, marker->marker, data, length);
        }
    }
    if (!has_exif && wanted->exif.length > 0)
        jpeg_write_marker(cinfo, JPEG_APP0 + 1, wanted->exif.bytes, (unsigned)wanted->exif.length);
}

static void add_scan(jpeg_scan_info *scans, int *count, int component, int from, int to, int before, int bits) {
    jpeg_scan_info *scan = &scans[(*count)++];
    *scan = (jpeg_scan_info){.comps_in_scan = 1, .Ss = from, .Se = to, .Ah = before, .Al = bits};
    scan->component_index[0] = component;
}

/* 0: one scan. 1: libjpeg's progressive scans. 2 to 4: fewer progressive scans, which are smaller for small pictures.
   SEPARATE_SCANS: a scan for each component, for pictures with too many blocks in an MCU. */
static void set_scans(struct jpeg_compress_struct *cinfo, int script, jpeg_scan_info *scans) {
    cinfo->scan_info = NULL;
    cinfo->num_scans = 0;
    if (script == 1) jpeg_simple_progression(cinfo);
    if (script < 2) return;
    int count = 0;
    if (script == SEPARATE_SCANS) {
        for (int component = 0; component < cinfo->num_components; component++)
            add_scan(scans, &count, component, 0, DCTSIZE2 - 1, 0, 0);
        cinfo->scan_info = scans;
        cinfo->num_scans = count;
        return;
    }
    scans[count++] = (jpeg_scan_info){.comps_in_scan = cinfo->num_components, .component_index = {0, 1, 2, 3}};
    for (int component = 0; component < cinfo->num_components; component++) {
        if (script == 2) {
            add_scan(scans, &count, component, 1, DCTSIZE2 - 1, 0, 0);
        } else if (script == 3) {
            add_scan(scans, &count, component, 1, 8, 0, 0);
            add_scan(scans, &count, component, 9, DCTSIZE2 - 1, 0, 0);
        } else {
            add_scan(scans, &count, component, 1, 8, 0, component == 0 ? 1 : 0);
            add_scan(scans, &count, component, 9, DCTSIZE2 - 1, 0, component == 0 ? 1 : 0);
            if (component == 0) add_scan(scans, &count, component, 1, DCTSIZE2 - 1, 1, 0);
        }
    }
    cinfo->scan_info = scans;
    cinfo->num_scans = count;
}

/* Creates a decoder that keeps all segments. NULL when out of memory. */
static webimage_jpeg_decoder *open_file(const uint8_t *data, size_t size, int64_t max_nanoseconds) {
    webimage_jpeg_decoder *decoder = webimage_jpeg_decoder_create(data, size, SIZE_MAX, max_nanoseconds);
    if (!decoder) return NULL;
    if (setjmp(decoder->errors.escape)) {
        webimage_jpeg_decoder_free(decoder);
        return NULL;
    }
    for (int marker = 0; marker < 16; marker++) jpeg_save_markers(&decoder->cinfo, JPEG_APP0 + marker, 0xffff);
    jpeg_save_markers(&decoder->cinfo, JPEG_COM, 0xffff);
    return decoder;
}

/* Reads all coefficients. Returns NULL if the file is damaged or too large for its time. */
static jvirt_barray_ptr *read_file(webimage_jpeg_decoder *decoder) {
    if (setjmp(decoder->errors.escape)) return NULL;
    jpeg_read_header(&decoder->cinfo, TRUE);
    jvirt_barray_ptr *arrays = jpeg_read_coefficients(&decoder->cinfo);
    if (decoder->errors.base.num_warnings > 0) {
        snprintf(decoder->errors.message, sizeof decoder->errors.message, "its coded pixels are damaged");
        return NULL;
    }
    return arrays;
}

/* Writes the coefficients in one way. Sets *out if the file is the smallest so far. */
static int write_file(
    webimage_jpeg_decoder *decoder, jvirt_barray_ptr *arrays, const webimage_jpeg_rewriting *wanted, int script,
    uint8_t **out, size_t *out_length, char *message) {
    webimage_jpeg_encoder *state = calloc(1, sizeof *state);
    if (!state) return WEBIMAGE_JPEG_FAILED;
    struct jpeg_compress_struct *cinfo = &state->cinfo;
    const turn turn = turn_from(wanted->orientation);
    jpeg_scan_info scans[1 + 3 * MAX_COMPONENTS];
    cinfo->err = webimage_jpeg_prepare_errors(&state->errors);
    if (setjmp(state->errors.escape)) {
        snprintf(message, 200, "%s", state->errors.message);
        webimage_jpeg_free_encoder(state);
        return WEBIMAGE_JPEG_FAILED;
    }
    /* The source's coefficients are read again. */
    if (setjmp(decoder->errors.escape)) {
        snprintf(message, 200, "%s", decoder->errors.message);
        webimage_jpeg_free_encoder(state);
        return WEBIMAGE_JPEG_FAILED;
    }
    webimage_jpeg_start_encoder(state, wanted->should_stop);
    jpeg_copy_critical_parameters(&decoder->cinfo, cinfo);
    if (turn.exchanges) turn_parameters(cinfo);
    cinfo->optimize_coding = TRUE;
    cinfo->arith_code = FALSE;
    cinfo->write_JFIF_header = FALSE;
    cinfo->write_Adobe_marker = FALSE;
    set_scans(cinfo, script, scans);
    jpeg_write_coefficients(cinfo, wanted->orientation > 1 ? turned(&decoder->cinfo, arrays, cinfo, turn) : arrays);
    write_markers(cinfo, decoder->cinfo.marker_list, wanted);
    jpeg_finish_compress(cinfo);
    uint8_t *file;
    size_t length;
    webimage_jpeg_take_output(state, &file, &length);
    if (*out && length >= *out_length) {
        free(file);
    } else {
        free(*out);
        *out = file;
        *out_length = length;
    }
    return WEBIMAGE_JPEG_OK;
}

int webimage_jpeg_rewrite(
    const uint8_t *data, size_t size, int64_t max_nanoseconds, const webimage_jpeg_rewriting *wanted, uint8_t **out,
    size_t *out_length, size_t *rest, char *message) {
    *out = NULL;
    *out_length = *rest = 0;
    message[0] = 0;
    webimage_jpeg_decoder *decoder = open_file(data, size, max_nanoseconds);
    if (!decoder) return WEBIMAGE_JPEG_FAILED;
    webimage_jpeg_set_stop(decoder, wanted->should_stop);
    jvirt_barray_ptr *arrays = read_file(decoder);
    int status = arrays ? WEBIMAGE_JPEG_OK : WEBIMAGE_JPEG_FAILED;
    if (!arrays) snprintf(message, 200, "%s", decoder->errors.message);
    if (arrays && !can_turn(&decoder->cinfo, turn_from(wanted->orientation))) {
        status = WEBIMAGE_JPEG_FAILED;
        snprintf(message, 200, "blocks at an edge are cut");
    }
    if (arrays) *rest = decoder->cinfo.src->bytes_in_buffer;
    /* libjpeg refuses a scan of several components if an MCU would have more than ten blocks. */
    for (int script = 0; status == WEBIMAGE_JPEG_OK && script < (wanted->tries_scripts ? SCRIPT_COUNT : 2); script++)
        write_file(decoder, arrays, wanted, script, out, out_length, message);
    if (status == WEBIMAGE_JPEG_OK && !*out)
        status = write_file(decoder, arrays, wanted, SEPARATE_SCANS, out, out_length, message);
    if (status == WEBIMAGE_JPEG_OK && wanted->should_stop && wanted->should_stop()) status = WEBIMAGE_JPEG_FAILED;
    if (status != WEBIMAGE_JPEG_OK) {
        free(*out);
        *out = NULL;
    }
    webimage_jpeg_decoder_free(decoder);
    return status;
}

/* Compares a component. The jump targets of both decoders are set here, because both read coefficients. */
static int is_same_component(
    webimage_jpeg_decoder *first, jvirt_barray_ptr first_array, webimage_jpeg_decoder *second, jvirt_barray_ptr second_array,
    int index, turn turn) {
    const jpeg_component_info *source = &first->cinfo.comp_info[index], *result = &second->cinfo.comp_info[index];
    int across = turn.exchanges ? source->v_samp_factor : source->h_samp_factor;
    int down = turn.exchanges ? source->h_samp_factor : source->v_samp_factor;
    if (setjmp(first->errors.escape)) return 0;
    if (setjmp(second->errors.escape)) return 0;
    if (result->component_id != source->component_id || result->h_samp_factor != across || result->v_samp_factor != down)
        return 0;
    /* libjpeg stores the quantisers that were valid when the component's first scan began. */
    if (!source->quant_table || !result->quant_table) return 0;
    for (int place = 0; place < DCTSIZE2; place++)
        if (result->quant_table->quantval[place] != turned_quantiser(source->quant_table, place, turn)) return 0;
    for (JDIMENSION row = 0; row < result->height_in_blocks; row++) {
        JBLOCKROW blocks = second->cinfo.mem->access_virt_barray((j_common_ptr)&second->cinfo, second_array, row, 1, FALSE)[0];
        for (JDIMENSION column = 0; column < result->width_in_blocks; column++) {
            JBLOCK wanted;
            turn_block(source_block(&first->cinfo, first_array, source, turn, column, row), wanted, turn);
            if (memcmp(wanted, blocks[column], sizeof wanted) != 0) return 0;
        }
    }
    return 1;
}

int webimage_jpeg_is_same(
    const uint8_t *first, size_t first_size, const uint8_t *second, size_t second_size, int orientation,
    int64_t max_nanoseconds) {
    const turn turn = turn_from(orientation);
    webimage_jpeg_decoder *source = open_file(first, first_size, max_nanoseconds);
    webimage_jpeg_decoder *result = open_file(second, second_size, max_nanoseconds);
    jvirt_barray_ptr *source_arrays = source ? read_file(source) : NULL, *result_arrays = result ? read_file(result) : NULL;
    int is_same = source_arrays && result_arrays;
    if (is_same) {
        const struct jpeg_decompress_struct *a = &source->cinfo, *b = &result->cinfo;
        is_same = b->image_width == (turn.exchanges ? a->image_height : a->image_width)
            && b->image_height == (turn.exchanges ? a->image_width : a->image_height)
            && b->num_components == a->num_components && b->jpeg_color_space == a->jpeg_color_space;
        for (int index = 0; is_same && index < a->num_components; index++)
            is_same = is_same_component(source, source_arrays[index], result, result_arrays[index], index, turn);
    }
    webimage_jpeg_decoder_free(source);
    webimage_jpeg_decoder_free(result);
    return is_same;
}
