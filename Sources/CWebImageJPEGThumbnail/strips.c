#include "thumbnail.h"

#include <stdlib.h>

/* Where the data of a file with one scan can be decoded from its middle, by an unchanged libjpeg-turbo. A decoder that
   starts there needs a header, the sums of the DC coefficients so far, and data that starts at a whole byte. A made-up row
   of MCUs, written with the file's own code, gives it all three: its differences lead to the sums, and its length in bits
   is that of the last byte's part that belongs to the row before. So the file's bytes follow unchanged, but for that one
   byte, which both share. */

/* A symbol's code: its bits and their number, 0 if the file's code does not have the symbol. */
typedef struct {
    uint16_t bits[256];
    uint8_t length[256];
} symbol_codes;

static void list_codes(const huffman_code *code, symbol_codes *codes) {
    memset(codes, 0, sizeof *codes);
    uint32_t bits = 0;
    int index = 0;
    for (int length = 1; length <= 16; length++) {
        bits <<= 1;
        for (int number = 0; number < code->counts[length]; number++, bits++, index++) {
            codes->bits[code->symbols[index]] = (uint16_t)bits;
            codes->length[code->symbols[index]] = (uint8_t)length;
        }
    }
}

/* Bytes that grow. After a failed allocation nothing more is written. */
typedef struct {
    uint8_t *bytes;
    size_t size, capacity;
    uint32_t pending; /* bits that do not fill a byte yet */
    int pending_count;
    int has_failed;
} writer;

static void put_byte(writer *writer, unsigned byte) {
    if (writer->size == writer->capacity && !writer->has_failed) {
        size_t capacity = writer->capacity ? writer->capacity * 2 : 8192;
        uint8_t *bytes = realloc(writer->bytes, capacity);
        if (!bytes) writer->has_failed = 1;
        else writer->bytes = bytes, writer->capacity = capacity;
    }
    if (!writer->has_failed) writer->bytes[writer->size++] = (uint8_t)byte;
}

static void put_data_byte(writer *writer, unsigned byte) {
    put_byte(writer, byte);
    if (byte == 0xff) put_byte(writer, 0);
}

/* At most 16 bits. */
static void put_bits(writer *writer, unsigned bits, int count) {
    writer->pending = writer->pending << count | bits;
    writer->pending_count += count;
    while (writer->pending_count >= 8) {
        writer->pending_count -= 8;
        put_data_byte(writer, writer->pending >> writer->pending_count & 255);
    }
    writer->pending &= 255;
}

enum { HEIGHT_OFFSET = 1, DC_SIZES = 16 };

/* Copies the segments that decide how the data is read. The others (metadata, profiles) can have megabytes. */
static void put_header(writer *writer, const uint8_t *data, const uint8_t *data_start, int height) {
    put_byte(writer, 0xff);
    put_byte(writer, 0xd8);
    const uint8_t *next = data + 2;
    while (next < data_start) {
        while (*next == 0xff) next++;
        unsigned marker = *next++;
        size_t size = (size_t)next[0] << 8 | next[1];
        int is_needed = marker < 0xe0 || marker == 0xe0 || marker == 0xee;
        if (is_needed) {
            put_byte(writer, 0xff);
            put_byte(writer, marker);
            size_t start = writer->size;
            for (size_t index = 0; index < size; index++) put_byte(writer, next[index]);
            int is_frame = marker == 0xc0 || marker == 0xc1;
            if (is_frame && !writer->has_failed) {
                writer->bytes[start + 2 + HEIGHT_OFFSET] = (uint8_t)(height >> 8);
                writer->bytes[start + 2 + HEIGHT_OFFSET + 1] = (uint8_t)height;
            }
        }
        next += size;
    }
}

/* Returns the next difference on the way to a sum that is `left` away: as large as the code allows. 0 if there is none. */
static int next_difference(const symbol_codes *dc, int left) {
    int magnitude = left < 0 ? -left : left;
    for (int size = DC_SIZES - 1; size > 0; size--) {
        int least = 1 << (size - 1), most = (1 << size) - 1;
        if (dc->length[size] == 0 || least > magnitude) continue;
        int step = magnitude < most ? magnitude : most;
        return left < 0 ? -step : step;
    }
    return 0;
}

static int size_of(int value) {
    int magnitude = value < 0 ? -value : value, size = 0;
    for (; magnitude > 0; magnitude >>= 1) size++;
    return size;
}

/* AC symbols whose lengths make the row as long as needed, modulo 8 bits. */
typedef struct {
    uint8_t symbols[8];
    int count;
} filler;

/* Finds the symbols that add `wanted` bits modulo 8 and use the fewest coefficients. Returns 0 if there are none. */
static int find_filler(const symbol_codes *ac, int wanted, filler *filler) {
    int coefficients[8], from[8], symbol_to[8];
    for (int rest = 0; rest < 8; rest++) coefficients[rest] = rest == 0 ? 0 : 1000;
    /* Shortest ways: seven rounds are enough for eight places. */
    for (int round = 0; round < 7; round++) {
        for (int rest = 0; rest < 8; rest++) {
            for (int symbol = 1; symbol < 256 && coefficients[rest] < 1000; symbol++) {
                int size = symbol & 15, advance = (symbol >> 4) + 1;
                if (ac->length[symbol] == 0 || size == 0 || size > 10) continue;
                int to = (rest + ac->length[symbol] + size) & 7;
                if (coefficients[rest] + advance >= coefficients[to]) continue;
                coefficients[to] = coefficients[rest] + advance;
                from[to] = rest;
                symbol_to[to] = symbol;
            }
        }
    }
    filler->count = 0;
    if (coefficients[wanted] > 62) return 0;
    for (int rest = wanted; rest != 0 && filler->count < 8; rest = from[rest])
        filler->symbols[filler->count++] = (uint8_t)symbol_to[rest];
    return 1;
}

