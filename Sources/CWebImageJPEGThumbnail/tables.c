#include "thumbnail.h"

/* The position in the block of each coefficient in the order of the file (ITU-T T.81, figure A.6). */
const uint8_t webimage_jt_natural_order[64] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
    30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
};

webimage_jpeg_thumbnail_status webimage_jt_check_code(const huffman_code *code, int is_dc) {
    if (!code->is_defined) return WEBIMAGE_JPEG_THUMBNAIL_TABLE;
    uint32_t next = 0;
    int total = 0;
    for (int length = 1; length <= 16; length++) {
        next = (next << 1) + code->counts[length];
        /* No code may be all ones (ITU-T T.81, C.2). libjpeg-turbo refuses such a file. */
        if (next >= UINT32_C(1) << length) return WEBIMAGE_JPEG_THUMBNAIL_TABLE;
        total += code->counts[length];
    }
    /* libjpeg-turbo refuses such a code as well. */
    for (int index = 0; index < total && is_dc; index++)
        if (code->symbols[index] > 15) return WEBIMAGE_JPEG_THUMBNAIL_TABLE;
    return WEBIMAGE_JPEG_THUMBNAIL_OK;
}

void webimage_jt_make_symbols(const huffman_code *code, symbol_table *table) {
    memset(table->single, 0, sizeof table->single);
    memcpy(table->symbols, code->symbols, sizeof table->symbols);
    uint32_t next = 0;
    int index = 0;
    for (int length = 1; length <= 16; length++) {
        next <<= 1;
        table->offset[length] = index - (int)next;
        for (int number = 0; number < code->counts[length]; number++, next++, index++) {
            if (length > GROUP_BITS) continue;
            int free_bits = GROUP_BITS - length;
            uint16_t *entry = table->single + (next << free_bits);
            for (int count = 1 << free_bits; count > 0; count--) *entry++ = (uint16_t)(length << 8 | code->symbols[index]);
        }
        table->limit[length] = next << (16 - length);
    }
}

unsigned webimage_jt_long_symbol(const symbol_table *table, unsigned next16) {
    /* The limits never decrease. A loop that ends at the right length would be a branch that the processor cannot predict. */
    unsigned length = GROUP_BITS + 1;
    for (unsigned shorter = GROUP_BITS + 1; shorter < 16; shorter++) length += next16 >= table->limit[shorter];
    if (next16 >= table->limit[16]) return 0;
    int index = (int)(next16 >> (16 - length)) + table->offset[length];
    return length << 8 | table->symbols[index & 255];
}

/* The entry of one symbol in a table of groups: its length with the extra bits, the coefficients that it advances << 24,
   and whether it ends the block. */
static uint32_t ac_entry(int length, unsigned symbol) {
    unsigned run = symbol >> 4, size = symbol & 15;
    if (size != 0) return (uint32_t)length + size + ((run + 1) << 24);
    return run == 15 ? (uint32_t)length + (16u << 24) : (uint32_t)length | BLOCK_END;
}

/* Joins a symbol and the group behind it, unless the block would be too long: then the symbol stays alone, and the slow
   path decides. */
static uint32_t joined(uint32_t entry, uint32_t group) {
    if (entry & BLOCK_END) return entry;
    uint32_t advance = (entry >> 24) + (group >> 24 & 63);
    return advance > 63 ? entry : entry + group;
}

/* Writes the entries of all bit strings that start with a code of `length` bits and `extra` extra bits. `rest` are the
   groups for the bits behind them, by their number: the groups of n bits start at index 1 << n. */
static void write_entries(
    uint32_t *table, int bits, uint32_t code, int length, int extra, uint32_t entry, const uint32_t *rest) {
    int left = bits - length - extra;
    uint32_t *target = table + (code << (bits - length));
    if (left <= 0) {
        for (uint32_t count = UINT32_C(1) << (bits - length); count > 0; count--) *target++ = entry;
        return;
    }
    for (uint32_t value = 0; value < UINT32_C(1) << extra; value++)
        for (uint32_t next = 0; next < UINT32_C(1) << left; next++)
            *target++ = joined(entry, rest[(UINT32_C(1) << left) + next]);
}

/* An entry can use at most 2 * 11 bits: more would exceed the bits that are valid in the third step of a round. Other
   symbols are left to the slow path. */
static int fits(int length, int extra) { return length <= GROUP_BITS && extra <= GROUP_BITS; }

void webimage_jt_make_groups(const huffman_code *dc, const huffman_code *ac, uint32_t *groups) {
    /* Groups of whole AC symbols for strings of 0 to 11 bits. 0: no whole symbol. */
    uint32_t partial[2 * GROUP_SIZE] = {0};
    for (int bits = 1; bits <= GROUP_BITS; bits++) {
        uint32_t code = 0;
        int index = 0;
        for (int length = 1; length <= bits; length++) {
            code <<= 1;
            for (int number = 0; number < ac->counts[length]; number++, code++, index++) {
                unsigned symbol = ac->symbols[index];
                int extra = symbol & 15;
                if (fits(length, extra))
                    write_entries(
                        partial + (UINT32_C(1) << bits), bits, code, length, extra, ac_entry(length, symbol), partial);
            }
        }
    }
    for (int index = 0; index < GROUP_SIZE; index++) {
        uint32_t group = partial[GROUP_SIZE + index];
        groups[index] = group ? group : SLOW_OR_INVALID;
        groups[GROUP_SIZE + index] = SLOW_OR_INVALID;
    }
    uint32_t code = 0;
    int index = 0;
    for (int length = 1; length <= GROUP_BITS; length++) {
        code <<= 1;
        for (int number = 0; number < dc->counts[length]; number++, code++, index++) {
            int extra = dc->symbols[index];
            uint32_t entry = (uint32_t)(length + extra) + (1u << 24);
            if (fits(length, extra))
                write_entries(groups + GROUP_SIZE, GROUP_BITS, code, length, extra, entry, partial);
        }
    }
}

static int32_t value_entry(unsigned symbol, unsigned length, int is_dc, uint64_t bits) {
    unsigned run = symbol >> 4, size = symbol & 15;
    unsigned advance = is_dc ? 1 : size != 0 ? run + 1 : run == 15 ? 16 : 64;
    int value = extra_value(bits << length, size);
    return (int32_t)((uint32_t)value << 16 | advance << 8 | (length + size));
}

void webimage_jt_make_values(const symbol_table *symbols, int is_dc, value_table values) {
    for (unsigned index = 0; index < GROUP_SIZE; index++) {
        unsigned entry = symbols->single[index], length = entry >> 8, symbol = entry & 255;
        int is_known = length != 0 && length + (symbol & 15) <= GROUP_BITS;
        values[index] = is_known ? value_entry(symbol, length, is_dc, (uint64_t)index << (64 - GROUP_BITS)) : 0;
    }
}

int32_t webimage_jt_long_value(const symbol_table *symbols, int is_dc, uint64_t bits) {
    unsigned symbol = next_symbol(symbols, bits);
    return symbol == 0 ? 0 : value_entry(symbol & 255, symbol >> 8, is_dc, bits);
}
