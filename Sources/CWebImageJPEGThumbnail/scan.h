#ifndef SCAN_H
#define SCAN_H

#include "thumbnail.h"

#include <stdlib.h>

/* A scan of a sequential file while it is decoded. The files in the order of the steps: sequential.c, intervals.c, blocks.c,
   damage.c, cost.c. */

/* The blocks of one component in an MCU. */
typedef struct {
    const component *component;
    const symbol_table *symbols, *ac_symbols;
    const int32_t *values;     /* of DC coefficients */
    int32_t prediction;        /* the last DC coefficient */
    int first, count;          /* the blocks' indices in the MCU */
    size_t offsets[MAX_BLOCKS_IN_MCU]; /* of the blocks' samples in the MCU, in bytes */
    size_t across;             /* blocks of an MCU side by side */
    size_t step;               /* bytes from one MCU to the next */
    chroma_blocks *chroma;     /* NULL, or a block has 2 x 2 samples, as libjpeg-turbo makes them */
    plane_blocks planes;       /* only in a decode to planes */
} part;

/* Tables and lists. They are not cleared, which would take a hundredth of the time. */
typedef struct {
    symbol_table dc[4], ac[4];            /* by the number in the file, as the following ones */
    value_table dc_values[4];
    uint32_t plane_values[4][GROUP_SIZE];
    uint32_t groups[MAX_COMPONENTS * 2 * GROUP_SIZE];
    plane_space space;
    chroma_blocks chroma[MAX_COMPONENTS];
} memory;

typedef struct {
    decoder *decoder;
    memory *memory;
    stream_code code;
    part parts[MAX_COMPONENTS];
    size_t capacity;                   /* of a window */
    size_t mcu;                        /* the number of MCUs so far */
    uint32_t *list;                    /* the memory of `ends` and `guesses` */
    uint32_t *ends;                    /* one entry before them can be written as well */
    uint32_t *guesses[STREAMS];
    int is_strict;                     /* the streams save no time for the rest of the scan */
    size_t wasted_bits;                /* found by streams behind damage */
    uint8_t *damaged;                  /* the data of a damaged restart interval, and zeros behind it */
} scan;

/* Where the samples of an MCU start. */
static inline uint8_t *target_of(const scan *scan, const part *part, size_t column, size_t row) {
    const component *component = part->component;
    size_t y = row * (size_t)rows_of_mcu(scan->decoder, component) % (size_t)component->rows;
    return part->component->samples + y * part->component->stride + column * part->step;
}

/* blocks.c */
/* Writes `count` MCUs without damage, whose blocks end at `ends`. `start` is the position of the first block. */
webimage_jpeg_thumbnail_status webimage_jt_write_blocks(scan *scan, uint32_t start, uint32_t *ends, size_t count);
/* Writes the samples of all listed blocks. Call this function before the window changes. */
void webimage_jt_flush_blocks(scan *scan);

/* cost.c */
/* Whether so little has been decoded that libjpeg-turbo can start anew. Later, more work would be lost than a strict decode
   of the rest takes. */
int webimage_jt_is_early(const decoder *decoder);
/* Call this function after each window, with the number of its bits. */
webimage_jpeg_thumbnail_status webimage_jt_check_cost(scan *scan, size_t bits);
/* Counts bits that the streams have used in vain. */
void webimage_jt_waste(scan *scan, size_t bits);

/* damage.c */
/* The number of MCUs before the first invalid code. */
size_t webimage_jt_sound_mcus(const scan *scan, const uint32_t *ends, size_t mcus);
/* Decodes the rest of a scan or of a restart interval from its first damaged MCU, one symbol at a time. */
webimage_jpeg_thumbnail_status webimage_jt_write_strictly(scan *scan, window *window, uint32_t position, size_t mcus);

/* intervals.c */
/* Decodes `mcus` MCUs in windows, each by several streams. The data starts at `window.next`. */
webimage_jpeg_thumbnail_status webimage_jt_decode_long(scan *scan, size_t mcus);
/* Decodes a scan with restart markers. Each interval is independent of the others and its start is known. Intervals that
   fit into the window are decoded together; a longer one is decoded like a file without restart markers. */
webimage_jpeg_thumbnail_status webimage_jt_decode_intervals(scan *scan, size_t mcus);

#endif
