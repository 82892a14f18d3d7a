#include "resample.h"

#include "colors.h"

#include <stdlib.h>

/* Scales each plane on its own from its exact part of the picture to the output's size, by a Lanczos filter with three
   lobes, and converts the colours there. Each row of the output first sums rows of the plane, then columns; the numbers
   between have 16 bits, 6 of them behind the point. */

/* A plane and its way to the output. */
typedef struct {
    const component *component;
    int horizontal, vertical, side; /* of the component; those of the largest one if all planes have the same resolution */
    int width, height; /* the samples that belong to the picture */
    const axis *across, *down;
    axis own_across, own_down;
    const int16_t **rows;
    int16_t *summed, *scaled;
} scaling;

/* Makes the weights of a plane, or takes those of the plane before it if both are alike, as Cb and Cr are. */
static webimage_jpeg_thumbnail_status make_axes(
    scaling *scaling, const decoder *decoder, const kernel *kernel, int is_first) {
    const webimage_jpeg_thumbnail_request *request = decoder->request;
    const webimage_jpeg_thumbnail_planes *planes = request->planes;
    if (!is_first && scaling[-1].horizontal == scaling->horizontal && scaling[-1].vertical == scaling->vertical
        && scaling[-1].side == scaling->side) {
        scaling->across = scaling[-1].across;
        scaling->down = scaling[-1].down;
        return WEBIMAGE_JPEG_THUMBNAIL_OK;
    }
    double across = (double)scaling->horizontal * scaling->side / (decoder->max_horizontal * 8.0);
    double down = (double)scaling->vertical * scaling->side / (decoder->max_vertical * 8.0);
    scaling->across = &scaling->own_across;
    scaling->down = &scaling->own_down;
    webimage_jpeg_thumbnail_status status = webimage_jt_axis_init(
        &scaling->own_across, kernel, planes->x * across, planes->width * across, scaling->width, request->width, TAPS_STEP, across,
        decoder->max_horizontal / scaling->horizontal);
    if (status) return status;
    return webimage_jt_axis_init(
        &scaling->own_down, kernel, planes->y * down, planes->height * down, scaling->height, request->height, 2, down,
        decoder->max_vertical / scaling->vertical);
}

struct resampling {
    scaling scalings[MAX_COMPONENTS];
    int count;
    int next;       /* the first row of the output that is still missing */
    int multiplied; /* the rows of the planes that are colours; before, they are inks */
};

static webimage_jpeg_thumbnail_status scaling_init(
    scaling *scaling, const decoder *decoder, const kernel *kernel, int index) {
    const component *component = &decoder->components[index];
    const int is_ink = decoder->component_count == 4;
    scaling->component = component;
    scaling->horizontal = is_ink ? decoder->max_horizontal : component->horizontal;
    scaling->vertical = is_ink ? decoder->max_vertical : component->vertical;
    scaling->side = is_ink ? decoder->request->planes->side : component->side;
    scaling->width = plane_length(decoder->width, scaling->horizontal, decoder->max_horizontal, scaling->side);
    scaling->height = plane_length(decoder->height, scaling->vertical, decoder->max_vertical, scaling->side);
    webimage_jpeg_thumbnail_status status = make_axes(scaling, decoder, kernel, index == 0);
    if (status) return status;
    scaling->rows = malloc((size_t)scaling->down->taps * sizeof *scaling->rows);
    /* Whole rows are summed, also what is behind the picture: a row is whole vectors. */
    scaling->summed = calloc(component->stride / sizeof(int16_t) + (size_t)scaling->across->taps, sizeof *scaling->summed);
    scaling->scaled = malloc((size_t)decoder->request->width * sizeof *scaling->scaled);
    return scaling->rows && scaling->summed && scaling->scaled ? WEBIMAGE_JPEG_THUMBNAIL_OK
                                                               : WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_MEMORY;
}

static void scaling_free(scaling *scaling) {
    webimage_jt_axis_free(&scaling->own_across);
    webimage_jt_axis_free(&scaling->own_down);
    free(scaling->rows);
    free(scaling->summed);
    free(scaling->scaled);
}

static void scale_row(scaling *scaling, int y, int is_vectorized) {
    const axis *down = scaling->down;
    const component *component = scaling->component;
    const int16_t *weights = down->weights + (size_t)y * (size_t)down->taps;
    for (int tap = 0; tap < down->taps; tap++) {
        int row = (down->first[y] + (weights[tap] == 0 ? 0 : tap)) % component->rows;
        scaling->rows[tap] = (const int16_t *)(const void *)(component->samples + (size_t)row * component->stride);
    }
    webimage_jt_sum_rows(scaling->rows, weights, down->taps, component->stride / sizeof(int16_t), is_vectorized, scaling->summed);
    webimage_jt_sum_columns(scaling->summed, scaling->across, is_vectorized, scaling->scaled);
}

