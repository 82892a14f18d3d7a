#include "CGIFShim.h"

#include <stdlib.h>
#include <string.h>

/* A writer of GIF's variant of LZW (GIF89a, appendix F). A full table is cleared at once by most writers. Here it is used on
   until the codes become longer again, which the format allows. */

enum { CODE_LIMIT = 4096, WIDEST_CODE = 12, BLOCK = 255, SYMBOLS = 256 };

typedef struct {
    uint8_t *bytes;
    size_t count, capacity;
    size_t block; /* the place of the length of the current block */
    uint64_t bits;
    unsigned bit_count;
    bool has_failed;
} output;

static void put_byte(output *out, uint8_t byte) {
    /* A block's length, the byte, and the end. */
    if (out->count + 3 > out->capacity) {
        size_t capacity = out->capacity * 2 + 4096;
        uint8_t *larger = out->has_failed ? NULL : realloc(out->bytes, capacity);
        if (!larger) {
            out->has_failed = true;
            return;
        }
        out->bytes = larger;
        out->capacity = capacity;
    }
    if (out->count - out->block > BLOCK) {
        out->bytes[out->block] = BLOCK;
        out->block = out->count++;
    }
    out->bytes[out->count++] = byte;
}

static void put_code(output *out, unsigned code, unsigned width) {
    out->bits |= (uint64_t)code << out->bit_count;
    out->bit_count += width;
    for (; out->bit_count >= 8; out->bit_count -= 8, out->bits >>= 8) put_byte(out, (uint8_t)out->bits);
}

/* The codes of the strings that begin with a code's string and have one more index. 0: none. */
typedef uint16_t children[SYMBOLS];

/* Whether the codes since the last look were longer than the best before. */
typedef struct {
    size_t indices, bits; /* since the last look */
    double best;
} gauge;

bool cgif_compress(const uint8_t *indices, size_t count, unsigned window, uint8_t **bytes, size_t *byte_count) {
    uint8_t largest = 0;
    for (size_t i = 0; i < count; i++)
        if (indices[i] > largest) largest = indices[i];
    unsigned literal_width = 2;
    while (largest >> literal_width) literal_width++;
    const unsigned clear = 1u << literal_width, first = clear + 2;
    children *table = calloc(CODE_LIMIT, sizeof *table);
    output out = {.bytes = malloc(4096), .capacity = 4096};
    if (!table || !out.bytes) {
        free(table);
        free(out.bytes);
        return false;
    }
    out.bytes[0] = (uint8_t)literal_width;
    out.block = 1;
    out.count = 2;
    unsigned width = literal_width + 1, next = first;
    gauge gauge = {0};
    put_code(&out, clear, width);
    for (size_t at = 0; at < count;) {
        unsigned code = indices[at++];
        size_t start = at - 1;
        while (at < count && table[code][indices[at]]) code = table[code][indices[at++]];
        put_code(&out, code, width);
        gauge.indices += at - start;
        gauge.bits += width;
        if (next < CODE_LIMIT) {
            if (at < count) table[code][indices[at]] = (uint16_t)next;
            next++;
            if (next == (1u << width) + 1 && width < WIDEST_CODE) width++;
            if (next < CODE_LIMIT) continue;
            gauge.indices = gauge.bits = 0;
            if (window > 0) continue;
        } else {
            if (gauge.bits < (size_t)window * WIDEST_CODE) continue;
            double length = (double)gauge.bits / (double)gauge.indices;
            gauge.indices = gauge.bits = 0;
            if (gauge.best == 0 || length < gauge.best) gauge.best = length;
            if (length <= gauge.best * 1.02) continue;
        }
        if (at == count) break;
        put_code(&out, clear, width);
        memset(table, 0, CODE_LIMIT * sizeof *table);
        width = literal_width + 1;
        next = first;
        gauge.indices = gauge.bits = 0;
        gauge.best = 0;
    }
    put_code(&out, clear + 1, width);
    if (out.bit_count > 0) put_byte(&out, (uint8_t)out.bits);
    out.bytes[out.block] = (uint8_t)(out.count - out.block - 1);
    /* The block's length is 0 if no byte follows it, which ends the data already. */
    if (out.count - out.block > 1) out.bytes[out.count++] = 0;
    free(table);
    if (out.has_failed) {
        free(out.bytes);
        return false;
    }
    *bytes = out.bytes;
    *byte_count = out.count;
    return true;
}
