#include "thumbnail.h"

#include <stdlib.h>

#if HAS_AVX2_CODE
#include <immintrin.h>
#endif

/* Progressive files (ITU-T T.81, annex G). A thumbnail needs the scans with DC coefficients, and, where a block has more
   than one sample, the scans with the low AC coefficients. The remaining scans, which are most of the file, are skipped.

   Most files send the high bits of AC coefficients first and one further bit of all in each later scan. Such a scan has a bit
   for each coefficient that is not 0, so that all AC scans must be decoded for one further bit of the low ones. For planes,
   these bits of luma are left out if the file is quantised so finely that they do not matter: that takes a third to a half
   of the time. */

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

/* Whether samples are computed from AC coefficients. */
static int has_detail(const component *component) { return component->side > 1 && !component->is_unused; }

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

/* The blocks of a scan. */
typedef struct {
    int16_t *coefficients;
    uint64_t *nonzero;      /* NULL if no later bits are read */
    /* By index in the file's order: the place of the coefficient in a block. Those that are not needed share a place. */
    uint8_t places[64];
    uint64_t needed;        /* a bit for each coefficient that is needed */
    int16_t middle;         /* what is added to the magnitude of a coefficient because its further bits are left out */
} ac_blocks;

/* At 1/8, blocks of chroma have all coefficients in natural order, as libjpeg-turbo needs them. For planes, they have the
   lowest side x side ones in the file's order, and a place for all others. */
static void find_places(const decoder *decoder, const component *component, ac_blocks *blocks) {
    int is_plane = decoder->request->planes != NULL, side = component->side, place = 0;
    for (int index = 0; index < 64; index++) {
        int natural = webimage_jt_natural_order[index], is_needed = !is_plane || (natural % 8 < side && natural / 8 < side);
        blocks->places[index] = (uint8_t)(!is_plane ? natural : is_needed ? place++ : side * side);
        blocks->needed |= (uint64_t)is_needed << index;
    }
}

static inline void set_coefficient(ac_blocks *blocks, int index, int16_t value) {
    /* A run that leaves the block ends at the last coefficient. */
    if (index > 63) index = 63;
    blocks->coefficients[blocks->places[index]] = value;
    if (blocks->nonzero)
        *blocks->nonzero = (*blocks->nonzero & ~(UINT64_C(1) << index)) | (uint64_t)(value != 0) << index;
}

/* Reads a block from `position`, and returns the position behind it. */
static inline __attribute__((always_inline)) uint32_t read_first_bits(reader *reader, ac_blocks *blocks, uint32_t position) {
    const decoder *decoder = reader->decoder;
    const uint8_t *bytes = decoder->window.bytes;
    if (reader->end_run > 0) {
        reader->end_run--;
        return position;
    }
    for (int index = decoder->first, last = decoder->last; index <= last; index++) {
        uint64_t bits = bits_at(bytes, position);
        unsigned symbol = strict_symbol(&reader->symbols[0], bits), length = symbol >> 8;
        unsigned run = symbol >> 4 & 15, size = symbol & 15;
        if (size == 0 && run != 15) {
            reader->end_run = (UINT32_C(1) << run) - 1 + (uint32_t)((bits << length) >> 1 >> (63 - run));
            return position + length + run;
        }
        position += length + size;
        index += (int)run;
        if (size == 0) continue;
        int value = extra_value(bits << length, size);
        int16_t coefficient = (int16_t)(uint16_t)((unsigned)value << decoder->low_bit);
        set_coefficient(blocks, index, (int16_t)(coefficient + (value < 0 ? -blocks->middle : blocks->middle)));
    }
    return position;
}

/* Returns the place of the bit that is set behind `skipped` others, or 64. */
typedef int place_of_bit(uint64_t bits, int skipped);

static inline int place_of_bit_portable(uint64_t bits, int skipped) {
    for (; skipped > 0 && bits; skipped--) bits &= bits - 1;
    return bits ? __builtin_ctzll(bits) : 64;
}

