#include "markers.h"

#include <stdlib.h>

/* Reads the header of each scan. Before the first one, the colours are decided and the memory for samples is made. */

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
    const webimage_jpeg_thumbnail_planes *planes = decoder->request->planes;
    int is_limited = planes && planes->side == 8 && !decoder->is_progressive;
    if (planes && !is_limited && !decoder->strips && !decoder->request->ignores_cost && luma->has_quant
        && luma->quant[0] > WEBIMAGE_JPEG_THUMBNAIL_COARSE_FACTOR)
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

webimage_jpeg_thumbnail_status webimage_jt_read_scan(decoder *decoder, const uint8_t *bytes, size_t size) {
    webimage_jpeg_thumbnail_status status = read_scan_header(decoder, bytes, size);
    if (!status && webimage_jt_is_late(decoder)) status = WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_TIME;
    if (status) return status;
    if (decoder->is_survey) return survey_scan(decoder);
    if (decoder->scan_count == 1) status = start_picture(decoder);
    if (!status) status = decoder->is_progressive ? webimage_jt_progressive_scan(decoder) : webimage_jt_sequential_scan(decoder);
    decoder->next = decoder->scan_ends[decoder->scan_count - 1];
    return status;
}