/* Writes the row, whose last bits are `bit` bits of a byte. Returns 0 if the file's code cannot express it. */
static int put_row(writer *writer, const decoder *decoder, const int32_t *sums, int bit) {
    symbol_codes dc[MAX_COMPONENTS], ac[MAX_COMPONENTS];
    int left[MAX_COMPONENTS];
    size_t bits = 0;
    for (int index = 0; index < decoder->scan_components; index++) {
        list_codes(&decoder->codes[0][decoder->dc_index[index]], &dc[index]);
        list_codes(&decoder->codes[1][decoder->ac_index[index]], &ac[index]);
        left[index] = sums[index];
        if (ac[index].length[0] == 0) return 0;
    }
    /* The first time the bits are only counted. */
    filler filler = {.count = 0};
    for (int is_written = 0; is_written < 2; is_written++) {
        if (is_written && !find_filler(&ac[0], (bit - (int)(bits & 7)) & 7, &filler)) return 0;
        for (int index = 0; index < decoder->scan_components; index++) left[index] = sums[index];
        for (int mcu = 0; mcu < decoder->mcus_wide; mcu++) {
            for (int block = 0; block < decoder->blocks_in_mcu; block++) {
                int index = decoder->mcu[block].index, difference = next_difference(&dc[index], left[index]);
                int size = size_of(difference);
                if (dc[index].length[size] == 0) return 0;
                left[index] -= difference;
                bits += (size_t)(dc[index].length[size] + size + ac[index].length[0]);
                if (!is_written) continue;
                put_bits(writer, dc[index].bits[size], dc[index].length[size]);
                unsigned extra = (unsigned)(difference < 0 ? difference - 1 : difference) & ((1u << size) - 1);
                put_bits(writer, extra, size);
                for (int number = 0; number < filler.count && mcu == 0 && block == 0; number++) {
                    unsigned symbol = filler.symbols[number], extra_size = symbol & 15;
                    put_bits(writer, ac[index].bits[symbol], ac[index].length[symbol]);
                    put_bits(writer, 1u << (extra_size - 1), (int)extra_size);
                }
                put_bits(writer, ac[index].bits[0], ac[index].length[0]);
            }
        }
    }
    for (int index = 0; index < decoder->scan_components; index++)
        if (left[index] != 0) return 0;
    return writer->pending_count == bit;
}

/* The file's byte that became byte `index` of the window. */
static const uint8_t *file_byte(const window *window, size_t index) {
    size_t stuffed = 0;
    for (size_t later = index; later < window->filled; later++) stuffed += window->bytes[later] == 0xff;
    return window->next - (window->filled - index) - stuffed;
}

webimage_jpeg_thumbnail_status webimage_jt_strips_add(decoder *decoder, uint32_t position, const int32_t *sums) {
    strips *strips = decoder->strips;
    const webimage_jpeg_strips_request *request = strips->request;
    int row = request->rows[strips->found], bit = (int)(position & 7);
    writer writer = {0};
    put_header(
        &writer, strips->data, decoder->next, decoder->height - (row - 1) * decoder->max_vertical * 8);
    int is_possible = put_row(&writer, decoder, sums, bit);
    const uint8_t *rest = file_byte(&decoder->window, position >> 3);
    if (bit != 0) {
        unsigned byte = decoder->window.bytes[position >> 3];
        put_data_byte(&writer, (writer.pending << (8 - bit) & 255) | (byte & (255u >> bit)));
        rest += byte == 0xff ? 2 : 1;
    }
    if (!is_possible || writer.has_failed) {
        free(writer.bytes);
        return is_possible ? WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_MEMORY : WEBIMAGE_JPEG_THUMBNAIL_TABLE;
    }
    webimage_jpeg_strip strip = {writer.bytes, writer.size, rest, (size_t)(decoder->end - rest)};
    request->found(request->context, strips->found, &strip);
    return ++strips->found == request->count ? STRIPS_FOUND : WEBIMAGE_JPEG_THUMBNAIL_OK;
}

webimage_jpeg_thumbnail_status webimage_jpeg_strips_find(
    const uint8_t *data, size_t size, const webimage_jpeg_strips_request *request) {
    for (int index = 0; index < request->count; index++)
        if (request->rows[index] < 1 || (index > 0 && request->rows[index] <= request->rows[index - 1]))
            return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
    if (request->count < 1) return WEBIMAGE_JPEG_THUMBNAIL_MARKER;
    webimage_jpeg_thumbnail_planes planes = {
        .file_width = request->width, .file_height = request->height, .width = request->width, .height = request->height,
        .side = 2, .chroma_side = 2};
    webimage_jpeg_thumbnail_request inner = {
        .width = 1, .height = 1, .format = WEBIMAGE_JPEG_THUMBNAIL_RGB, .deadline = request->deadline,
        .should_stop = request->should_stop, .ignores_cost = request->ignores_cost, .window_bytes = request->window_bytes,
        .planes = &planes};
    strips strips = {.request = request, .data = data};
    webimage_jpeg_thumbnail_status status = webimage_jt_decode(data, size, &inner, &strips);
    if (status == STRIPS_FOUND) return WEBIMAGE_JPEG_THUMBNAIL_OK;
    /* The rows are behind the picture's end. */
    return status == WEBIMAGE_JPEG_THUMBNAIL_OK ? WEBIMAGE_JPEG_THUMBNAIL_MARKER : status;
}