#if HAS_AVX2_CODE
#define COUNTING __attribute__((target("popcnt,bmi,bmi2")))
COUNTING static inline int place_of_bit_counting(uint64_t bits, int skipped) {
    uint64_t bit = _pdep_u64(UINT64_C(1) << skipped, bits);
    return bit ? (int)_tzcnt_u64(bit) : 64;
}
#endif

/* Reads the further bits of a block from `position`, and returns the position behind them. Each coefficient of the band that
   is not 0 has a bit in the data, in their order; a code has the number of those that are 0 before one that becomes nonzero. */
static inline __attribute__((always_inline)) uint32_t read_further_bits(
    reader *reader, ac_blocks *blocks, uint32_t position, place_of_bit *place_of) {
    const decoder *decoder = reader->decoder;
    const uint8_t *bytes = decoder->window.bytes;
    const int last = decoder->last, bit = 1 << decoder->low_bit;
    const uint64_t band = ~UINT64_C(0) >> (63 - last), needed = blocks->needed;
    uint64_t nonzero = *blocks->nonzero;
    for (int index = decoder->first, is_end = 0; index <= last && !is_end;) {
        int value = 0, run = 63;
        is_end = reader->end_run > 0;
        if (!is_end) {
            uint64_t bits = bits_at(bytes, position);
            unsigned symbol = strict_symbol(&reader->symbols[0], bits), size = symbol & 15, length = symbol >> 8;
            run = (int)(symbol >> 4 & 15);
            position += length;
            if (size != 0) {
                /* A valid file has only size 1. */
                value = (bits << length) >> 63 ? bit : -bit;
                position++;
            } else if (run != 15) {
                reader->end_run = (UINT32_C(1) << run) + (uint32_t)((bits << length) >> 1 >> (63 - run));
                position += (uint32_t)run;
                run = 63;
                is_end = 1;
            }
        }
        uint64_t from = ~UINT64_C(0) << index & band;
        int next = place_of(from & ~nonzero, run);
        uint64_t passed = next > 63 ? from & nonzero : from & nonzero & ((UINT64_C(1) << next) - 1);
        for (uint64_t left = passed & needed; left; left &= left - 1) {
            int16_t *coefficient = blocks->coefficients + blocks->places[__builtin_ctzll(left)];
            uint32_t before = (uint32_t)__builtin_popcountll(passed & ((left & -left) - 1));
            if (bits_at(bytes, position + before) >> 63 && (*coefficient & bit) == 0)
                *coefficient = (int16_t)(*coefficient + (*coefficient >= 0 ? bit : -bit));
        }
        position += (uint32_t)__builtin_popcountll(passed);
        if (next > last) next = last + 1;
        if (value != 0) {
            /* A run that leaves the block ends at the last coefficient. */
            if (next > 63) next = 63;
            blocks->coefficients[blocks->places[next]] = (int16_t)value;
            nonzero |= UINT64_C(1) << next;
        }
        index = next + 1;
    }
    if (reader->end_run > 0) reader->end_run--;
    *blocks->nonzero = nonzero;
    return position;
}

