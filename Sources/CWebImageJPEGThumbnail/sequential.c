#include "thumbnail.h"

#include <stdlib.h>

/* The second pass over the data of a sequential file. The first pass (streams.c) has found where each block starts. This
   pass decodes the DC coefficients, sums them and writes the samples. */

/* More than the longest MCU: 10 blocks of 64 codes with their extra bits. */
enum { MAX_MCU_BYTES = MAX_BLOCKS_IN_MCU * 64 * (17 + 15) / 8 };

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

static void prepare_part(scan *scan, int index) {
    const decoder *decoder = scan->decoder;
    part *part = &scan->parts[index];
    const component *component = decoder->scan[index];
    int is_single = decoder->scan_components == 1;
    part->component = component;
    const int dc = decoder->dc_index[index], ac = decoder->ac_index[index];
    memory *memory = scan->memory;
    /* Components that use the same code use the same tables. */
    int has_dc = 0, has_ac = 0;
    for (int other = 0; other < index; other++) {
        has_dc |= decoder->dc_index[other] == dc;
        has_ac |= decoder->ac_index[other] == ac;
    }
    part->symbols = &memory->dc[dc];
    part->ac_symbols = &memory->ac[ac];
    part->values = memory->dc_values[dc];
    if (!has_dc) webimage_jt_make_values(part->symbols, 1, memory->dc_values[dc]);
    part->first = index == 0 ? 0 : part[-1].first + part[-1].count;
    part->count = is_single ? 1 : component->horizontal * component->vertical;
    part->across = (size_t)(is_single ? 1 : component->horizontal);
    const size_t block_bytes = (size_t)component->side * component->sample_bytes;
    part->step = part->across * block_bytes;
    for (int block = 0; block < part->count; block++) {
        const mcu_block *place = &decoder->mcu[part->first + block];
        part->offsets[block] =
            (size_t)place->y * (size_t)component->side * component->stride + (size_t)place->x * block_bytes;
    }
    if (decoder->strips) return;
    if (decoder->request->planes) {
        if (!has_ac) webimage_jt_make_plane_values(part->ac_symbols, memory->plane_values[ac]);
        webimage_jt_plane_init(
            &part->planes, component->side, component->quant, &memory->space, webimage_jt_has_avx2(decoder->request->planes));
        part->planes.symbols = part->ac_symbols;
        part->planes.values = memory->plane_values[ac];
    } else if (component->side == 2) {
        part->chroma = &memory->chroma[index];
        memset(part->chroma, 0, sizeof *part->chroma);
        webimage_jt_chroma_init(part->chroma, component->quant, part->ac_symbols);
    }
}

