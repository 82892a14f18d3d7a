#include "progressive.h"

/* Reads the DC coefficients of progressive files. */

enum { LARGEST_DC = 1 << 29 }; /* libjpeg-turbo fails at a sum that needs more than 32 bits */

static int16_t *block_at(const component *component, int x, int y) {
    size_t index = (size_t)y * (size_t)component->padded_wide + (size_t)x;
    return component->coefficients + index * component->coefficients_per_block;
}

static inline webimage_jpeg_thumbnail_status read_dc(reader *reader, int index, int16_t *block) {
    const decoder *decoder = reader->decoder;
    if (decoder->high_bit != 0) {
        if (read_bits(reader, 1)) *block = (int16_t)(*block | 1 << decoder->low_bit);
        return WEBIMAGE_JPEG_THUMBNAIL_OK;
    }
    uint64_t bits = peek(reader);
    unsigned symbol = strict_symbol(&reader->symbols[index], bits), length = symbol >> 8, size = symbol & 15;
    int dc = reader->predictions[index] + extra_value(bits << length, size);
    if (dc > LARGEST_DC || dc < -LARGEST_DC) return WEBIMAGE_JPEG_THUMBNAIL_RANGE;
    reader->predictions[index] = dc;
    reader->position += length + size;
    *block = (int16_t)(uint16_t)((unsigned)dc << decoder->low_bit);
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

webimage_jpeg_thumbnail_status webimage_jt_read_dc_scan(reader *reader) {
    const decoder *decoder = reader->decoder;
    int is_single = decoder->scan_components == 1;
    for (int row = 0; row < decoder->mcus_high; row++) {
        for (int column = 0; column < decoder->mcus_wide; column++) {
            webimage_jpeg_thumbnail_status status = prepare_mcu(reader);
            for (int index = 0; index < decoder->blocks_in_mcu && !status && !reader->is_dry; index++) {
                const mcu_block *place = &decoder->mcu[index];
                const component *component = decoder->scan[place->index];
                int x = is_single ? column : column * component->horizontal + place->x;
                int y = is_single ? row : row * component->vertical + place->y;
                status = read_dc(reader, place->index, block_at(component, x, y));
            }
            if (status) return status;
        }
    }
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}
