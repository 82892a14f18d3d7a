#include "scan.h"

/* Runs the two passes over windows: over a part without restart markers, or over several restart intervals at once. */

static void reset_predictions(scan *scan) {
    for (int index = 0; index < MAX_COMPONENTS; index++) scan->parts[index].prediction = 0;
}

webimage_jpeg_thumbnail_status webimage_jt_decode_long(scan *scan, size_t mcus) {
    decoder *decoder = scan->decoder;
    window *window = &decoder->window;
    size_t blocks = (size_t)decoder->blocks_in_mcu;
    uint32_t position = 0;
    window->filled = 0;
    for (;;) {
        position = webimage_jt_window_advance(window, position);
        if (scan->is_strict) return webimage_jt_write_strictly(scan, window, position, mcus);
        uint32_t start = position;
        size_t found = webimage_jt_find_blocks(decoder, &scan->code, position, scan->ends, scan->guesses) / blocks;
        if (found > mcus) found = mcus;
        size_t count = webimage_jt_sound_mcus(scan, scan->ends, found);
        webimage_jpeg_thumbnail_status status = webimage_jt_write_blocks(scan, position, scan->ends, count);
        webimage_jt_flush_blocks(scan);
        if (status) return status;
        if (count > 0) position = scan->ends[count * blocks - 1] & POSITION_MASK;
        mcus -= count;
        if (mcus == 0) return WEBIMAGE_JPEG_THUMBNAIL_OK;
        /* A full window always contains a whole MCU. */
        if (count < found || count == 0 || window->is_at_marker) {
            if (position < window->filled * 8) webimage_jt_waste(scan, window->filled * 8 - position);
            return webimage_jt_write_strictly(scan, window, position, mcus);
        }
        status = webimage_jt_check_cost(scan, position - start);
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
    return webimage_jt_write_strictly(scan, &copy, position & 7, mcus);
}

static webimage_jpeg_thumbnail_status write_interval(scan *scan, interval *interval) {
    size_t blocks = (size_t)scan->decoder->blocks_in_mcu;
    size_t found = (size_t)(interval->stream.ends - interval->ends) / blocks;
    if (found > interval->mcus) found = interval->mcus;
    while (found > 0 && (interval->ends[found * blocks - 1] & POSITION_MASK) > interval->stream.limit) found--;
    size_t count = webimage_jt_sound_mcus(scan, interval->ends, found);
    reset_predictions(scan);
    uint32_t position = count == 0 ? interval->start : interval->ends[count * blocks - 1] & POSITION_MASK;
    webimage_jpeg_thumbnail_status status = webimage_jt_write_blocks(scan, interval->start, interval->ends, count);
    if (status || count == interval->mcus) return status;
    if (position < interval->stream.limit) webimage_jt_waste(scan, interval->stream.limit - position);
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
    webimage_jt_flush_blocks(scan);
    return webimage_jt_check_cost(scan, bits);
}

webimage_jpeg_thumbnail_status webimage_jt_decode_intervals(scan *scan, size_t mcus) {
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
            status = webimage_jt_decode_long(scan, length);
            mcus -= length;
            if (!status && mcus > 0) webimage_jt_window_restart(window);
        }
        if (status) return status;
    }
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}
