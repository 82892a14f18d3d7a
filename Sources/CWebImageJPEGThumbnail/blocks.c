#include "scan.h"

/* Decodes the DC coefficients of blocks whose starts are known, and writes their samples, or lists blocks for chroma.c and
   planes.c. */

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

void webimage_jt_flush_blocks(scan *scan) {
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

webimage_jpeg_thumbnail_status webimage_jt_write_blocks(scan *scan, uint32_t start, uint32_t *ends, size_t count) {
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
        if (run == room) webimage_jt_flush_blocks(scan);
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
