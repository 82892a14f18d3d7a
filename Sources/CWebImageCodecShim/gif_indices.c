#include "CGIFShim.h"

#include <stdlib.h>
#include <string.h>

enum { CODE_LIMIT = 4096, WIDEST_CODE = 12, PIECE = 8, NO_CODE = UINT16_MAX };

/* An entry of the LZW table. It stores the string of one code in pieces of eight bytes. `piece` is the last piece of
   the string. `before` is the code of the string without this piece. Most strings have one or two pieces, so writing a
   string is fast. A new code is added without a copy of its string. */
typedef struct {
    uint64_t piece; /* bytes in memory order */
    uint16_t before;
    uint16_t length;
    uint8_t first;
} entry;

/* The state of the decoder between two codes. */
typedef struct {
    const uint8_t *data;
    size_t block_left; /* unread bytes of the current data block */
    uint64_t bits;     /* unread bits; the next code is in the lowest bits */
    unsigned bit_count;
    unsigned width; /* the number of bits per code */
    unsigned next;  /* the code that will be added next */
    unsigned last;  /* the code that was read last, or NO_CODE after a clear code */
} position;

struct cgif_indices {
    position at;
    const uint8_t *data_end;
    unsigned literal_width;
    int is_over;
    size_t start; /* the first decoded index that was not returned yet */
    size_t end;
    size_t window;
    entry entries[CODE_LIMIT];
    uint8_t indices[]; /* `window` indices, one string, and the bytes written beyond its end */
};

/* Returns a piece whose byte at index `place` is `byte`; all other bytes are zero. */
static uint64_t placed(uint8_t byte, unsigned place) {
    const uint16_t one = 1;
    unsigned position = *(const uint8_t *)&one == 1 ? place : PIECE - 1 - place;
    return (uint64_t)byte << (8 * position);
}

static void clear_codes(position *at, unsigned literal_width) {
    at->width = literal_width + 1;
    at->next = (1u << literal_width) + 2;
    at->last = NO_CODE;
}

cgif_indices *cgif_indices_create(const uint8_t *data, size_t count, size_t window) {
    if (count == 0 || data[0] > 11 || window > SIZE_MAX / 2) return NULL;
    cgif_indices *decoder = malloc(sizeof *decoder + window + CODE_LIMIT + PIECE);
    if (decoder == NULL) return NULL;
    /* The entries are not cleared, because each entry is written before it is read. */
    memset(decoder, 0, offsetof(cgif_indices, entries));
    decoder->at.data = data + 1;
    decoder->data_end = data + count;
    decoder->literal_width = data[0];
    decoder->window = window;
    for (unsigned code = 0; code < 1u << decoder->literal_width; code++)
        decoder->entries[code] = (entry){placed((uint8_t)code, 0), NO_CODE, 1, (uint8_t)code};
    clear_codes(&decoder->at, decoder->literal_width);
    return decoder;
}

void cgif_indices_destroy(cgif_indices *decoder) { free(decoder); }

/* Reads bytes until `bits` contains enough bits for the widest code (12 bits), or until the data ends. */
static void refill(position *at, const uint8_t *end) {
    while (at->bit_count < WIDEST_CODE) {
        if (at->block_left == 0) {
            if (at->data == end || *at->data == 0) return;
            at->block_left = *at->data++;
        }
        size_t present = (size_t)(end - at->data);
        if (present < at->block_left) at->block_left = present;
        if (present == 0) return;
        size_t room = (64 - at->bit_count) / 8;
        size_t count = at->block_left < room ? at->block_left : room;
        for (size_t i = 0; i < count; i++) {
            at->bits |= (uint64_t)at->data[i] << at->bit_count;
            at->bit_count += 8;
        }
        at->data += count;
        at->block_left -= count;
    }
}

/* Adds the next code to the table. The string of the new code is the string of the last code, followed by the first
   index of the string of `code`. `code` can be equal to the new code. */
static void add_code(position *at, entry *entries, unsigned code) {
    const entry *last = &entries[at->last];
    entry *added = &entries[at->next];
    uint8_t index = code == at->next ? last->first : entries[code].first;
    unsigned place = last->length % PIECE;
    added->piece = (place == 0 ? 0 : last->piece) | placed(index, place);
    added->before = place == 0 ? (uint16_t)at->last : last->before;
    added->length = last->length + 1;
    added->first = last->first;
    at->next++;
    if (at->next == 1u << at->width && at->width < WIDEST_CODE) at->width++;
}

static void write_string(const entry *entries, unsigned code, uint8_t *target) {
    const entry *written = &entries[code];
    /* Write the pieces from last to first, because an entry stores its last piece. Each piece is written as eight
       bytes. If the last piece has fewer bytes, this write changes bytes beyond the end of the string. */
    size_t place = (written->length - 1u) & ~(size_t)(PIECE - 1);
    memcpy(target + place, &written->piece, PIECE);
    while (place > 0) {
        place -= PIECE;
        written = &entries[written->before];
        memcpy(target + place, &written->piece, PIECE);
    }
}

/* Decodes until `wanted` indices are available, the data ends, or the data is invalid. */
static void decode(cgif_indices *decoder, size_t wanted) {
    const unsigned clear = 1u << decoder->literal_width;
    entry *entries = decoder->entries;
    /* Use local copies, because the compiler can keep them in registers. The compiler would load fields of `decoder`
       again after each written index: it must assume that a write through a byte pointer changes them. */
    position at = decoder->at;
    size_t end = decoder->end;
    while (end < wanted) {
        if (at.bit_count < WIDEST_CODE) refill(&at, decoder->data_end);
        if (at.bit_count < at.width) break;
        unsigned code = (unsigned)at.bits & ((1u << at.width) - 1);
        at.bits >>= at.width;
        at.bit_count -= at.width;
        if (code - clear < 2) {
            if (code != clear) break;
            clear_codes(&at, decoder->literal_width);
            continue;
        }
        if (at.last == NO_CODE) {
            if (code > clear) break;
        } else if (at.next < CODE_LIMIT) {
            if (code > at.next) break;
            add_code(&at, entries, code);
        }
        at.last = code;
        write_string(entries, code, decoder->indices + end);
        end += entries[code].length;
    }
    decoder->is_over = end < wanted;
    decoder->at = at;
    decoder->end = end;
}

size_t cgif_indices_next(cgif_indices *decoder, size_t count, const uint8_t **indices) {
    if (count > decoder->window) count = decoder->window;
    size_t left = decoder->end - decoder->start;
    memmove(decoder->indices, decoder->indices + decoder->start, left);
    decoder->start = 0;
    decoder->end = left;
    if (!decoder->is_over) decode(decoder, count);
    if (count > decoder->end) count = decoder->end;
    decoder->start = count;
    *indices = decoder->indices;
    return count;
}
