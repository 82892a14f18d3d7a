#include "progressive.h"

#if HAS_AVX2_CODE
#include <immintrin.h>
#endif

/* Reads the AC coefficients of progressive files: their first bits, and one further bit of each in later scans. */

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
   ones that samples are made of in the file's order, and a place for all others. */
static void find_places(const decoder *decoder, const component *component, ac_blocks *blocks) {
    int is_plane = decoder->request->planes != NULL, place = 0;
    for (int index = 0; index < 64; index++) {
        int is_needed = !is_plane || webimage_jt_plane_needs(component, index);
        int other = component->side * component->side;
        blocks->places[index] = (uint8_t)(!is_plane ? webimage_jt_natural_order[index] : is_needed ? place++ : other);
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

webimage_jpeg_thumbnail_status webimage_jt_read_ac_scan(reader *reader) {
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
