#include "thumbnail.h"

#include <stdlib.h>
#include <time.h>

/* Reads the file from marker to marker (ITU-T T.81, annex B). What libjpeg-turbo repairs with a warning is left to it. */

enum {
    SOF0 = 0xc0, SOF1 = 0xc1, SOF2 = 0xc2, DHT = 0xc4, SOI = 0xd8, EOI = 0xd9, SOS = 0xda, DQT = 0xdb, DRI = 0xdd,
    APP0 = 0xe0, APP1 = 0xe1, APP2 = 0xe2, APP14 = 0xee, APP15 = 0xef, COM = 0xfe,
    MAX_SIDE = 65500, /* the limit of libjpeg-turbo */
    /* In a smaller picture, the tables and the first window could take half of libjpeg-turbo's time for the whole file. */
    MIN_PIXELS = 640 * 480,
    /* An estimate of libjpeg-turbo's time that is rather too low. Building the tables takes up to 30,000 ns. */
    PIXELS_PER_NANOSECOND = 3,
    NANOSECONDS_PER_BYTE = 3,
    MIN_NANOSECONDS = 200000,
};

int webimage_jt_is_late(const decoder *decoder) {
    if (decoder->request->should_stop && decoder->request->should_stop()) return 1;
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec > decoder->request->deadline;
}

static int ceiling(int value, int divisor) { return (value + divisor - 1) / divisor; }

