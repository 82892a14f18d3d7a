#include "markers.h"

/* Reads the header of the frame: the size of the picture, its components and their sampling. */

enum {
    MAX_SIDE = 65500, /* the limit of libjpeg-turbo */
    /* In a smaller picture, the tables and the first window could take half of libjpeg-turbo's time for the whole file. */
    MIN_PIXELS = 640 * 480,
};

/* How many samples a component's plane has for each sample of the output, in the direction with fewer. 1 for a plane that is not
   scaled, and for inks: colours are products of two planes, which need finer details than their result. */
static double samples_for_each(const decoder *decoder, const component *component) {
    const webimage_jpeg_thumbnail_request *request = decoder->request;
    const webimage_jpeg_thumbnail_planes *planes = request->planes;
    if (planes->component != 0 || decoder->component_count == 4) return 1;
    double across = planes->width * component->horizontal / (decoder->max_horizontal * 8.0) / request->width;
    double down = planes->height * component->vertical / (decoder->max_vertical * 8.0) / request->height;
    return (across < down ? across : down) * component->side;
}

/* libjpeg-turbo refuses sampling factors that do not divide the largest one. */
static webimage_jpeg_thumbnail_status set_planes(const decoder *decoder, component *component) {
    const webimage_jpeg_thumbnail_planes *planes = decoder->request->planes;
    int is_ink = decoder->component_count == 4 && planes->component == 0;
    if (decoder->max_horizontal % component->horizontal != 0 || decoder->max_vertical % component->vertical != 0)
        return WEBIMAGE_JPEG_THUMBNAIL_SAMPLING;
    int is_full = component->horizontal == decoder->max_horizontal && component->vertical == decoder->max_vertical;
    int number = (int)(component - decoder->components) + 1;
    component->side = is_full ? planes->side : planes->chroma_side;
    /* A colour is the product of its ink and of black, at the same place: all planes must have the same resolution. */
    if (is_ink) {
        int factor = decoder->max_horizontal / component->horizontal;
        component->side = planes->side * factor;
        if (factor != decoder->max_vertical / component->vertical || (component->side > 4 && component->side != 8))
            return WEBIMAGE_JPEG_THUMBNAIL_SAMPLING;
    }
    component->last = webimage_jt_plane_last(component->side, samples_for_each(decoder, component));
    component->is_unused = decoder->strips || planes->component != 0 ? planes->component != number
                           : decoder->request->format == WEBIMAGE_JPEG_THUMBNAIL_GRAY && number > 1;
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

/* Finds the number of samples per block as jpeg_calc_output_dimensions does, and the factors to the output's size. */
static webimage_jpeg_thumbnail_status set_eighth(const decoder *decoder, component *component) {
    int side = 1, most = decoder->request->has_coarse_chroma ? 1 : 8;
    while (side < most && decoder->max_horizontal % (component->horizontal * side * 2) == 0
           && decoder->max_vertical % (component->vertical * side * 2) == 0)
        side *= 2;
    if (side > 2) return WEBIMAGE_JPEG_THUMBNAIL_SAMPLING;
    int across = component->horizontal * side, down = component->vertical * side;
    if (decoder->max_horizontal % across != 0 || decoder->max_vertical % down != 0)
        return WEBIMAGE_JPEG_THUMBNAIL_SAMPLING;
    component->side = side;
    component->expand_x = decoder->max_horizontal / across;
    component->expand_y = decoder->max_vertical / down;
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

static webimage_jpeg_thumbnail_status set_sampling(decoder *decoder, component *component) {
    webimage_jpeg_thumbnail_status status =
        decoder->request->planes ? set_planes(decoder, component) : set_eighth(decoder, component);
    if (status) return status;
    int mcus_wide = ceiling(decoder->width, decoder->max_horizontal * 8);
    int mcus_high = ceiling(decoder->height, decoder->max_vertical * 8);
    component->padded_wide = mcus_wide * component->horizontal;
    component->padded_high = mcus_high * component->vertical;
    component->blocks_wide = ceiling(decoder->width * component->horizontal, decoder->max_horizontal * 8);
    component->blocks_high = ceiling(decoder->height * component->vertical, decoder->max_vertical * 8);
    component->sample_bytes = decoder->request->planes ? sizeof(int16_t) : 1;
    component->stride = (size_t)component->padded_wide * (size_t)component->side * component->sample_bytes;
    if (decoder->request->planes) component->stride = (component->stride + PLANE_ROW_STEP - 1) / PLANE_ROW_STEP * PLANE_ROW_STEP;
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

/* libjpeg-turbo converts inks to no other colours, and other colours to no inks. */
static int has_colors(const decoder *decoder) {
    const webimage_jpeg_thumbnail_request *request = decoder->request;
    int count = decoder->component_count, wants_inks = request->format == WEBIMAGE_JPEG_THUMBNAIL_CMYK;
    if (count != 4) return (count == 1 || count == 3) && !wants_inks;
    if (wants_inks) return 1;
    if (decoder->strips || !request->planes) return 0;
    return request->format != WEBIMAGE_JPEG_THUMBNAIL_GRAY || request->planes->component != 0;
}

webimage_jpeg_thumbnail_status webimage_jt_read_frame(decoder *decoder, const uint8_t *bytes, size_t size) {
    const webimage_jpeg_thumbnail_request *request = decoder->request;
    if (decoder->saw_frame || size < 6) return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
    decoder->saw_frame = 1;
    decoder->height = bytes[1] << 8 | bytes[2];
    decoder->width = bytes[3] << 8 | bytes[4];
    decoder->component_count = bytes[5];
    if (bytes[0] != 8) return WEBIMAGE_JPEG_THUMBNAIL_FRAME;
    if (!has_colors(decoder)) return WEBIMAGE_JPEG_THUMBNAIL_COLOR;
    if (size != 6 + 3 * (size_t)decoder->component_count) return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
    if (decoder->width == 0 || decoder->width > MAX_SIDE || decoder->height == 0 || decoder->height > MAX_SIDE)
        return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
    int is_expected = request->planes
        ? request->planes->file_width == decoder->width && request->planes->file_height == decoder->height
        : request->width == ceiling(decoder->width, 8) && request->height == ceiling(decoder->height, 8);
    if (!is_expected) return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
    if (!request->ignores_cost && (size_t)decoder->width * (size_t)decoder->height < MIN_PIXELS)
        return WEBIMAGE_JPEG_THUMBNAIL_COSTLY;
    for (int index = 0; index < decoder->component_count; index++) {
        const uint8_t *entry = bytes + 6 + 3 * index;
        component *component = &decoder->components[index];
        component->id = entry[0];
        component->horizontal = entry[1] >> 4;
        component->vertical = entry[1] & 15;
        component->quant_index = entry[2];
        memset(component->known_bits, -1, sizeof component->known_bits);
        if (component->horizontal < 1 || component->horizontal > 4 || component->vertical < 1 || component->vertical > 4)
            return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
        for (int other = 0; other < index; other++)
            if (decoder->components[other].id == component->id) return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
        if (component->horizontal > decoder->max_horizontal) decoder->max_horizontal = component->horizontal;
        if (component->vertical > decoder->max_vertical) decoder->max_vertical = component->vertical;
    }
    for (int index = 0; index < decoder->component_count; index++) {
        webimage_jpeg_thumbnail_status status = set_sampling(decoder, &decoder->components[index]);
        if (status) return status;
    }
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}
