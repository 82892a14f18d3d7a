#include "thumbnail.h"

#include <stdlib.h>

/* Progressive files (ITU-T T.81, annex G). A thumbnail needs the scans with DC coefficients, and, if chroma has 2 x 2
   samples per block, chroma's other scans. The remaining scans, which are most of the file, are skipped. */

/* Reads bits of the current scan. */
typedef struct {
    decoder *decoder;
    uint32_t position;
    size_t until_restart;       /* blocks or MCUs */
    int is_dry;                 /* no data is left until the next restart marker */
    symbol_table symbols[MAX_COMPONENTS];
    int predictions[MAX_COMPONENTS];
    uint32_t end_run;           /* the number of further blocks without codes (EOBRUN) */
} reader;

enum {
    MARGIN_BYTES = 2048,        /* more than an MCU can need */
    /* libjpeg-turbo fails at a sum that needs more than 32 bits. */
    LARGEST_DC = 1 << 29,
};

/* As next_symbol; libjpeg-turbo reads 17 bits of an invalid code and takes it for symbol 0. */
static inline unsigned strict_symbol(const symbol_table *table, uint64_t bits) {
    unsigned entry = next_symbol(table, bits);
    return __builtin_expect(entry == 0, 0) ? 17 << 8 : entry;
}

/* Call this function before each MCU: makes enough bits available, and processes a restart marker. */
static webimage_jpeg_thumbnail_status prepare_mcu(reader *reader) {
    window *window = &reader->decoder->window;
    if (reader->until_restart == 0) {
        webimage_jt_window_restart(window);
        window->filled = 0;
        reader->position = webimage_jt_window_advance(window, 0);
        memset(reader->predictions, 0, sizeof reader->predictions);
        reader->end_run = 0;
        reader->until_restart = (size_t)reader->decoder->restart_interval;
    }
    reader->until_restart--;
    if (!window->is_at_marker && (size_t)(reader->position >> 3) + MARGIN_BYTES > window->filled) {
        reader->position = webimage_jt_window_advance(window, reader->position);
        if (webimage_jt_is_late(reader->decoder)) return WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_TIME;
    }
    /* libjpeg-turbo ends an MCU with zeros if the data ends early, and leaves the following ones as they are. */
    reader->is_dry = reader->position > window->filled * 8;
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

static inline uint64_t peek(const reader *reader) { return bits_at(reader->decoder->window.bytes, reader->position); }

static inline unsigned read_bits(reader *reader, unsigned count) {
    unsigned value = (unsigned)(peek(reader) >> 1 >> (63 - count));
    reader->position += count;
    return value;
}

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

static webimage_jpeg_thumbnail_status read_dc_scan(reader *reader) {
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

/* Reads the length of a run of blocks without codes. */
static void start_end_run(reader *reader, unsigned size) {
    reader->end_run = (UINT32_C(1) << size) + read_bits(reader, size);
}

/* A block with the bits that tell which of its coefficients are not 0. */
typedef struct {
    int16_t *coefficients;
    uint64_t *nonzero;
} ac_block;

static inline void set_coefficient(ac_block block, int index, int16_t value) {
    /* A run that leaves the block ends at the last coefficient. */
    if (index > 63) index = 63;
    block.coefficients[webimage_jt_natural_order[index]] = value;
    *block.nonzero = (*block.nonzero & ~(UINT64_C(1) << index)) | (uint64_t)(value != 0) << index;
}

static void read_first_ac(reader *reader, ac_block block) {
    const decoder *decoder = reader->decoder;
    if (reader->end_run > 0) {
        reader->end_run--;
        return;
    }
    for (int index = decoder->first; index <= decoder->last; index++) {
        uint64_t bits = peek(reader);
        unsigned symbol = strict_symbol(&reader->symbols[0], bits), length = symbol >> 8;
        unsigned run = symbol >> 4 & 15, size = symbol & 15;
        reader->position += length;
        if (size == 0 && run != 15) {
            start_end_run(reader, run);
            reader->end_run--;
            break;
        }
        index += (int)run;
        if (size == 0) continue;
        int value = extra_value(bits << length, size);
        set_coefficient(block, index, (int16_t)(uint16_t)((unsigned)value << decoder->low_bit));
        reader->position += size;
    }
}

/* Reads the next bit of a coefficient that is not zero. */
static void refine(reader *reader, int16_t *coefficient) {
    int bit = 1 << reader->decoder->low_bit;
    if (read_bits(reader, 1) && (*coefficient & bit) == 0)
        *coefficient = (int16_t)(*coefficient + (*coefficient >= 0 ? bit : -bit));
}

/* Reads the next bits of all coefficients from `index` that are not zero, until `zeros` others have been skipped. Returns
   the index of the next coefficient that is zero, or an index beyond the last one. */
static int refine_run(reader *reader, ac_block block, int index, int zeros) {
    int last = reader->decoder->last;
    uint64_t band = ~UINT64_C(0) >> (63 - last);
    while (index <= last) {
        uint64_t left = *block.nonzero & band & (~UINT64_C(0) << index);
        int next = left ? __builtin_ctzll(left) : last + 1;
        if (next - index > zeros) return index + zeros;
        zeros -= next - index;
        if (left) refine(reader, block.coefficients + webimage_jt_natural_order[next]);
        index = next + 1;
    }
    return last + 1;
}

static void read_further_ac(reader *reader, ac_block block) {
    const decoder *decoder = reader->decoder;
    int index = decoder->first;
    while (reader->end_run == 0 && index <= decoder->last) {
        unsigned symbol = strict_symbol(&reader->symbols[0], peek(reader)), run = symbol >> 4 & 15, size = symbol & 15;
        reader->position += symbol >> 8;
        int value = 0;
        /* A valid file has only size 1. */
        if (size != 0) {
            value = read_bits(reader, 1) ? 1 << decoder->low_bit : -(1 << decoder->low_bit);
        } else if (run != 15) {
            start_end_run(reader, run);
            break;
        }
        index = refine_run(reader, block, index, (int)run);
        if (value != 0) set_coefficient(block, index, (int16_t)value);
        index++;
    }
    if (reader->end_run > 0) {
        refine_run(reader, block, index, 64);
        reader->end_run--;
    }
}

static webimage_jpeg_thumbnail_status read_ac_scan(reader *reader) {
    const decoder *decoder = reader->decoder;
    const component *component = decoder->scan[0];
    for (int row = 0; row < decoder->mcus_high; row++) {
        size_t first = (size_t)row * (size_t)component->padded_wide;
        ac_block block = {component->coefficients + first * 64, component->nonzero + first};
        for (int column = 0; column < decoder->mcus_wide; column++) {
            webimage_jpeg_thumbnail_status status = prepare_mcu(reader);
            if (status) return status;
            if (!reader->is_dry && decoder->high_bit) read_further_ac(reader, block);
            if (!reader->is_dry && !decoder->high_bit) read_first_ac(reader, block);
            block.coefficients += 64;
            block.nonzero++;
        }
    }
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

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
            known[coefficient] = (int8_t)decoder->low_bit;
        }
    }
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

static webimage_jpeg_thumbnail_status allocate(component *component) {
    if (component->coefficients) return WEBIMAGE_JPEG_THUMBNAIL_OK;
    size_t blocks = (size_t)component->padded_wide * (size_t)component->padded_high;
    component->coefficients_per_block = component->side == 2 ? 64 : 1;
    component->coefficients = calloc(blocks * component->coefficients_per_block, sizeof *component->coefficients);
    if (component->side == 2) component->nonzero = calloc(blocks, sizeof *component->nonzero);
    return component->coefficients && (component->side == 1 || component->nonzero)
        ? WEBIMAGE_JPEG_THUMBNAIL_OK : WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_MEMORY;
}

static int is_needed(const decoder *decoder) { return decoder->first == 0 || decoder->scan[0]->side == 2; }

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
        webimage_jpeg_thumbnail_status status = allocate(decoder->scan[index]);
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
    return is_dc ? read_dc_scan(reader) : read_ac_scan(reader);
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

static void finish_row(const component *component, int row) {
    size_t stride = component->stride, first = (size_t)row * (size_t)component->padded_wide;
    uint8_t *target = component->samples + (size_t)row * (size_t)component->side * stride;
    const int16_t *block = component->coefficients + first * component->coefficients_per_block;
    for (int x = 0; x < component->blocks_wide; x++, block += component->coefficients_per_block) {
        if (component->side == 1) {
            *target++ = sample_of(*block, component->quant[0]);
        } else {
            int is_flat = component->nonzero[first + (size_t)x] == 0;
            webimage_jt_chroma_block(block, component->quant, is_flat, target, stride);
            target += 2;
        }
    }
}

void webimage_jt_progressive_finish(decoder *decoder) {
    for (int index = 0; index < decoder->component_count; index++)
        for (int row = 0; row < decoder->components[index].blocks_high; row++) finish_row(&decoder->components[index], row);
}
