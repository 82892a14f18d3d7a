#include "scan.h"

/* Decodes what follows the first damaged MCU, one symbol at a time, with the results of libjpeg-turbo (strict.c). */

/* More than the longest MCU: 10 blocks of 64 codes with their extra bits. */
enum { MAX_MCU_BYTES = MAX_BLOCKS_IN_MCU * 64 * (17 + 15) / 8 };

size_t webimage_jt_sound_mcus(const scan *scan, const uint32_t *ends, size_t mcus) {
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

webimage_jpeg_thumbnail_status webimage_jt_write_strictly(scan *scan, window *window, uint32_t position, size_t mcus) {
    if (scan->decoder->strips || webimage_jt_is_early(scan->decoder)) return WEBIMAGE_JPEG_THUMBNAIL_COSTLY;
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
