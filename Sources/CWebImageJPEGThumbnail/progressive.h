#ifndef PROGRESSIVE_H
#define PROGRESSIVE_H

#include "thumbnail.h"

/* A scan of a progressive file while it is read. progressive.c decides which scans are read and how; progressive_dc.c and
   progressive_ac.c read them, and progressive_samples.c writes the samples after the last one. */

enum { MARGIN_BYTES = 2048 }; /* more than an MCU can need */

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

/* As next_symbol; libjpeg-turbo reads 17 bits of an invalid code and takes it for symbol 0. */
static inline unsigned strict_symbol(const symbol_table *table, uint64_t bits) {
    unsigned entry = next_symbol(table, bits);
    return __builtin_expect(entry == 0, 0) ? 17 << 8 : entry;
}

/* Call this function before each MCU: makes enough bits available, and processes a restart marker. */
static inline webimage_jpeg_thumbnail_status prepare_mcu(reader *reader) {
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

/* Read all blocks of the current scan. */
webimage_jpeg_thumbnail_status webimage_jt_read_dc_scan(reader *reader);
webimage_jpeg_thumbnail_status webimage_jt_read_ac_scan(reader *reader);

#endif
