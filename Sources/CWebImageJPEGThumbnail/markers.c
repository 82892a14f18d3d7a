#include "markers.h"

#include <stdlib.h>
#include <time.h>

/* Reads the file from marker to marker (ITU-T T.81, annex B). What libjpeg-turbo repairs with a warning is left to it. */

enum {
    SOF0 = 0xc0, SOF1 = 0xc1, SOF2 = 0xc2, DHT = 0xc4, SOI = 0xd8, EOI = 0xd9, SOS = 0xda, DQT = 0xdb, DRI = 0xdd,
    APP0 = 0xe0, APP1 = 0xe1, APP2 = 0xe2, APP14 = 0xee, APP15 = 0xef, COM = 0xfe,
    /* An estimate of libjpeg-turbo's time that is rather too low. Building the tables takes up to 30,000 ns. */
    PIXELS_PER_NANOSECOND = 3,
    NANOSECONDS_PER_BYTE = 3,
    MIN_NANOSECONDS = 200000,
};

int webimage_jt_is_late(const decoder *decoder) {
    if (decoder->request->should_stop && decoder->request->should_stop()) return 1;
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec > decoder->request->deadline;
}

static webimage_jpeg_thumbnail_status read_quants(decoder *decoder, const uint8_t *bytes, size_t size) {
    while (size > 0) {
        int index = bytes[0] & 15, is_wide = bytes[0] >> 4;
        size_t length = 1 + (size_t)(is_wide ? 128 : 64);
        if (index > 3 || is_wide > 1 || size < length) return WEBIMAGE_JPEG_THUMBNAIL_TABLE;
        for (int number = 0; number < 64; number++) {
            const uint8_t *value = bytes + 1 + (is_wide ? number * 2 : number);
            decoder->quants[index][webimage_jt_natural_order[number]] =
                (uint16_t)(is_wide ? value[0] << 8 | value[1] : value[0]);
        }
        decoder->has_quants[index] = 1;
        bytes += length;
        size -= length;
    }
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

static webimage_jpeg_thumbnail_status read_codes(decoder *decoder, const uint8_t *bytes, size_t size) {
    while (size > 0) {
        int index = bytes[0] & 15, class = bytes[0] >> 4;
        if (size < 17 || index > 3 || class > 1) return WEBIMAGE_JPEG_THUMBNAIL_TABLE;
        size_t count = 0;
        for (int length = 1; length <= 16; length++) count += bytes[length];
        if (count > 256 || size < 17 + count) return WEBIMAGE_JPEG_THUMBNAIL_TABLE;
        huffman_code *code = &decoder->codes[class][index];
        memset(code, 0, sizeof *code);
        memcpy(code->counts + 1, bytes + 1, 16);
        memcpy(code->symbols, bytes + 17, count);
        code->is_defined = 1;
        bytes += 17 + count;
        size -= 17 + count;
    }
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

/* Reads a marker segment. `bytes` are behind its length. */
static webimage_jpeg_thumbnail_status read_segment(decoder *decoder, int marker, const uint8_t *bytes, size_t size) {
    /* The caller's limit for ancillary data counts APP1 and APP2 in the whole file. It has checked only those before the
       first scan. */
    if (decoder->scan_count > 0 && (marker == APP1 || marker == APP2)) return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
    switch (marker) {
        case DQT: return read_quants(decoder, bytes, size);
        case DHT: return read_codes(decoder, bytes, size);
        case SOF0: case SOF1: case SOF2:
            decoder->is_progressive = marker == SOF2;
            return webimage_jt_read_frame(decoder, bytes, size);
        case SOS: return webimage_jt_read_scan(decoder, bytes, size);
        case DRI:
            if (size != 2) return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
            decoder->restart_interval = bytes[0] << 8 | bytes[1];
            return WEBIMAGE_JPEG_THUMBNAIL_OK;
        case APP0:
            if (size >= 14 && memcmp(bytes, "JFIF", 5) == 0) decoder->saw_jfif = 1;
            return WEBIMAGE_JPEG_THUMBNAIL_OK;
        case APP14:
            if (size >= 12 && memcmp(bytes, "Adobe", 5) == 0) {
                decoder->saw_adobe = 1;
                decoder->adobe_transform = bytes[11];
            }
            return WEBIMAGE_JPEG_THUMBNAIL_OK;
        default:
            if ((marker >= APP0 && marker <= APP15) || marker == COM) return WEBIMAGE_JPEG_THUMBNAIL_OK;
            return marker > SOF2 && marker < SOI ? WEBIMAGE_JPEG_THUMBNAIL_FRAME : WEBIMAGE_JPEG_THUMBNAIL_MARKER;
    }
}

/* Returns the code of the next marker, or -1 if there is none. */
static int next_marker(decoder *decoder) {
    if (decoder->next == decoder->end || *decoder->next != 0xff) return -1;
    while (decoder->next < decoder->end && *decoder->next == 0xff) decoder->next++;
    return decoder->next == decoder->end ? -1 : *decoder->next++;
}

/* Whether the scans contain the whole picture. libjpeg-turbo smooths the blocks of a file whose coefficients are not
   complete. */
static webimage_jpeg_thumbnail_status finish_survey(const decoder *decoder) {
    if (decoder->scan_count == 0) return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
    size_t pixels = (size_t)decoder->width * (size_t)decoder->height;
    if (!decoder->request->ignores_cost
        && pixels / PIXELS_PER_NANOSECOND + decoder->data_bytes * NANOSECONDS_PER_BYTE < MIN_NANOSECONDS)
        return WEBIMAGE_JPEG_THUMBNAIL_COSTLY;
    for (int index = 0; index < decoder->component_count; index++) {
        const component *component = &decoder->components[index];
        if (!decoder->is_progressive && !component->was_scanned) return WEBIMAGE_JPEG_THUMBNAIL_UNFINISHED;
        for (int coefficient = 0; coefficient < 64 && decoder->is_progressive; coefficient++)
            if (component->known_bits[coefficient] != 0) return WEBIMAGE_JPEG_THUMBNAIL_UNFINISHED;
    }
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

static webimage_jpeg_thumbnail_status finish(decoder *decoder) {
    if (decoder->is_survey) {
        webimage_jpeg_thumbnail_status status = finish_survey(decoder);
        if (!status && decoder->is_progressive) webimage_jt_progressive_plan(decoder);
        return status;
    }
    if (decoder->is_progressive) {
        webimage_jpeg_thumbnail_status status = webimage_jt_progressive_finish(decoder);
        if (status) return status;
    }
    if (decoder->request->planes) {
        int wants_inks = decoder->request->format == WEBIMAGE_JPEG_THUMBNAIL_CMYK;
        return wants_inks && decoder->request->planes->component == 0 ? webimage_jt_write_inks(decoder) : webimage_jt_resample(decoder);
    }
    uint8_t *space = malloc((size_t)decoder->request->width * 4);
    if (!space) return WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_MEMORY;
    webimage_jt_write_rows(decoder, space);
    free(space);
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

static int has_plane(int side) { return (side >= 2 && side <= 4) || side == 8; }

/* Whether the caller's numbers for planes are in their ranges. */
static int is_possible(const webimage_jpeg_thumbnail_request *request) {
    const webimage_jpeg_thumbnail_planes *planes = request->planes;
    if (!planes) return 1;
    return has_plane(planes->side) && has_plane(planes->chroma_side)
        && request->width > 0 && request->height > 0 && planes->x >= 0 && planes->y >= 0 && planes->width > 0
        && planes->height > 0 && planes->x + planes->width <= planes->file_width
        && planes->y + planes->height <= planes->file_height;
}

static webimage_jpeg_thumbnail_status read_file(decoder *decoder) {
    if (next_marker(decoder) != SOI) return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
    for (;;) {
        int marker = next_marker(decoder);
        if (marker == EOI) return finish(decoder);
        size_t left = (size_t)(decoder->end - decoder->next);
        if (marker <= 0 || left < 2) return WEBIMAGE_JPEG_THUMBNAIL_SHORT;
        size_t size = (size_t)decoder->next[0] << 8 | decoder->next[1];
        if (size < 2 || size > left) return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
        const uint8_t *bytes = decoder->next + 2;
        decoder->next += size;
        webimage_jpeg_thumbnail_status status = read_segment(decoder, marker, bytes, size - 2);
        if (status) return status;
    }
}

static void start(
    decoder *decoder, const uint8_t *data, size_t size, const webimage_jpeg_thumbnail_request *request, strips *strips) {
    memset(decoder, 0, offsetof(struct decoder, scan_ends));
    decoder->request = request;
    decoder->strips = strips;
    decoder->next = data;
    decoder->end = data + size;
}

/* Reads the file's markers, and prepares the decoder for reading it again. */
static webimage_jpeg_thumbnail_status survey(
    decoder *decoder, const uint8_t *data, size_t size, const webimage_jpeg_thumbnail_request *request, strips *strips) {
    start(decoder, data, size, request, strips);
    decoder->is_survey = 1;
    webimage_jpeg_thumbnail_status status = read_file(decoder);
    start(decoder, data, size, request, strips);
    return status;
}

webimage_jpeg_thumbnail_status webimage_jpeg_thumbnail_decode(
    const uint8_t *data, size_t size, const webimage_jpeg_thumbnail_request *request) {
    return webimage_jt_decode(data, size, request, NULL);
}

webimage_jpeg_thumbnail_status webimage_jt_decode(
    const uint8_t *data, size_t size, const webimage_jpeg_thumbnail_request *request, strips *strips) {
    if (!is_possible(request)) return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
    decoder *decoder = calloc(1, sizeof *decoder);
    if (!decoder) return WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_MEMORY;
    webimage_jpeg_thumbnail_status status = survey(decoder, data, size, request, strips);
    if (!status) status = read_file(decoder);
    if (request->work) *request->work = decoder->work;
    for (int index = 0; index < MAX_COMPONENTS; index++) {
        free(decoder->components[index].samples);
        free(decoder->components[index].coefficients);
        free(decoder->components[index].nonzero);
    }
    webimage_jt_resample_free(decoder);
    free(decoder->window.bytes);
    free(decoder);
    return status;
}

int webimage_jpeg_thumbnail_is_optimized(void) {
#if defined(__OPTIMIZE__)
    return 1;
#else
    return 0;
#endif
}
