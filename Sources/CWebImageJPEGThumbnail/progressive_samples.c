#include "thumbnail.h"

#include <stdlib.h>

/* Writes the samples of progressive files from the coefficients that the scans have left. */

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
    for (int index = 0; index <= blocks->last; index++)
        if (webimage_jt_plane_needs(component, index)) slots[count++] = (uint8_t)index;
    /* The component before this one can have had more coefficients. */
    memset(blocks->space->tiles, 0, sizeof blocks->space->tiles);
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
            webimage_jt_plane_init(&memory->blocks, component, &memory->space, webimage_jt_has_avx2(planes));
            finish_plane(component, &memory->blocks);
        } else {
            for (int row = 0; row < component->blocks_high; row++) finish_row(component, row);
        }
    }
    free(memory);
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}
