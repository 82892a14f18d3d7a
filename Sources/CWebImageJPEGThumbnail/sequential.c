#include "thumbnail.h"

#include <stdlib.h>

/* The second pass over the data of a sequential file. The first pass (streams.c) has found where each block starts. This
   pass decodes the DC coefficients, sums them and writes the samples. */

/* The blocks of one component in an MCU. */
typedef struct {
    const component *component;
    const symbol_table *symbols;
    value_table values;        /* of DC coefficients */
    int32_t prediction;        /* the last DC coefficient */
    int first, count;          /* the blocks' indices in the MCU */
    size_t offsets[MAX_BLOCKS_IN_MCU]; /* of the blocks' samples in the MCU */
    size_t step;               /* samples from one MCU to the next */
    chroma_blocks chroma;      /* only if a block has 2 x 2 samples */
} part;

typedef struct {
    decoder *decoder;
    symbol_table dc[4], ac[4];         /* by the number in the file */
    uint32_t groups[MAX_COMPONENTS * 2 * GROUP_SIZE];
    stream_code code;
    part parts[MAX_COMPONENTS];
    size_t capacity;                   /* of a window */
    size_t mcu;                        /* the number of MCUs so far */
    uint32_t *list;                    /* the memory of `ends` and `guesses` */
    uint32_t *ends;                    /* one entry before them can be written as well */
    uint32_t *guesses[STREAMS];
} scan;

static webimage_jpeg_thumbnail_status prepare_part(scan *scan, int index) {
    const decoder *decoder = scan->decoder;
    part *part = &scan->parts[index];
    const component *component = decoder->scan[index];
    int is_single = decoder->scan_components == 1;
    part->component = component;
    part->symbols = &scan->dc[decoder->dc_index[index]];
    webimage_jt_make_values(part->symbols, 1, part->values);
    part->first = index == 0 ? 0 : part[-1].first + part[-1].count;
    part->count = is_single ? 1 : component->horizontal * component->vertical;
    part->step = (size_t)((is_single ? 1 : component->horizontal) * component->side);
    for (int block = 0; block < part->count; block++) {
        const mcu_block *place = &decoder->mcu[part->first + block];
        part->offsets[block] = ((size_t)place->y * component->stride + (size_t)place->x) * (size_t)component->side;
    }
    if (component->side == 1) return WEBIMAGE_JPEG_THUMBNAIL_OK;
    return webimage_jt_chroma_init(&part->chroma, component->quant, &scan->ac[decoder->ac_index[index]]);
}