static inline __attribute__((always_inline)) webimage_jpeg_thumbnail_status read_blocks(
    reader *reader, ac_blocks *blocks, place_of_bit *place_of) {
    const decoder *decoder = reader->decoder;
    const component *component = decoder->scan[0];
    for (int row = 0; row < decoder->mcus_high; row++) {
        size_t first = (size_t)row * (size_t)component->padded_wide;
        blocks->coefficients = component->coefficients + first * component->coefficients_per_block;
        blocks->nonzero = component->nonzero ? component->nonzero + first : NULL;
        for (int column = 0; column < decoder->mcus_wide; column++) {
            webimage_jpeg_thumbnail_status status = prepare_mcu(reader);
            if (status) return status;
            if (!reader->is_dry) {
                if (decoder->high_bit) reader->position = read_further_bits(reader, blocks, reader->position, place_of);
                else reader->position = read_first_bits(reader, blocks, reader->position);
            }
            blocks->coefficients += component->coefficients_per_block;
            if (blocks->nonzero) blocks->nonzero++;
        }
    }
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

#if HAS_AVX2_CODE
COUNTING static webimage_jpeg_thumbnail_status read_blocks_counting(reader *reader, ac_blocks *blocks) {
    return read_blocks(reader, blocks, place_of_bit_counting);
}
#endif

static webimage_jpeg_thumbnail_status read_ac_scan(reader *reader) {
    const decoder *decoder = reader->decoder;
    const component *component = decoder->scan[0];
    ac_blocks blocks = {0};
    find_places(decoder, component, &blocks);
    if (decoder->is_rough[component - decoder->components] && decoder->low_bit > 0)
        blocks.middle = (int16_t)((1 << decoder->low_bit) / 2 - 1);
#if HAS_AVX2_CODE
    if (webimage_jt_has_fast_deposit(decoder->request)) return read_blocks_counting(reader, &blocks);
#endif
    return read_blocks(reader, &blocks, place_of_bit_portable);
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
        || (decoder->high_bit == 0 && decoder->first <= webimage_jt_plane_last(component->side));
}

void webimage_jt_progressive_plan(decoder *decoder) {
    /* How much a coefficient may lack, by the side of a block; a level of a sample is 8. Measured with 160 files: up to
       these values, the thumbnail loses 0.25 points of SSIMULACRA2. */
    static const int most[MAX_PLANE_SIDE + 1] = {0, 0, 36, 12, 12, [8] = -1};
    const webimage_jpeg_thumbnail_planes *planes = decoder->request->planes;
    const component *luma = &decoder->components[0];
    int largest = 0;
    for (int index = 1; index < 64; index++) {
        int natural = webimage_jt_natural_order[index];
        if (natural % 8 >= luma->side || natural / 8 >= luma->side) continue;
        int left_out = luma->quant[natural] * ((1 << luma->first_bits[index]) - 1);
        if (left_out > largest) largest = left_out;
    }
    /* Further bits of chroma are few, and without them colours are visibly different. */
    int has_luma = !decoder->is_rgb && decoder->component_count != 4;
    decoder->is_rough[0] = planes && !planes->is_complete && has_luma && largest <= most[luma->side];
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

/* Writes the samples of a plane from the coefficients that find_places has chosen. */
static void finish_plane(const component *component, plane_blocks *blocks) {
    uint8_t slots[64];
    int count = 0;
    for (int index = 0; index <= blocks->last; index++) {
        int natural = webimage_jt_natural_order[index];
        if (natural % 8 < component->side && natural / 8 < component->side) slots[count++] = (uint8_t)index;
    }
    for (int row = 0; row < component->blocks_high; row++) {
        const int16_t *block = component->coefficients
            + (size_t)row * (size_t)component->padded_wide * component->coefficients_per_block;
        uint8_t *target = component->samples + (size_t)row * (size_t)component->side * component->stride;
        for (int done = 0; done < component->blocks_wide;) {
            int some = component->blocks_wide - done;
            if (some > PLANE_TILES * PLANE_LANES) some = PLANE_TILES * PLANE_LANES;
            for (int column = 0; column < some; column++, block += component->coefficients_per_block) {
                int16_t *lane = blocks->space->tiles + column / PLANE_LANES * PLANE_TILE + column % PLANE_LANES;
                for (int index = 0; index < count; index++) lane[slots[index] * PLANE_LANES] = block[index];
            }
            webimage_jt_plane_samples(
                blocks, (size_t)some, 1, target + (size_t)done * (size_t)component->side * component->sample_bytes, component->stride);
            done += some;
        }
    }
}

webimage_jpeg_thumbnail_status webimage_jt_progressive_finish(decoder *decoder) {
    const webimage_jpeg_thumbnail_planes *planes = decoder->request->planes;
    struct {
        plane_blocks blocks;
        plane_space space;
    } *memory = planes ? calloc(1, sizeof *memory) : NULL;
    if (planes && !memory) return WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_MEMORY;
    for (int index = 0; index < decoder->component_count; index++) {
        const component *component = &decoder->components[index];
        if (component->is_unused) continue;
        if (planes) {
            webimage_jt_plane_init(
                &memory->blocks, component->side, component->quant, &memory->space, webimage_jt_has_avx2(planes));
            finish_plane(component, &memory->blocks);
        } else {
            for (int row = 0; row < component->blocks_high; row++) finish_row(component, row);
        }
    }
    free(memory);
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}
