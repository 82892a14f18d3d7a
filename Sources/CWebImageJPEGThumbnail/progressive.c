#include "progressive.h"

#include <stdlib.h>

/* Progressive files (ITU-T T.81, annex G). A thumbnail needs the scans with DC coefficients, and, where a block has more
   than one sample, the scans with the low AC coefficients. The remaining scans, which are most of the file, are skipped.

   Most files send the high bits of AC coefficients first and one further bit of all in each later scan. Such a scan has a bit
   for each coefficient that is not 0, so that all AC scans must be decoded for one further bit of the low ones. For planes,
   these bits of luma are left out if the file is quantised so finely that they do not matter: that takes a third to a half
   of the time. */

/* Whether samples are computed from AC coefficients. */
static int has_detail(const component *component) { return component->side > 1 && !component->is_unused; }

/* Checks the parameters of the scan, and records which bits are known afterwards. libjpeg-turbo reads some scans in a
   wrong order with a warning. */
static webimage_jpeg_thumbnail_status check_order(decoder *decoder) {
    int is_dc = decoder->first == 0;
    if (is_dc ? decoder->last != 0 : decoder->last < decoder->first || decoder->last > 63 || decoder->scan_components != 1)
        return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
    if (decoder->low_bit > 13 || (decoder->high_bit != 0 && decoder->high_bit != decoder->low_bit + 1))
        return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
    for (int index = 0; index < decoder->scan_components; index++) {
        int8_t *known = decoder->scan[index]->known_bits;
        if (!is_dc && known[0] < 0) return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
        for (int coefficient = decoder->first; coefficient <= decoder->last; coefficient++) {
            int expected = known[coefficient] < 0 ? 0 : known[coefficient];
            if (decoder->high_bit != expected || (known[coefficient] == 0)) return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
            if (known[coefficient] < 0) decoder->scan[index]->first_bits[coefficient] = (int8_t)decoder->low_bit;
            known[coefficient] = (int8_t)decoder->low_bit;
        }
    }
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

static webimage_jpeg_thumbnail_status allocate(const decoder *decoder, component *component) {
    if (component->coefficients) return WEBIMAGE_JPEG_THUMBNAIL_OK;
    size_t blocks = (size_t)component->padded_wide * (size_t)component->padded_high, side = (size_t)component->side;
    int keeps_nonzero = has_detail(component) && !decoder->is_rough[component - decoder->components];
    component->coefficients_per_block = !has_detail(component) ? 1 : decoder->request->planes ? side * side + 1 : 64;
    component->coefficients = calloc(blocks * component->coefficients_per_block, sizeof *component->coefficients);
    if (keeps_nonzero) component->nonzero = calloc(blocks, sizeof *component->nonzero);
    return component->coefficients && (component->nonzero || !keeps_nonzero)
        ? WEBIMAGE_JPEG_THUMBNAIL_OK : WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_MEMORY;
}

static int is_needed(const decoder *decoder) {
    const component *component = decoder->scan[0];
    if (decoder->first == 0) return 1;
    if (!has_detail(component)) return 0;
    return !decoder->is_rough[component - decoder->components]
        || (decoder->high_bit == 0 && decoder->first <= component->last);
}

void webimage_jt_progressive_plan(decoder *decoder) {
    /* How much a coefficient may lack, by the side of a block; a level of a sample is 8. Measured with 160 files: up to
       these values, the thumbnail loses 0.25 points of SSIMULACRA2. */
    static const int most[MAX_PLANE_SIDE + 1] = {0, 0, 36, 12, 12, [8] = -1};
    const webimage_jpeg_thumbnail_planes *planes = decoder->request->planes;
    const component *luma = &decoder->components[0];
    /* Further bits of chroma are few, and without them colours are visibly different. */
    int has_luma = !decoder->is_rgb && decoder->component_count != 4, largest = 0;
    if (!planes || planes->is_complete || !has_luma) return;
    for (int index = 1; index < 64; index++) {
        if (!webimage_jt_plane_needs(luma, index)) continue;
        int left_out = luma->quant[webimage_jt_natural_order[index]] * ((1 << luma->first_bits[index]) - 1);
        if (left_out > largest) largest = left_out;
    }
    decoder->is_rough[0] = largest <= most[luma->side];
}

webimage_jpeg_thumbnail_status webimage_jt_progressive_survey(decoder *decoder) {
    webimage_jpeg_thumbnail_status status = check_order(decoder);
    int is_dc = decoder->first == 0;
    for (int index = 0; index < decoder->scan_components && !status; index++) {
        if (is_dc && decoder->high_bit != 0) continue;
        status = webimage_jt_check_code(
            is_dc ? &decoder->codes[0][decoder->dc_index[index]] : &decoder->codes[1][decoder->ac_index[index]], is_dc);
    }
    return status ? status : webimage_jt_survey_scan(decoder);
}

static webimage_jpeg_thumbnail_status read_scan(decoder *decoder, reader *reader) {
    int is_dc = decoder->first == 0;
    for (int index = 0; index < decoder->scan_components; index++) {
        webimage_jpeg_thumbnail_status status = allocate(decoder, decoder->scan[index]);
        if (status) return status;
        if (is_dc && decoder->high_bit != 0) continue;
        webimage_jt_make_symbols(
            is_dc ? &decoder->codes[0][decoder->dc_index[index]] : &decoder->codes[1][decoder->ac_index[index]],
            &reader->symbols[index]);
    }
    webimage_jt_window_start(decoder);
    size_t mcus = (size_t)decoder->mcus_wide * (size_t)decoder->mcus_high;
    reader->decoder = decoder;
    reader->until_restart = interval_length(decoder, mcus);
    reader->position = webimage_jt_window_advance(&decoder->window, 0);
    return is_dc ? webimage_jt_read_dc_scan(reader) : webimage_jt_read_ac_scan(reader);
}

webimage_jpeg_thumbnail_status webimage_jt_progressive_scan(decoder *decoder) {
    if (!is_needed(decoder)) return WEBIMAGE_JPEG_THUMBNAIL_OK;
    reader *reader = calloc(1, sizeof *reader);
    if (!reader) return WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_MEMORY;
    webimage_jpeg_thumbnail_status status = read_scan(decoder, reader);
    free(reader);
    if (!status && webimage_jt_is_late(decoder)) return WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_TIME;
    return status;
}
