#include "scan.h"

/* The second pass over the data of a sequential file. The first pass (streams.c) has found where each block starts. This
   pass decodes the DC coefficients, sums them and writes the samples. This file checks and prepares a scan. */

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
        webimage_jt_plane_init(&part->planes, component, &memory->space, webimage_jt_has_avx2(decoder->request->planes));
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
        scan->code.next[2 * index] = scan->memory->groups + tables[index % (size_t)period];
        scan->code.next[2 * index + 1] = scan->memory->groups + tables[(index + 1) % (size_t)period] + GROUP_SIZE;
    }
    scan->code.first = scan->memory->groups + tables[0] + GROUP_SIZE;
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

enum {
    BLOCKS_PER_INTERVAL = 24, /* with fewer, libjpeg-turbo is about as fast; also with fewer bits in a block */
    BITS_PER_BLOCK = 8,
};

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
        status = decoder->restart_interval ? webimage_jt_decode_intervals(scan, mcus) : webimage_jt_decode_long(scan, mcus);
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