/* Writes the samples of one component, rounded. */
static webimage_jpeg_thumbnail_status copy_plane(const decoder *decoder, const component *component) {
    const webimage_jpeg_thumbnail_request *request = decoder->request;
    if (request->width > component->padded_wide * component->side
        || request->height > component->padded_high * component->side)
        return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
    for (int y = 0; y < request->height; y++) {
        const int16_t *samples = (const int16_t *)(const void *)(component->samples + (size_t)y * component->stride);
        for (int x = 0; x < request->width; x++)
            request->pixels[(size_t)y * request->stride + (size_t)x] =
                clamped((samples[x] + (1 << (PLANE_BITS - 1))) >> PLANE_BITS);
    }
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

static webimage_jpeg_thumbnail_status start(decoder *decoder) {
    resampling *resampling = decoder->resampling = calloc(1, sizeof *resampling);
    if (!resampling) return WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_MEMORY;
    kernel kernel;
    webimage_jt_kernel_init(&kernel);
    int count = decoder->component_count;
    resampling->count = decoder->request->format == WEBIMAGE_JPEG_THUMBNAIL_GRAY ? 1 : count < 3 ? count : 3;
    for (int index = 0; index < resampling->count; index++) {
        webimage_jpeg_thumbnail_status status = scaling_init(&resampling->scalings[index], decoder, &kernel, index);
        if (status) return status;
    }
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

/* The first row of MCUs that a row of the output needs, and the first one that it does not need. */
static void find_mcus(const decoder *decoder, int y, int *first, int *end) {
    const resampling *resampling = decoder->resampling;
    *first = decoder->mcus_high;
    *end = 0;
    for (int index = 0; index < resampling->count; index++) {
        const scaling *scaling = &resampling->scalings[index];
        int rows = rows_of_mcu(decoder, scaling->component), from = scaling->down->first[y], to = from + scaling->down->taps;
        if (to > scaling->height) to = scaling->height;
        if (from / rows < *first) *first = from / rows;
        if ((to + rows - 1) / rows > *end) *end = (to + rows - 1) / rows;
    }
}

webimage_jpeg_thumbnail_status webimage_jt_resample_early(decoder *decoder) {
    if (decoder->is_progressive || decoder->scan_components < decoder->component_count || decoder->strips
        || decoder->request->planes->component != 0 || decoder->request->format == WEBIMAGE_JPEG_THUMBNAIL_CMYK)
        return WEBIMAGE_JPEG_THUMBNAIL_OK;
    webimage_jpeg_thumbnail_status status = start(decoder);
    if (status) return status;
    /* While a row of MCUs is decoded, the rows of the output that need it have not been written. */
    int kept = 1;
    for (int y = 0; y < decoder->request->height; y++) {
        int first, end;
        find_mcus(decoder, y, &first, &end);
        if (end - first > kept) kept = end - first;
    }
    for (int index = 0; index < decoder->component_count; index++) {
        component *component = &decoder->components[index];
        component->rows = kept * rows_of_mcu(decoder, component);
    }
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

/* All planes of inks have the same rows. */
static void multiply_rows(const decoder *decoder, size_t mcu_rows) {
    resampling *resampling = decoder->resampling;
    const scaling *scaling = resampling->scalings;
    size_t height = (size_t)scaling->height, in_mcu = (size_t)rows_of_mcu(decoder, scaling->component);
    int end = (int)(mcu_rows <= height / in_mcu ? mcu_rows * in_mcu : height);
    webimage_jt_multiply_inks(decoder, resampling->multiplied, end);
    resampling->multiplied = end;
}

webimage_jpeg_thumbnail_status webimage_jt_resample_rows(decoder *decoder, size_t mcu_rows) {
    resampling *resampling = decoder->resampling;
    if (!resampling) return WEBIMAGE_JPEG_THUMBNAIL_OK;
    if (decoder->component_count == 4) multiply_rows(decoder, mcu_rows);
    const webimage_jpeg_thumbnail_request *request = decoder->request;
    const int16_t *rows[3];
    for (int index = 0; index < 3; index++)
        rows[index] = resampling->scalings[index < resampling->count ? index : 0].scaled;
    for (; resampling->next < request->height; resampling->next++) {
        int y = resampling->next, first, end;
        find_mcus(decoder, y, &first, &end);
        if ((size_t)end > mcu_rows) return WEBIMAGE_JPEG_THUMBNAIL_OK;
        for (int index = 0; index < resampling->count; index++)
            scale_row(&resampling->scalings[index], y, webimage_jt_has_avx2(request->planes));
        webimage_jt_write_colors(decoder, rows, request->pixels + (size_t)y * request->stride);
        if (y % 16 == 0 && webimage_jt_is_late(decoder)) return WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_TIME;
    }
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

webimage_jpeg_thumbnail_status webimage_jt_resample(decoder *decoder) {
    int wanted = decoder->request->planes->component;
    if (wanted > decoder->component_count) return WEBIMAGE_JPEG_THUMBNAIL_COLOR;
    if (wanted > 0) return copy_plane(decoder, &decoder->components[wanted - 1]);
    webimage_jpeg_thumbnail_status status = decoder->resampling ? WEBIMAGE_JPEG_THUMBNAIL_OK : start(decoder);
    return status ? status : webimage_jt_resample_rows(decoder, SIZE_MAX);
}

void webimage_jt_resample_free(decoder *decoder) {
    if (!decoder->resampling) return;
    for (int index = 0; index < MAX_COMPONENTS; index++) scaling_free(&decoder->resampling->scalings[index]);
    free(decoder->resampling);
}