static webimage_jpeg_thumbnail_status read_quants(decoder *decoder, const uint8_t *bytes, size_t size) {
    while (size > 0) {
        int index = bytes[0] & 15, is_wide = bytes[0] >> 4;
        size_t length = 1 + (size_t)(is_wide ? 128 : 64);
        if (index > 3 || is_wide > 1 || size < length) return WEBIMAGE_JPEG_THUMBNAIL_TABLE;
        for (int number = 0; number < 64; number++) {
            const uint8_t *value = bytes + 1 + (is_wide ? number * 2 : number);
            decoder->quants[index][webimage_jt_natural_order[number]] =
                (uint16_t)(is_wide ? value[0] << 8 | value[1] : value[0]);
        }
        decoder->has_quants[index] = 1;
        bytes += length;
        size -= length;
    }
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

static webimage_jpeg_thumbnail_status read_codes(decoder *decoder, const uint8_t *bytes, size_t size) {
    while (size > 0) {
        int index = bytes[0] & 15, class = bytes[0] >> 4;
        if (size < 17 || index > 3 || class > 1) return WEBIMAGE_JPEG_THUMBNAIL_TABLE;
        size_t count = 0;
        for (int length = 1; length <= 16; length++) count += bytes[length];
        if (count > 256 || size < 17 + count) return WEBIMAGE_JPEG_THUMBNAIL_TABLE;
        huffman_code *code = &decoder->codes[class][index];
        memset(code, 0, sizeof *code);
        memcpy(code->counts + 1, bytes + 1, 16);
        memcpy(code->symbols, bytes + 17, count);
        code->is_defined = 1;
        bytes += 17 + count;
        size -= 17 + count;
    }
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

/* libjpeg-turbo refuses sampling factors that do not divide the largest one. */
static webimage_jpeg_thumbnail_status set_planes(const decoder *decoder, component *component) {
    const webimage_jpeg_thumbnail_planes *planes = decoder->request->planes;
    int is_ink = decoder->component_count == 4 && planes->component == 0;
    if (decoder->max_horizontal % component->horizontal != 0 || decoder->max_vertical % component->vertical != 0)
        return WEBIMAGE_JPEG_THUMBNAIL_SAMPLING;
    int is_full = component->horizontal == decoder->max_horizontal && component->vertical == decoder->max_vertical;
    int number = (int)(component - decoder->components) + 1;
    component->side = is_full ? planes->side : planes->chroma_side;
    /* A colour is the product of its ink and of black, at the same place: all planes must have the same resolution. */
    if (is_ink) {
        int factor = decoder->max_horizontal / component->horizontal;
        component->side = planes->side * factor;
        if (factor != decoder->max_vertical / component->vertical || (component->side > 4 && component->side != 8))
            return WEBIMAGE_JPEG_THUMBNAIL_SAMPLING;
    }
    component->is_unused = decoder->strips || planes->component != 0 ? planes->component != number
                           : decoder->request->format == WEBIMAGE_JPEG_THUMBNAIL_GRAY && number > 1;
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

/* Finds the number of samples per block as jpeg_calc_output_dimensions does, and the factors to the output's size. */
static webimage_jpeg_thumbnail_status set_eighth(const decoder *decoder, component *component) {
    int side = 1, most = decoder->request->has_coarse_chroma ? 1 : 8;
    while (side < most && decoder->max_horizontal % (component->horizontal * side * 2) == 0
           && decoder->max_vertical % (component->vertical * side * 2) == 0)
        side *= 2;
    if (side > 2) return WEBIMAGE_JPEG_THUMBNAIL_SAMPLING;
    int across = component->horizontal * side, down = component->vertical * side;
    if (decoder->max_horizontal % across != 0 || decoder->max_vertical % down != 0)
        return WEBIMAGE_JPEG_THUMBNAIL_SAMPLING;
    component->side = side;
    component->expand_x = decoder->max_horizontal / across;
    component->expand_y = decoder->max_vertical / down;
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

static webimage_jpeg_thumbnail_status set_sampling(decoder *decoder, component *component) {
    webimage_jpeg_thumbnail_status status =
        decoder->request->planes ? set_planes(decoder, component) : set_eighth(decoder, component);
    if (status) return status;
    int mcus_wide = ceiling(decoder->width, decoder->max_horizontal * 8);
    int mcus_high = ceiling(decoder->height, decoder->max_vertical * 8);
    component->padded_wide = mcus_wide * component->horizontal;
    component->padded_high = mcus_high * component->vertical;
    component->blocks_wide = ceiling(decoder->width * component->horizontal, decoder->max_horizontal * 8);
    component->blocks_high = ceiling(decoder->height * component->vertical, decoder->max_vertical * 8);
    component->sample_bytes = decoder->request->planes ? sizeof(int16_t) : 1;
    component->stride = (size_t)component->padded_wide * (size_t)component->side * component->sample_bytes;
    if (decoder->request->planes) component->stride = (component->stride + PLANE_ROW_STEP - 1) / PLANE_ROW_STEP * PLANE_ROW_STEP;
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

/* libjpeg-turbo converts inks to no other colours, and other colours to no inks. */
static int has_colors(const decoder *decoder) {
    const webimage_jpeg_thumbnail_request *request = decoder->request;
    int count = decoder->component_count, wants_inks = request->format == WEBIMAGE_JPEG_THUMBNAIL_CMYK;
    if (count != 4) return (count == 1 || count == 3) && !wants_inks;
    if (wants_inks) return 1;
    if (decoder->strips || !request->planes) return 0;
    return request->format != WEBIMAGE_JPEG_THUMBNAIL_GRAY || request->planes->component != 0;
}

static webimage_jpeg_thumbnail_status read_frame(decoder *decoder, const uint8_t *bytes, size_t size) {
    const webimage_jpeg_thumbnail_request *request = decoder->request;
    if (decoder->saw_frame || size < 6) return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
    decoder->saw_frame = 1;
    decoder->height = bytes[1] << 8 | bytes[2];
    decoder->width = bytes[3] << 8 | bytes[4];
    decoder->component_count = bytes[5];
    if (bytes[0] != 8) return WEBIMAGE_JPEG_THUMBNAIL_FRAME;
    if (!has_colors(decoder)) return WEBIMAGE_JPEG_THUMBNAIL_COLOR;
    if (size != 6 + 3 * (size_t)decoder->component_count) return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
    if (decoder->width == 0 || decoder->width > MAX_SIDE || decoder->height == 0 || decoder->height > MAX_SIDE)
        return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
    int is_expected = request->planes
        ? request->planes->file_width == decoder->width && request->planes->file_height == decoder->height
        : request->width == ceiling(decoder->width, 8) && request->height == ceiling(decoder->height, 8);
    if (!is_expected) return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
    if (!request->ignores_cost && (size_t)decoder->width * (size_t)decoder->height < MIN_PIXELS)
        return WEBIMAGE_JPEG_THUMBNAIL_COSTLY;
    for (int index = 0; index < decoder->component_count; index++) {
        const uint8_t *entry = bytes + 6 + 3 * index;
        component *component = &decoder->components[index];
        component->id = entry[0];
        component->horizontal = entry[1] >> 4;
        component->vertical = entry[1] & 15;
        component->quant_index = entry[2];
        memset(component->known_bits, -1, sizeof component->known_bits);
        if (component->horizontal < 1 || component->horizontal > 4 || component->vertical < 1 || component->vertical > 4)
            return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
        for (int other = 0; other < index; other++)
            if (decoder->components[other].id == component->id) return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
        if (component->horizontal > decoder->max_horizontal) decoder->max_horizontal = component->horizontal;
        if (component->vertical > decoder->max_vertical) decoder->max_vertical = component->vertical;
    }
    for (int index = 0; index < decoder->component_count; index++) {
        webimage_jpeg_thumbnail_status status = set_sampling(decoder, &decoder->components[index]);
        if (status) return status;
    }
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

/* Decides the colour space as default_decompress_parms of libjpeg does. */
static webimage_jpeg_thumbnail_status find_color(decoder *decoder) {
    const component *components = decoder->components;
    if (decoder->component_count == 1) return WEBIMAGE_JPEG_THUMBNAIL_OK;
    if (decoder->component_count == 4) {
        decoder->is_ycck = decoder->saw_adobe && decoder->adobe_transform != 0;
        return WEBIMAGE_JPEG_THUMBNAIL_OK;
    }
    if (decoder->saw_jfif) decoder->is_rgb = 0;
    else if (decoder->saw_adobe) decoder->is_rgb = decoder->adobe_transform == 0;
    else decoder->is_rgb = components[0].id == 'R' && components[1].id == 'G' && components[2].id == 'B';
    const webimage_jpeg_thumbnail_request *request = decoder->request;
    int is_one_component = request->planes && request->planes->component != 0;
    return decoder->is_rgb && request->format == WEBIMAGE_JPEG_THUMBNAIL_GRAY && !is_one_component
        ? WEBIMAGE_JPEG_THUMBNAIL_COLOR : WEBIMAGE_JPEG_THUMBNAIL_OK;
}

static webimage_jpeg_thumbnail_status start_picture(decoder *decoder) {
    find_color(decoder);
    webimage_jpeg_thumbnail_status status = webimage_jt_window_init(decoder);
    for (int index = 0; index < decoder->component_count; index++) {
        component *component = &decoder->components[index];
        component->rows = component->padded_high * component->side;
    }
    if (!status && decoder->request->planes) status = webimage_jt_resample_early(decoder);
    for (int index = 0; index < decoder->component_count && !status; index++) {
        component *component = &decoder->components[index];
        if (component->is_unused) continue;
        component->samples = malloc(component->stride * (size_t)component->rows);
        if (!component->samples) return WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_MEMORY;
        /* The scaling reads whole rows; what is behind the last block has no weight. */
        size_t used = (size_t)component->padded_wide * (size_t)component->side * component->sample_bytes;
        for (int row = 0; row < component->rows && used < component->stride; row++)
            memset(component->samples + (size_t)row * component->stride + used, 0, component->stride - used);
    }
    return status;
}

/* Lists the blocks of an MCU in the order of the file. */
static webimage_jpeg_thumbnail_status list_blocks(decoder *decoder) {
    component *only = decoder->scan_components == 1 ? decoder->scan[0] : NULL;
    decoder->mcus_wide = only ? only->blocks_wide : ceiling(decoder->width, decoder->max_horizontal * 8);
    decoder->mcus_high = only ? only->blocks_high : ceiling(decoder->height, decoder->max_vertical * 8);
    decoder->blocks_in_mcu = 0;
    for (int index = 0; index < decoder->scan_components; index++) {
        int across = only ? 1 : decoder->scan[index]->horizontal, down = only ? 1 : decoder->scan[index]->vertical;
        for (int block = 0; block < across * down; block++) {
            if (decoder->blocks_in_mcu == MAX_BLOCKS_IN_MCU) return WEBIMAGE_JPEG_THUMBNAIL_SAMPLING;
            decoder->mcu[decoder->blocks_in_mcu++] = (mcu_block){index, block % across, block / across};
        }
    }
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

static component *component_with(decoder *decoder, int id) {
    for (int index = 0; index < decoder->component_count; index++)
        if (decoder->components[index].id == id) return &decoder->components[index];
    return NULL;
}

static webimage_jpeg_thumbnail_status read_scan_header(decoder *decoder, const uint8_t *bytes, size_t size) {
    if (!decoder->saw_frame || size < 1) return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
    decoder->scan_components = bytes[0];
    if (decoder->scan_components < 1 || decoder->scan_components > decoder->component_count
        || size != 4 + 2 * (size_t)decoder->scan_components || ++decoder->scan_count > MAX_SCANS)
        return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
    for (int index = 0; index < decoder->scan_components; index++) {
        const uint8_t *entry = bytes + 1 + 2 * index;
        component *component = component_with(decoder, entry[0]);
        if (!component) return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
        for (int other = 0; other < index; other++)
            if (decoder->scan[other] == component) return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
        decoder->scan[index] = component;
        decoder->dc_index[index] = entry[1] >> 4;
        decoder->ac_index[index] = entry[1] & 15;
        if (decoder->dc_index[index] > 3 || decoder->ac_index[index] > 3) return WEBIMAGE_JPEG_THUMBNAIL_TABLE;
        /* A component keeps the quantisation table that is in force at its first scan. */
        if (!component->has_quant) {
            if (component->quant_index > 3 || !decoder->has_quants[component->quant_index])
                return WEBIMAGE_JPEG_THUMBNAIL_TABLE;
            memcpy(component->quant, decoder->quants[component->quant_index], sizeof component->quant);
            component->has_quant = 1;
        }
    }
    const uint8_t *tail = bytes + 1 + 2 * decoder->scan_components;
    decoder->first = tail[0];
    decoder->last = tail[1];
    decoder->high_bit = tail[2] >> 4;
    decoder->low_bit = tail[2] & 15;
    return list_blocks(decoder);
}

/* Strips need the data of all components together. libjpeg-turbo pads a grey picture with other sampling factors than 1
   in a way that a strip does not repeat. */
static int has_strips(const decoder *decoder) {
    const component *only = decoder->component_count == 1 ? decoder->components : NULL;
    return !decoder->is_progressive && decoder->restart_interval == 0
        && decoder->scan_components == decoder->component_count
        && !(only && (only->horizontal != 1 || only->vertical != 1));
}

static webimage_jpeg_thumbnail_status survey_scan(decoder *decoder) {
    webimage_jpeg_thumbnail_status status = decoder->scan_count == 1 ? find_color(decoder) : WEBIMAGE_JPEG_THUMBNAIL_OK;
    if (status) return status;
    if (decoder->strips && !has_strips(decoder)) return WEBIMAGE_JPEG_THUMBNAIL_FRAME;
    int largest = decoder->request->planes ? PLANE_LARGEST_FACTOR : CHROMA_LARGEST;
    const component *luma = decoder->components;
    if (decoder->request->planes && !decoder->strips && !decoder->request->ignores_cost && luma->has_quant
        && luma->quant[0] > PLANE_COARSE_FACTOR)
        return WEBIMAGE_JPEG_THUMBNAIL_RANGE;
    for (int index = 0; index < decoder->scan_components; index++)
        if (decoder->scan[index]->side > 1 && webimage_jt_has_large_factor(decoder->scan[index]->quant, largest))
            return WEBIMAGE_JPEG_THUMBNAIL_RANGE;
    if (decoder->is_progressive) {
        status = webimage_jt_progressive_survey(decoder);
    } else {
        if (decoder->first != 0 || decoder->last != 63 || decoder->high_bit != 0 || decoder->low_bit != 0)
            return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
        for (int index = 0; index < decoder->scan_components; index++) {
            if (decoder->scan[index]->was_scanned) return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
            decoder->scan[index]->was_scanned = 1;
        }
        status = webimage_jt_sequential_survey(decoder);
    }
    decoder->scan_ends[decoder->scan_count - 1] = decoder->next;
    return status;
}

static webimage_jpeg_thumbnail_status read_scan(decoder *decoder, const uint8_t *bytes, size_t size) {
    webimage_jpeg_thumbnail_status status = read_scan_header(decoder, bytes, size);
    if (!status && webimage_jt_is_late(decoder)) status = WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_TIME;
    if (status) return status;
    if (decoder->is_survey) return survey_scan(decoder);
    if (decoder->scan_count == 1) status = start_picture(decoder);
    if (!status) status = decoder->is_progressive ? webimage_jt_progressive_scan(decoder) : webimage_jt_sequential_scan(decoder);
    decoder->next = decoder->scan_ends[decoder->scan_count - 1];
    return status;
}

/* Reads a marker segment. `bytes` are behind its length. */
static webimage_jpeg_thumbnail_status read_segment(decoder *decoder, int marker, const uint8_t *bytes, size_t size) {
    /* The caller's limit for ancillary data counts APP1 and APP2 in the whole file. It has checked only those before the
       first scan. */
    if (decoder->scan_count > 0 && (marker == APP1 || marker == APP2)) return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
    switch (marker) {
        case DQT: return read_quants(decoder, bytes, size);
        case DHT: return read_codes(decoder, bytes, size);
        case SOF0: case SOF1: case SOF2:
            decoder->is_progressive = marker == SOF2;
            return read_frame(decoder, bytes, size);
        case SOS: return read_scan(decoder, bytes, size);
        case DRI:
            if (size != 2) return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
            decoder->restart_interval = bytes[0] << 8 | bytes[1];
            return WEBIMAGE_JPEG_THUMBNAIL_OK;
        case APP0:
            if (size >= 14 && memcmp(bytes, "JFIF", 5) == 0) decoder->saw_jfif = 1;
            return WEBIMAGE_JPEG_THUMBNAIL_OK;
        case APP14:
            if (size >= 12 && memcmp(bytes, "Adobe", 5) == 0) {
                decoder->saw_adobe = 1;
                decoder->adobe_transform = bytes[11];
            }
            return WEBIMAGE_JPEG_THUMBNAIL_OK;
        default:
            if ((marker >= APP0 && marker <= APP15) || marker == COM) return WEBIMAGE_JPEG_THUMBNAIL_OK;
            return marker > SOF2 && marker < SOI ? WEBIMAGE_JPEG_THUMBNAIL_FRAME : WEBIMAGE_JPEG_THUMBNAIL_MARKER;
    }
}

/* Returns the code of the next marker, or -1 if there is none. */
static int next_marker(decoder *decoder) {
    if (decoder->next == decoder->end || *decoder->next != 0xff) return -1;
    while (decoder->next < decoder->end && *decoder->next == 0xff) decoder->next++;
    return decoder->next == decoder->end ? -1 : *decoder->next++;
}

/* Whether the scans contain the whole picture. libjpeg-turbo smooths the blocks of a file whose coefficients are not
   complete. */
static webimage_jpeg_thumbnail_status finish_survey(const decoder *decoder) {
    if (decoder->scan_count == 0) return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
    size_t pixels = (size_t)decoder->width * (size_t)decoder->height;
    if (!decoder->request->ignores_cost
        && pixels / PIXELS_PER_NANOSECOND + decoder->data_bytes * NANOSECONDS_PER_BYTE < MIN_NANOSECONDS)
        return WEBIMAGE_JPEG_THUMBNAIL_COSTLY;
    for (int index = 0; index < decoder->component_count; index++) {
        const component *component = &decoder->components[index];
        if (!decoder->is_progressive && !component->was_scanned) return WEBIMAGE_JPEG_THUMBNAIL_UNFINISHED;
        for (int coefficient = 0; coefficient < 64 && decoder->is_progressive; coefficient++)
            if (component->known_bits[coefficient] != 0) return WEBIMAGE_JPEG_THUMBNAIL_UNFINISHED;
    }
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

static webimage_jpeg_thumbnail_status finish(decoder *decoder) {
    if (decoder->is_survey) {
        webimage_jpeg_thumbnail_status status = finish_survey(decoder);
        if (!status && decoder->is_progressive) webimage_jt_progressive_plan(decoder);
        return status;
    }
    if (decoder->is_progressive) {
        webimage_jpeg_thumbnail_status status = webimage_jt_progressive_finish(decoder);
        if (status) return status;
    }
    if (decoder->request->planes) {
        int wants_inks = decoder->request->format == WEBIMAGE_JPEG_THUMBNAIL_CMYK;
        return wants_inks && decoder->request->planes->component == 0 ? webimage_jt_write_inks(decoder) : webimage_jt_resample(decoder);
    }
    uint8_t *space = malloc((size_t)decoder->request->width * 4);
    if (!space) return WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_MEMORY;
    webimage_jt_write_rows(decoder, space);
    free(space);
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

static int has_plane(int side) { return (side >= 2 && side <= 4) || side == 8; }

/* Whether the caller's numbers for planes are in their ranges. */
static int is_possible(const webimage_jpeg_thumbnail_request *request) {
    const webimage_jpeg_thumbnail_planes *planes = request->planes;
    if (!planes) return 1;
    return has_plane(planes->side) && has_plane(planes->chroma_side)
        && request->width > 0 && request->height > 0 && planes->x >= 0 && planes->y >= 0 && planes->width > 0
        && planes->height > 0 && planes->x + planes->width <= planes->file_width
        && planes->y + planes->height <= planes->file_height;
}

static webimage_jpeg_thumbnail_status read_file(decoder *decoder) {
    if (next_marker(decoder) != SOI) return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
    for (;;) {
        int marker = next_marker(decoder);
        if (marker == EOI) return finish(decoder);
        size_t left = (size_t)(decoder->end - decoder->next);
        if (marker <= 0 || left < 2) return WEBIMAGE_JPEG_THUMBNAIL_SHORT;
        size_t size = (size_t)decoder->next[0] << 8 | decoder->next[1];
        if (size < 2 || size > left) return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
        const uint8_t *bytes = decoder->next + 2;
        decoder->next += size;
        webimage_jpeg_thumbnail_status status = read_segment(decoder, marker, bytes, size - 2);
        if (status) return status;
    }
}

static void start(
    decoder *decoder, const uint8_t *data, size_t size, const webimage_jpeg_thumbnail_request *request, strips *strips) {
    memset(decoder, 0, offsetof(struct decoder, scan_ends));
    decoder->request = request;
    decoder->strips = strips;
    decoder->next = data;
    decoder->end = data + size;
}

/* Reads the file's markers, and prepares the decoder for reading it again. */
static webimage_jpeg_thumbnail_status survey(
    decoder *decoder, const uint8_t *data, size_t size, const webimage_jpeg_thumbnail_request *request, strips *strips) {
    start(decoder, data, size, request, strips);
    decoder->is_survey = 1;
    webimage_jpeg_thumbnail_status status = read_file(decoder);
    start(decoder, data, size, request, strips);
    return status;
}

webimage_jpeg_thumbnail_status webimage_jpeg_thumbnail_decode(
    const uint8_t *data, size_t size, const webimage_jpeg_thumbnail_request *request) {
    return webimage_jt_decode(data, size, request, NULL);
}

webimage_jpeg_thumbnail_status webimage_jt_decode(
    const uint8_t *data, size_t size, const webimage_jpeg_thumbnail_request *request, strips *strips) {
    if (!is_possible(request)) return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
    decoder *decoder = calloc(1, sizeof *decoder);
    if (!decoder) return WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_MEMORY;
    webimage_jpeg_thumbnail_status status = survey(decoder, data, size, request, strips);
    if (!status) status = read_file(decoder);
    if (request->work) *request->work = decoder->work;
    for (int index = 0; index < MAX_COMPONENTS; index++) {
        free(decoder->components[index].samples);
        free(decoder->components[index].coefficients);
        free(decoder->components[index].nonzero);
    }
    webimage_jt_resample_free(decoder);
    free(decoder->window.bytes);
    free(decoder);
    return status;
}

int webimage_jpeg_thumbnail_is_optimized(void) {
#if defined(__OPTIMIZE__)
    return 1;
#else
    return 0;
#endif
}