static webimage_jpeg_thumbnail_status prepare(decoder *decoder, scan *scan) {
    scan->decoder = decoder;
    int pairs = 0, pair_dc[MAX_COMPONENTS], pair_ac[MAX_COMPONENTS], pair_of[MAX_COMPONENTS];
    for (int index = 0; index < decoder->scan_components; index++) {
        int dc = decoder->dc_index[index], ac = decoder->ac_index[index];
        int pair = 0;
        while (pair < pairs && (pair_dc[pair] != dc || pair_ac[pair] != ac)) pair++;
        pair_of[index] = pair;
        if (pair == pairs) {
            pair_dc[pair] = dc;
            pair_ac[pair] = ac;
            pairs++;
            webimage_jt_make_symbols(&decoder->codes[0][dc], &scan->memory->dc[dc]);
            webimage_jt_make_symbols(&decoder->codes[1][ac], &scan->memory->ac[ac]);
            webimage_jt_make_groups(
                &decoder->codes[0][dc], &decoder->codes[1][ac], scan->memory->groups + pair * 2 * GROUP_SIZE);
            scan->code.dc[pair] = &scan->memory->dc[dc];
            scan->code.ac[pair] = &scan->memory->ac[ac];
        }
        prepare_part(scan, index);
    }
    uint32_t tables[MAX_BLOCKS_IN_MCU];
    for (int index = 0; index < decoder->blocks_in_mcu; index++)
        tables[index] = (uint32_t)pair_of[decoder->mcu[index].index] * 2 * GROUP_SIZE;
    /* If several places use the same tables, the order of the tables can repeat inside the MCU. Then streams can join
       at more places. */
    int period = 1, count = decoder->blocks_in_mcu;
    for (; period < count; period++) {
        int repeats = count % period == 0;
        for (int index = period; index < count && repeats; index++) repeats = tables[index] == tables[index - period];
        if (repeats) break;
    }
    scan->code.period = (uint32_t)period;
    for (size_t index = 0; index < BATCH_BLOCKS; index++) {
        scan->code.insides[index] = scan->memory->groups + tables[index % (size_t)period];
        scan->code.starts[index] = scan->code.insides[index] + GROUP_SIZE;
    }
    scan->code.groups = scan->memory->groups;
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

/* How blocks become samples. */
enum { FROM_DC, FROM_CHROMA, TO_PLANE, NOWHERE };

/* Writes the samples of `count` MCUs of one row, or lists their blocks if AC coefficients are needed. ends[-1] is the
   position of the first block. The samples depend on 16 bits of the DC coefficient; libjpeg-turbo fails at a sum that needs
   more than 32 bits. Returns whether a sum needs 29 bits, long before the addition could overflow. */
static inline __attribute__((always_inline)) uint32_t write_part(
    scan *scan, part *part, const uint32_t *ends, uint8_t *target, size_t count, int blocks, int method) {
    const uint8_t *const bytes = scan->decoder->window.bytes;
    const size_t blocks_in_mcu = (size_t)scan->decoder->blocks_in_mcu;
    const uint16_t quant = part->component->quant[0];
    int32_t dc = part->prediction;
    uint32_t extent = 0;
    int listed = method == FROM_CHROMA ? part->chroma->count : 0;
    size_t places[MAX_BLOCKS_IN_MCU], across = part->across;
    const mcu_block *mcu_blocks = scan->decoder->mcu + part->first;
    for (int block = 0; block < blocks && method == TO_PLANE; block++)
        places[block] =
            (size_t)mcu_blocks[block].y * plane_tiles(across * count) * PLANE_LANES + (size_t)mcu_blocks[block].x;
    ends += part->first;
    for (size_t mcu = 0; mcu < count; mcu++, ends += blocks_in_mcu, target += method == NOWHERE ? 0 : part->step) {
        for (int block = 0; block < blocks; block++) {
            uint32_t start = ends[block - 1] & POSITION_MASK;
            uint64_t bits = bits_at(bytes, start);
            int32_t entry = part->values[bits >> (64 - GROUP_BITS)];
            if (__builtin_expect(entry == 0, 0)) entry = webimage_jt_long_value(part->symbols, 1, bits);
            dc += entry >> 16;
            extent |= (uint32_t)(dc ^ dc >> 31);
            if (method == FROM_DC) {
                target[part->offsets[block]] = sample_of((int16_t)dc, quant);
            } else if (method == TO_PLANE) {
                size_t place = places[block] + mcu * across;
                scan->memory->space.starts[place] = start + ((uint32_t)entry & 63);
                scan->memory->space.dc[place] = (int16_t)dc;
            } else if (method == FROM_CHROMA) {
                part->chroma->starts[listed] = (start + ((uint32_t)entry & 63)) | (uint32_t)CHROMA_START << 24;
                part->chroma->targets[listed] = target + part->offsets[block];
                part->chroma->sums[listed] = (int16_t)dc;
                listed++;
            }
        }
    }
    part->prediction = dc;
    if (method == FROM_CHROMA) part->chroma->count = listed;
    return extent >> 29;
}

/* Gives the compiler the common numbers of blocks as constants. */
static uint32_t write_any_part(scan *scan, part *part, const uint32_t *ends, uint8_t *target, size_t count) {
    if (part->component->side == 2) return write_part(scan, part, ends, target, count, part->count, FROM_CHROMA);
    if (part->count == 1) return write_part(scan, part, ends, target, count, 1, FROM_DC);
    if (part->count == 4) return write_part(scan, part, ends, target, count, 4, FROM_DC);
    return write_part(scan, part, ends, target, count, part->count, FROM_DC);
}

static uint32_t write_plane(scan *scan, part *part, const uint32_t *ends, uint8_t *target, size_t count) {
    uint32_t is_large = part->count == 1   ? write_part(scan, part, ends, target, count, 1, TO_PLANE)
                        : part->count == 4 ? write_part(scan, part, ends, target, count, 4, TO_PLANE)
                                           : write_part(scan, part, ends, target, count, part->count, TO_PLANE);
    size_t across = part->across;
    webimage_jt_plane_write(
        &part->planes, scan->decoder->window.bytes, across * count, (size_t)part->count / across, target,
        part->component->stride);
    return is_large;
}

/* Sums the DC coefficients of `count` MCUs and hands out the strips that start among them. */
static webimage_jpeg_thumbnail_status sum_blocks(scan *scan, const uint32_t *ends, size_t count) {
    decoder *decoder = scan->decoder;
    size_t wide = (size_t)decoder->mcus_wide;
    while (count > 0) {
        size_t column = scan->mcu % wide, row = scan->mcu / wide, run = wide - column;
        if (column == 0 && row == (size_t)decoder->strips->request->rows[decoder->strips->found]) {
            int32_t sums[MAX_COMPONENTS];
            for (int index = 0; index < MAX_COMPONENTS; index++) sums[index] = scan->parts[index].prediction;
            webimage_jpeg_thumbnail_status status = webimage_jt_strips_add(decoder, ends[-1] & POSITION_MASK, sums);
            if (status) return status;
        }
        if (run > count) run = count;
        for (int index = 0; index < decoder->scan_components; index++) {
            part *part = &scan->parts[index];
            uint32_t is_large = part->count == 1   ? write_part(scan, part, ends, NULL, run, 1, NOWHERE)
                                : part->count == 4 ? write_part(scan, part, ends, NULL, run, 4, NOWHERE)
                                                   : write_part(scan, part, ends, NULL, run, part->count, NOWHERE);
            /* A difference has at most 15 bits. */
            int32_t dc = part->prediction;
            if (is_large || (dc ^ dc >> 31) >> 15) return WEBIMAGE_JPEG_THUMBNAIL_RANGE;
        }
        ends += run * (size_t)decoder->blocks_in_mcu;
        scan->mcu += run;
        count -= run;
    }
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

/* Writes the samples of all listed blocks. Call this function before the window changes. */
static void flush_blocks(scan *scan) {
    for (int index = 0; index < scan->decoder->scan_components; index++) {
        part *part = &scan->parts[index];
        if (!part->chroma) continue;
        webimage_jt_chroma_flush(part->chroma, scan->decoder->window.bytes, part->component->stride);
    }
}

/* The number of MCUs for which all lists of blocks have space. */
static size_t list_room(const scan *scan) {
    size_t room = SIZE_MAX;
    for (int index = 0; index < scan->decoder->scan_components; index++) {
        const part *part = &scan->parts[index];
        if (scan->decoder->request->planes) {
            int across = (int)part->across;
            size_t fitting = plane_room(across, part->count / across);
            if (fitting < room) room = fitting;
            continue;
        }
        if (!part->chroma) continue;
        size_t left = (size_t)(CHROMA_BATCH - part->chroma->count) / (size_t)part->count;
        if (left < room) room = left;
    }
    return room;
}

/* Where the samples of an MCU start. */
static inline uint8_t *target_of(const scan *scan, const part *part, size_t column, size_t row) {
    const component *component = part->component;
    size_t y = row * (size_t)rows_of_mcu(scan->decoder, component) % (size_t)component->rows;
    return part->component->samples + y * part->component->stride + column * part->step;
}

/* Writes `count` MCUs without damage, whose blocks end at `ends`. `start` is the position of the first block. */
static webimage_jpeg_thumbnail_status write_blocks(scan *scan, uint32_t start, uint32_t *ends, size_t count) {
    decoder *decoder = scan->decoder;
    size_t wide = (size_t)decoder->mcus_wide;
    ends[-1] = start;
    if (decoder->strips) return sum_blocks(scan, ends, count);
    while (count > 0) {
        size_t column = scan->mcu % wide, row = scan->mcu / wide, run = wide - column, room = list_room(scan);
        if (run > count) run = count;
        if (run > room) run = room;
        for (int index = 0; index < decoder->scan_components && run > 0; index++) {
            part *part = &scan->parts[index];
            if (part->component->is_unused) continue;
            uint8_t *target = target_of(scan, part, column, row);
            if (decoder->request->planes ? write_plane(scan, part, ends, target, run)
                                         : write_any_part(scan, part, ends, target, run))
                return WEBIMAGE_JPEG_THUMBNAIL_RANGE;
        }
        if (run == room) flush_blocks(scan);
        ends += run * (size_t)decoder->blocks_in_mcu;
        scan->mcu += run;
        count -= run;
        if (column + run == wide) {
            webimage_jpeg_thumbnail_status status = webimage_jt_resample_rows(decoder, row + 1);
            if (status) return status;
        }
    }
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

/* The work so far is compared with the bits so far. The limits are twice the values of ordinary photos in the highest
   quality. Beyond them libjpeg-turbo, whose branches are then often predictable, is about as fast. */
enum {
    ROUNDS_PER_SLOW_SYMBOL = 4,
    BITS_PER_CHROMA_STEP = 16,
    BITS_PER_ROUND = 20, /* fewer if the streams decode much twice, and in sparse blocks, whose symbols are short */
    DENSE_BLOCK_BITS = 400,
    BITS_PER_RARE_ROUND = 24,
    ROUNDS_PER_RARE_SYMBOL = 10,
    BLOCKS_PER_INTERVAL = 24,
    BITS_PER_BLOCK = 8,
    GIVES_UP_PART = 8, /* libjpeg-turbo decodes a costly file if less than 1/8 of it has been decoded */
    PLANES_GIVE_UP_PART = 3, /* the same for planes, where a strict decode takes up to 1.7 of libjpeg-turbo's time */
    WASTE_PART = 16,   /* no streams are used after they have used 1/16 of the data in vain */
};

static int is_costly(const scan *scan) {
    uint64_t chroma_rounds = 0;
    for (int index = 0; index < MAX_COMPONENTS; index++)
        if (scan->parts[index].chroma) chroma_rounds += scan->parts[index].chroma->rounds;
    uint64_t bits = scan->decoder->work.bits, blocks = (uint64_t)scan->mcu * (uint64_t)scan->decoder->blocks_in_mcu;
    uint64_t rounds = scan->code.rounds, slow_symbols = scan->code.slow_symbols;
    int synchronises_late = rounds * BITS_PER_ROUND > bits && bits > blocks * DENSE_BLOCK_BITS;
    int has_rare_symbols = rounds * BITS_PER_RARE_ROUND > bits && slow_symbols * ROUNDS_PER_RARE_SYMBOL > rounds;
    return synchronises_late || has_rare_symbols || slow_symbols * ROUNDS_PER_SLOW_SYMBOL > rounds
        || chroma_rounds * STREAMS * BITS_PER_CHROMA_STEP > bits;
}

static size_t done_bytes(const decoder *decoder) {
    return decoder->done_bytes + (size_t)(decoder->window.next - decoder->next);
}

/* Whether so little has been decoded that libjpeg-turbo can start anew. Later, more work would be lost than a strict decode
   of the rest takes. */
static int is_early(const decoder *decoder) {
    size_t part = decoder->request->planes ? PLANES_GIVE_UP_PART : GIVES_UP_PART;
    return !decoder->request->ignores_cost && done_bytes(decoder) <= decoder->data_bytes / part;
}

/* Call this function after each window. */
static webimage_jpeg_thumbnail_status check_cost(scan *scan, size_t bits) {
    decoder *decoder = scan->decoder;
    decoder->work.windows++;
    decoder->work.bits += bits;
    /* Damage makes the streams' work for the rest of a window useless. So no window is longer than half of the data before
       it. */
    size_t longest = done_bytes(decoder) / 2;
    if (longest < decoder->window.capacity) longest = decoder->window.capacity;
    decoder->window.capacity = longest < scan->capacity ? longest : scan->capacity;
    if (webimage_jt_is_late(decoder)) return WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_TIME;
    if (decoder->request->ignores_cost || scan->is_strict || !is_costly(scan)) return WEBIMAGE_JPEG_THUMBNAIL_OK;
    if (is_early(decoder)) return WEBIMAGE_JPEG_THUMBNAIL_COSTLY;
    scan->is_strict = 1;
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

/* Counts bits that the streams have used in vain. */
static void waste(scan *scan, size_t bits) {
    scan->wasted_bits += bits;
    size_t allowed = MIN_WINDOW_BYTES * 8 + scan->decoder->data_bytes * 8 / WASTE_PART;
    if (scan->wasted_bits > allowed && !scan->decoder->request->ignores_cost) scan->is_strict = 1;
}

/* The number of MCUs before the first invalid code. */
static size_t sound_mcus(const scan *scan, const uint32_t *ends, size_t mcus) {
    size_t blocks = (size_t)scan->decoder->blocks_in_mcu;
    for (size_t done = 0; done < mcus;) {
        size_t some = mcus - done < 64 ? mcus - done : 64;
        uint32_t flags = 0;
        for (size_t index = done * blocks; index < (done + some) * blocks; index++) flags |= ends[index];
        if (flags & SLOW_OR_INVALID) {
            size_t index = done * blocks;
            while (!(ends[index] & SLOW_OR_INVALID)) index++;
            return index / blocks;
        }
        done += some;
    }
    return mcus;
}

/* Decodes the next MCU strictly. Returns the position behind it. */
static uint32_t write_strict_mcu(scan *scan, const window *window, uint32_t position, size_t column, size_t row) {
    const uint32_t end = (uint32_t)window->filled * 8;
    for (int index = 0; index < scan->decoder->scan_components; index++) {
        part *part = &scan->parts[index];
        const component *component = part->component;
        uint8_t *target = component->is_unused ? NULL : target_of(scan, part, column, row);
        for (int block = 0; block < part->count; block++) {
            if (component->side == 1 || component->is_unused) {
                position = webimage_jt_strict_block(
                    window->bytes, position, part->symbols, part->ac_symbols, &part->prediction, NULL);
                if (!component->is_unused)
                    target[part->offsets[block]] = sample_of((int16_t)part->prediction, component->quant[0]);
            } else {
                int16_t coefficients[64] = {0};
                position = webimage_jt_strict_block(
                    window->bytes, position, part->symbols, part->ac_symbols, &part->prediction, coefficients);
                if (scan->decoder->request->planes)
                    webimage_jt_plane_add(
                        &part->planes, coefficients, target + part->offsets[block], component->stride);
                else
                    webimage_jt_strict_samples(
                        coefficients, component->quant, target + part->offsets[block], component->stride);
            }
            /* Behind the data, all bits are zeros. The padding is not long enough for all blocks of an MCU. */
            if (position > end + 8) position = end + 8;
        }
    }
    return position;
}

/* Writes the samples of an MCU for which there is no data. */
static void write_empty_mcu(scan *scan, size_t column, size_t row) {
    for (int index = 0; index < scan->decoder->scan_components; index++) {
        part *part = &scan->parts[index];
        if (part->component->is_unused) continue;
        uint8_t *target = target_of(scan, part, column, row);
        size_t side = (size_t)part->component->side;
        for (int block = 0; block < part->count; block++)
            for (size_t y = 0; y < side; y++) {
                uint8_t *row = target + part->offsets[block] + y * part->component->stride;
                if (scan->decoder->request->planes)
                    for (size_t x = 0; x < side; x++) ((int16_t *)(void *)row)[x] = 128 << PLANE_BITS;
                else
                    memset(row, 128, side);
            }
    }
}

static void flush_planes(scan *scan) {
    for (int index = 0; index < scan->decoder->scan_components && scan->decoder->request->planes; index++)
        webimage_jt_plane_flush(&scan->parts[index].planes, scan->parts[index].component->stride);
}

/* Decodes the rest of a scan or of a restart interval from its first damaged MCU, one symbol at a time. */
static webimage_jpeg_thumbnail_status write_strictly(scan *scan, window *window, uint32_t position, size_t mcus) {
    if (scan->decoder->strips || is_early(scan->decoder)) return WEBIMAGE_JPEG_THUMBNAIL_COSTLY;
    size_t wide = (size_t)scan->decoder->mcus_wide, column = scan->mcu % wide, row = scan->mcu / wide;
    scan->mcu += mcus;
    scan->decoder->work.strict_mcus += mcus;
    for (; mcus > 0; mcus--) {
        if (!window->is_at_marker && (size_t)(position >> 3) + MAX_MCU_BYTES > window->filled) {
            position = webimage_jt_window_advance(window, position);
            if (webimage_jt_is_late(scan->decoder)) return WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_TIME;
        }
        if (position <= window->filled * 8) position = write_strict_mcu(scan, window, position, column, row);
        else write_empty_mcu(scan, column, row);
        for (int index = 0; index < scan->decoder->scan_components; index++) {
            int32_t dc = scan->parts[index].prediction;
            if ((dc ^ dc >> 31) >> 29) return WEBIMAGE_JPEG_THUMBNAIL_RANGE;
        }
        if (++column < wide) continue;
        column = 0;
        row++;
        flush_planes(scan);
        webimage_jpeg_thumbnail_status status = webimage_jt_resample_rows(scan->decoder, row);
        if (status) return status;
    }
    flush_planes(scan);
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

static void reset_predictions(scan *scan) {
    for (int index = 0; index < MAX_COMPONENTS; index++) scan->parts[index].prediction = 0;
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
        if (scan->is_strict) return write_strictly(scan, window, position, mcus);
        uint32_t start = position;
        size_t found = webimage_jt_find_blocks(decoder, &scan->code, position, scan->ends, scan->guesses) / blocks;
        if (found > mcus) found = mcus;
        size_t count = sound_mcus(scan, scan->ends, found);
        webimage_jpeg_thumbnail_status status = write_blocks(scan, position, scan->ends, count);
        flush_blocks(scan);
        if (status) return status;
        if (count > 0) position = scan->ends[count * blocks - 1] & POSITION_MASK;
        mcus -= count;
        if (mcus == 0) return WEBIMAGE_JPEG_THUMBNAIL_OK;
        /* A full window always contains a whole MCU. */
        if (count < found || count == 0 || window->is_at_marker) {
            if (position < window->filled * 8) waste(scan, window->filled * 8 - position);
            return write_strictly(scan, window, position, mcus);
        }
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

/* Decodes an interval of the window strictly, from `position`. */
static webimage_jpeg_thumbnail_status write_damaged(scan *scan, const interval *interval, uint32_t position, size_t mcus) {
    /* Zeros must follow the interval, and not the next one. */
    size_t start = position >> 3, length = interval->stream.limit / 8 - start;
    if (!scan->damaged) scan->damaged = malloc(scan->capacity + WINDOW_PADDING);
    if (!scan->damaged) return WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_MEMORY;
    memcpy(scan->damaged, scan->decoder->window.bytes + start, length);
    memset(scan->damaged + length, 0, WINDOW_PADDING);
    window copy = {.bytes = scan->damaged, .filled = length, .is_at_marker = 1};
    return write_strictly(scan, &copy, position & 7, mcus);
}

static webimage_jpeg_thumbnail_status write_interval(scan *scan, interval *interval) {
    size_t blocks = (size_t)scan->decoder->blocks_in_mcu;
    size_t found = (size_t)(interval->stream.ends - interval->ends) / blocks;
    if (found > interval->mcus) found = interval->mcus;
    while (found > 0 && (interval->ends[found * blocks - 1] & POSITION_MASK) > interval->stream.limit) found--;
    size_t count = sound_mcus(scan, interval->ends, found);
    reset_predictions(scan);
    uint32_t position = count == 0 ? interval->start : interval->ends[count * blocks - 1] & POSITION_MASK;
    webimage_jpeg_thumbnail_status status = write_blocks(scan, interval->start, interval->ends, count);
    if (status || count == interval->mcus) return status;
    if (position < interval->stream.limit) waste(scan, interval->stream.limit - position);
    return write_damaged(scan, interval, position, interval->mcus - count);
}

static webimage_jpeg_thumbnail_status write_intervals(scan *scan, interval *intervals, size_t count) {
    run_intervals(scan, intervals, count);
    size_t bits = 0;
    for (size_t index = 0; index < count; index++) {
        webimage_jpeg_thumbnail_status status = write_interval(scan, &intervals[index]);
        if (status) return status;
        bits += intervals[index].stream.limit - intervals[index].start;
    }
    flush_blocks(scan);
    return check_cost(scan, bits);
}

/* Decodes a scan with restart markers. Each interval is independent of the others and its start is known. Intervals that
   fit into the window are decoded together; a longer one is decoded like a file without restart markers. */
static webimage_jpeg_thumbnail_status decode_intervals(scan *scan, size_t mcus) {
    decoder *decoder = scan->decoder;
    window *window = &decoder->window;
    interval intervals[MAX_INTERVALS];
    size_t count = 0, filled = 0;
    webimage_jpeg_thumbnail_status status = WEBIMAGE_JPEG_THUMBNAIL_OK;
    while (mcus > 0 || count > 0) {
        const uint8_t *start = window->next;
        size_t length = interval_length(decoder, mcus);
        int is_complete = 0;
        if (mcus > 0 && count < MAX_INTERVALS && filled + 2 * INTERVAL_GAP < window->capacity && !scan->is_strict) {
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
            if (mcus > 0) webimage_jt_window_restart(window);
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
            if (!status && mcus > 0) webimage_jt_window_restart(window);
        }
        if (status) return status;
    }
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

static int has_complete_blocks(const decoder *decoder) {
    for (int index = 0; index < decoder->scan_components; index++)
        if (decoder->scan[index]->side == MAX_PLANE_SIDE && !decoder->scan[index]->is_unused) return 1;
    return 0;
}

webimage_jpeg_thumbnail_status webimage_jt_sequential_survey(decoder *decoder) {
    for (int index = 0; index < decoder->scan_components; index++)
        if (webimage_jt_check_code(&decoder->codes[0][decoder->dc_index[index]], 1)
            || webimage_jt_check_code(&decoder->codes[1][decoder->ac_index[index]], 0))
            return WEBIMAGE_JPEG_THUMBNAIL_TABLE;
    size_t mcus = (size_t)decoder->mcus_wide * (size_t)decoder->mcus_high, blocks = (size_t)decoder->blocks_in_mcu;
    const uint8_t *start = decoder->next;
    webimage_jpeg_thumbnail_status status = webimage_jt_survey_scan(decoder);
    size_t bytes = (size_t)(decoder->next - start);
    if (status || decoder->request->ignores_cost) return status;
    size_t interval = interval_length(decoder, mcus);
    /* Complete blocks are dear. A short interval fills only some lanes of a tile. */
    int is_narrow = interval < PLANE_LANES && interval < (size_t)decoder->mcus_wide && has_complete_blocks(decoder);
    return interval * blocks < BLOCKS_PER_INTERVAL || bytes * 8 / BITS_PER_BLOCK < mcus * blocks || is_narrow
        ? WEBIMAGE_JPEG_THUMBNAIL_COSTLY : WEBIMAGE_JPEG_THUMBNAIL_OK;
}

/* The first window is small in relation to libjpeg-turbo's work for the whole file. */
static size_t first_window_bytes(const decoder *decoder) {
    size_t by_pixels = (size_t)decoder->width * (size_t)decoder->height / 64, by_data = decoder->data_bytes / 16;
    size_t first = by_pixels < by_data ? by_pixels : by_data;
    return first < MIN_WINDOW_BYTES ? MIN_WINDOW_BYTES : first > FIRST_WINDOW_BYTES ? FIRST_WINDOW_BYTES : first;
}

webimage_jpeg_thumbnail_status webimage_jt_sequential_scan(decoder *decoder) {
    size_t mcus = (size_t)decoder->mcus_wide * (size_t)decoder->mcus_high;
    webimage_jt_window_start(decoder);
    scan *scan = calloc(1, sizeof *scan);
    if (scan) scan->memory = malloc(sizeof *scan->memory);
    if (!scan || !scan->memory) {
        free(scan);
        return WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_MEMORY;
    }
    webimage_jpeg_thumbnail_status status = prepare(decoder, scan);
    if (!status) {
        window *window = &decoder->window;
        size_t first = first_window_bytes(decoder);
        if (window->capacity > first) window->capacity = first;
        status = decoder->restart_interval ? decode_intervals(scan, mcus) : decode_long(scan, mcus);
        window->capacity = scan->capacity;
        decoder->done_bytes += (size_t)(decoder->scan_ends[decoder->scan_count - 1] - decoder->next);
        decoder->work.rounds += scan->code.rounds;
        decoder->work.slow_symbols += scan->code.slow_symbols;
        for (int index = 0; index < MAX_COMPONENTS; index++) {
            if (scan->parts[index].chroma) decoder->work.chroma_rounds += scan->parts[index].chroma->rounds;
            decoder->work.plane_steps += scan->parts[index].planes.steps;
            decoder->work.slow_symbols += scan->parts[index].planes.slow_symbols;
        }
    }
    free(scan->list);
    free(scan->damaged);
    free(scan->memory);
    free(scan);
    return status;
}