static webimage_jpeg_thumbnail_status prepare(decoder *decoder, scan *scan) {
    scan->decoder = decoder;
    int pairs = 0, pair_dc[MAX_COMPONENTS], pair_ac[MAX_COMPONENTS], pair_of[MAX_COMPONENTS];
    for (int index = 0; index < decoder->scan_components; index++) {
        int dc = decoder->dc_index[index], ac = decoder->ac_index[index];
        if (webimage_jt_check_code(&decoder->codes[0][dc], 1) || webimage_jt_check_code(&decoder->codes[1][ac], 0))
            return WEBIMAGE_JPEG_THUMBNAIL_TABLE;
        int pair = 0;
        while (pair < pairs && (pair_dc[pair] != dc || pair_ac[pair] != ac)) pair++;
        pair_of[index] = pair;
        if (pair == pairs) {
            pair_dc[pair] = dc;
            pair_ac[pair] = ac;
            pairs++;
            webimage_jt_make_symbols(&decoder->codes[0][dc], &scan->dc[dc]);
            webimage_jt_make_symbols(&decoder->codes[1][ac], &scan->ac[ac]);
            webimage_jt_make_groups(
                &decoder->codes[0][dc], &decoder->codes[1][ac], scan->groups + pair * 2 * GROUP_SIZE);
            scan->code.dc[pair] = &scan->dc[dc];
            scan->code.ac[pair] = &scan->ac[ac];
        }
        webimage_jpeg_thumbnail_status status = prepare_part(scan, index);
        if (status) return status;
    }
    uint32_t tables[MAX_BLOCKS_IN_MCU];
    for (int index = 0; index < decoder->blocks_in_mcu; index++)
        tables[index] = (uint32_t)pair_of[decoder->mcu[index].index] * 2 * GROUP_SIZE + GROUP_SIZE;
    /* If several places use the same tables, the order of the tables can repeat inside the MCU. Then streams can join
       at more places. */
    int period = 1, count = decoder->blocks_in_mcu;
    for (; period < count; period++) {
        int repeats = count % period == 0;
        for (int index = period; index < count && repeats; index++) repeats = tables[index] == tables[index - period];
        if (repeats) break;
    }
    scan->code.period = (uint32_t)period;
    size_t entries = sizeof scan->code.next / sizeof scan->code.next[0];
    for (size_t index = 0; index < entries; index++) scan->code.next[index] = tables[index % (size_t)period];
    scan->code.groups = scan->groups;
    scan->code.bytes = decoder->window.bytes;

    scan->capacity = decoder->window.capacity;
    size_t capacity = webimage_jt_ends_capacity(scan->capacity);
    size_t guesses = webimage_jt_guesses_capacity(scan->capacity);
    scan->list = malloc((1 + capacity + (STREAMS - 1) * guesses) * sizeof *scan->list);
    if (!scan->list) return WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_MEMORY;
    scan->ends = scan->list + 1;
    for (int index = 1; index < STREAMS; index++)
        scan->guesses[index] = scan->ends + capacity + (size_t)(index - 1) * guesses;
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

/* Writes the samples of `count` MCUs of one row, or lists their blocks if a block has 2 x 2 samples. ends[-1] is the
   position of the first block. Returns whether a block contains an invalid code or a value that needs more than 16
   bits. */
static inline __attribute__((always_inline)) uint32_t write_part(
    scan *scan, part *part, const uint32_t *ends, uint8_t *target, size_t count, int blocks, int side) {
    const uint8_t *const bytes = scan->decoder->window.bytes;
    const size_t blocks_in_mcu = (size_t)scan->decoder->blocks_in_mcu;
    const uint16_t quant = part->component->quant[0];
    int32_t dc = part->prediction;
    uint32_t flags = 0, extent = 0;
    int listed = part->chroma.count;
    ends += part->first;
    for (size_t mcu = 0; mcu < count; mcu++, ends += blocks_in_mcu, target += part->step) {
        for (int block = 0; block < blocks; block++) {
            uint32_t start = ends[block - 1] & POSITION_MASK;
            uint64_t bits = bits_at(bytes, start);
            int32_t entry = part->values[bits >> (64 - GROUP_BITS)];
            if (__builtin_expect(entry == 0, 0)) entry = webimage_jt_long_value(part->symbols, 1, bits);
            dc += entry >> 16;
            /* A sum that needs more bits stops the decode behind this loop, before the addition could overflow. */
            extent |= (uint32_t)(dc + 32768);
            flags |= ends[block];
            if (side == 1) {
                target[part->offsets[block]] = sample_of((int16_t)dc, quant);
            } else {
                part->chroma.starts[listed] = (start + ((uint32_t)entry & 63)) | (uint32_t)CHROMA_START << 24;
                part->chroma.targets[listed] = target + part->offsets[block];
                part->chroma.sums[listed] = (int16_t)dc;
                listed++;
            }
        }
    }
    part->prediction = dc;
    part->chroma.count = listed;
    return (flags & SLOW_OR_INVALID) | extent >> 16;
}

/* Gives the compiler the common numbers of blocks as constants. */
static uint32_t write_any_part(scan *scan, part *part, const uint32_t *ends, uint8_t *target, size_t count) {
    if (part->component->side == 2) return write_part(scan, part, ends, target, count, part->count, 2);
    if (part->count == 1) return write_part(scan, part, ends, target, count, 1, 1);
    if (part->count == 4) return write_part(scan, part, ends, target, count, 4, 1);
    return write_part(scan, part, ends, target, count, part->count, 1);
}

/* Writes the samples of all listed blocks. Call this function before the window changes. */
static webimage_jpeg_thumbnail_status flush_chroma(scan *scan) {
    for (int index = 0; index < scan->decoder->scan_components; index++) {
        part *part = &scan->parts[index];
        webimage_jpeg_thumbnail_status status =
            webimage_jt_chroma_flush(&part->chroma, scan->decoder->window.bytes, part->component->stride);
        if (status) return status;
    }
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

/* The number of MCUs for which all lists of chroma have space. */
static size_t chroma_room(const scan *scan) {
    size_t room = SIZE_MAX;
    for (int index = 0; index < scan->decoder->scan_components; index++) {
        const part *part = &scan->parts[index];
        size_t left = (size_t)(CHROMA_BATCH - part->chroma.count) / (size_t)part->count;
        if (part->component->side == 2 && left < room) room = left;
    }
    return room;
}

/* Writes `count` MCUs, whose blocks end at `ends`. `start` is the position of the first block. */
static webimage_jpeg_thumbnail_status write_blocks(scan *scan, uint32_t start, uint32_t *ends, size_t count) {
    decoder *decoder = scan->decoder;
    size_t wide = (size_t)decoder->mcus_wide;
    ends[-1] = start;
    while (count > 0) {
        size_t column = scan->mcu % wide, row = scan->mcu / wide, run = wide - column, room = chroma_room(scan);
        if (run > count) run = count;
        if (run > room) run = room;
        for (int index = 0; index < decoder->scan_components && run > 0; index++) {
            part *part = &scan->parts[index];
            const component *component = part->component;
            size_t blocks_down = (size_t)(decoder->scan_components == 1 ? 1 : component->vertical);
            size_t y = row * blocks_down * (size_t)component->side;
            uint8_t *target = component->samples + y * component->stride + column * part->step;
            if (write_any_part(scan, part, ends, target, run)) return WEBIMAGE_JPEG_THUMBNAIL_CODE;
        }
        webimage_jpeg_thumbnail_status status = run == room ? flush_chroma(scan) : WEBIMAGE_JPEG_THUMBNAIL_OK;
        if (status) return status;
        ends += run * (size_t)decoder->blocks_in_mcu;
        scan->mcu += run;
        count -= run;
    }
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

static void reset_predictions(scan *scan) {
    for (int index = 0; index < MAX_COMPONENTS; index++) scan->parts[index].prediction = 0;
}

/* The work so far is compared with the bits so far. The limits are twice the values of ordinary photos in the highest
   quality. Beyond them libjpeg-turbo, whose branches are then often predictable, is about as fast. */
enum {
    ROUNDS_PER_SLOW_SYMBOL = 4,
    BITS_PER_CHROMA_STEP = 16,
    BLOCKS_PER_INTERVAL = 24,
    BITS_PER_BLOCK = 8,
};

static int is_costly(const scan *scan) {
    if (scan->decoder->request->ignores_cost) return 0;
    uint64_t chroma_rounds = 0;
    for (int index = 0; index < MAX_COMPONENTS; index++) chroma_rounds += scan->parts[index].chroma.rounds;
    return scan->code.slow_symbols * ROUNDS_PER_SLOW_SYMBOL > scan->code.rounds
        || chroma_rounds * STREAMS * BITS_PER_CHROMA_STEP > scan->decoder->work.bits;
}

/* Call this function after each window. */
static webimage_jpeg_thumbnail_status check_cost(scan *scan, size_t bits) {
    decoder *decoder = scan->decoder;
    decoder->work.windows++;
    decoder->work.bits += bits;
    decoder->window.capacity = scan->capacity;
    if (webimage_jt_is_late(decoder)) return WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_TIME;
    return is_costly(scan) ? WEBIMAGE_JPEG_THUMBNAIL_COSTLY : WEBIMAGE_JPEG_THUMBNAIL_OK;
}

/* Decodes `mcus` MCUs in windows, each by several streams. The data starts at `window.next`. */
static webimage_jpeg_thumbnail_status decode_long(scan *scan, size_t mcus) {
    decoder *decoder = scan->decoder;
    window *window = &decoder->window;
    size_t blocks = (size_t)decoder->blocks_in_mcu;
    uint32_t position = 0;
    window->filled = 0;
    for (;;) {
        position = webimage_jt_window_advance(window, position);
        uint32_t start = position;
        size_t count = webimage_jt_find_blocks(decoder, &scan->code, position, scan->ends, scan->guesses) / blocks;
        if (count > mcus) count = mcus;
        webimage_jpeg_thumbnail_status status = write_blocks(scan, position, scan->ends, count);
        if (!status) status = flush_chroma(scan);
        if (status) return status;
        if (count > 0) position = scan->ends[count * blocks - 1] & POSITION_MASK;
        mcus -= count;
        if (mcus == 0) return WEBIMAGE_JPEG_THUMBNAIL_OK;
        /* A full window always contains a whole MCU. */
        if (window->is_at_marker || count == 0) return WEBIMAGE_JPEG_THUMBNAIL_SHORT;
        status = check_cost(scan, position - start);
        if (status) return status;
    }
}

/* Restart intervals that are together in the window. */
enum { MAX_INTERVALS = 64 };

typedef struct {
    stream stream;
    uint32_t start;
    uint32_t *ends;
    size_t mcus;
} interval;

/* Runs the streams of all intervals, STREAMS at a time. A stream that ends is replaced by the next one. */
static void run_intervals(scan *scan, interval *intervals, size_t count) {
    stream *running[STREAMS];
    size_t next = 0;
    int active = 0;
    for (;;) {
        int kept = 0;
        for (int index = 0; index < active; index++)
            if ((running[index]->sum & POSITION_MASK) < running[index]->limit) running[kept++] = running[index];
        active = kept;
        while (active < STREAMS && next < count) running[active++] = &intervals[next++].stream;
        if (active == 0) return;
        webimage_jt_run_some(&scan->code, running, active);
    }
}

static webimage_jpeg_thumbnail_status write_intervals(scan *scan, interval *intervals, size_t count) {
    run_intervals(scan, intervals, count);
    size_t bits = 0;
    for (size_t index = 0; index < count; index++) {
        interval *interval = &intervals[index];
        size_t blocks = interval->mcus * (size_t)scan->decoder->blocks_in_mcu;
        if ((size_t)(interval->stream.ends - interval->ends) < blocks
            || (interval->ends[blocks - 1] & POSITION_MASK) > interval->stream.limit)
            return WEBIMAGE_JPEG_THUMBNAIL_SHORT;
        reset_predictions(scan);
        webimage_jpeg_thumbnail_status status = write_blocks(scan, interval->start, interval->ends, interval->mcus);
        if (status) return status;
        bits += interval->stream.limit - interval->start;
    }
    webimage_jpeg_thumbnail_status status = flush_chroma(scan);
    return status ? status : check_cost(scan, bits);
}

/* Decodes a scan with restart markers. Each interval is independent of the others and its start is known. Intervals that
   fit into the window are decoded together; a longer one is decoded like a file without restart markers. */
static webimage_jpeg_thumbnail_status decode_intervals(scan *scan, size_t mcus) {
    decoder *decoder = scan->decoder;
    window *window = &decoder->window;
    interval intervals[MAX_INTERVALS];
    size_t count = 0, filled = 0;
    unsigned number = 0;
    webimage_jpeg_thumbnail_status status = WEBIMAGE_JPEG_THUMBNAIL_OK;
    while (mcus > 0 || count > 0) {
        const uint8_t *start = window->next;
        size_t length = interval_length(decoder, mcus);
        int is_complete = 0;
        if (mcus > 0 && count < MAX_INTERVALS && filled + 2 * INTERVAL_GAP < window->capacity) {
            window->is_at_marker = 0;
            window->filled = filled;
            webimage_jt_window_fill(window);
            is_complete = window->is_at_marker;
        }
        if (is_complete) {
            interval *interval = &intervals[count++];
            interval->start = (uint32_t)filled * 8;
            interval->ends = scan->ends + filled * 4;
            interval->mcus = length;
            start_stream(&scan->code, &interval->stream, interval->start, interval->ends);
            interval->stream.limit = (uint32_t)window->filled * 8;
            filled = window->filled + INTERVAL_GAP;
            mcus -= length;
            if (mcus > 0) status = webimage_jt_window_restart(window, number++);
        } else if (count > 0) {
            status = write_intervals(scan, intervals, count);
            count = filled = 0;
            window->next = start;
        } else {
            window->next = start;
            window->is_at_marker = 0;
            reset_predictions(scan);
            status = decode_long(scan, length);
            mcus -= length;
            if (!status && mcus > 0) status = webimage_jt_window_restart(window, number++);
        }
        if (status) return status;
    }
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

/* Detects a truncated scan, and a scan that libjpeg-turbo probably decodes as fast, before any work. */
static webimage_jpeg_thumbnail_status inspect(decoder *decoder, size_t mcus) {
    size_t interval = interval_length(decoder, mcus), blocks = (size_t)decoder->blocks_in_mcu;
    webimage_jt_window_start(decoder);
    if (webimage_jt_is_truncated(&decoder->window)) return WEBIMAGE_JPEG_THUMBNAIL_SHORT;
    if (decoder->request->ignores_cost) return WEBIMAGE_JPEG_THUMBNAIL_OK;
    size_t bits = (size_t)(decoder->end - decoder->next) * 8;
    return interval * blocks < BLOCKS_PER_INTERVAL || bits / BITS_PER_BLOCK < mcus * blocks
        ? WEBIMAGE_JPEG_THUMBNAIL_COSTLY : WEBIMAGE_JPEG_THUMBNAIL_OK;
}

webimage_jpeg_thumbnail_status webimage_jt_sequential_scan(decoder *decoder) {
    size_t mcus = (size_t)decoder->mcus_wide * (size_t)decoder->mcus_high;
    webimage_jpeg_thumbnail_status status = inspect(decoder, mcus);
    if (status) return status;
    scan *scan = calloc(1, sizeof *scan);
    if (!scan) return WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_MEMORY;
    status = prepare(decoder, scan);
    if (!status) {
        window *window = &decoder->window;
        if (window->capacity > FIRST_WINDOW_BYTES) window->capacity = FIRST_WINDOW_BYTES;
        status = decoder->restart_interval ? decode_intervals(scan, mcus) : decode_long(scan, mcus);
        if (!status) webimage_jt_window_skip(window);
        window->capacity = scan->capacity;
        decoder->next = window->next;
        decoder->work.rounds += scan->code.rounds;
        decoder->work.slow_symbols += scan->code.slow_symbols;
        for (int index = 0; index < MAX_COMPONENTS; index++) decoder->work.chroma_rounds += scan->parts[index].chroma.rounds;
    }
    free(scan->list);
    free(scan);
    return status;
}
