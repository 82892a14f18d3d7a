#include "jpeg_decoder_state.h"

/* Huffman codes that fit the picture, in one pass. libjpeg makes codes that fit from the coefficients of the whole picture,
   which it keeps in memory and visits twice: 2.2 to 3 times the time. Here the codes of a sample, some rows of blocks, are used
   for all. To count its symbols fast, libjpeg writes the sample with codes of eight bits that are the places of the symbols in a
   list. Symbols that the sample does not have, or rarely, count as often as the usual codes (K.3) expect them. */

enum {
    LEAST_SAMPLE_PIXELS = 16000,
    SAMPLE_SHARE = 16,  /* every so many rows of blocks, if there are many */
    SYMBOLS = 256,
    LONGEST_CODE = 16,
    PLACE_BITS = 8,     /* of the codes of a sample */
    USUAL_SYMBOLS = 48, /* for how many symbols of the sample the usual codes count */
};

/* The counts of symbols in a sample: [0] of differences of DC, [1] of AC. */
typedef struct { uint32_t counts[2][SYMBOLS]; } symbol_counts;

static bool is_valid(bool is_dc, int symbol) {
    const int size = symbol & 15, run = symbol >> 4;
    if (is_dc) return symbol <= 11;
    return size <= 10 && (size > 0 || run == 0 || run == 15);
}

/* The codes of a sample: the place of each symbol among the valid ones. */
static void set_places(bool is_dc, JHUFF_TBL *table) {
    int count = 0;
    memset(table, 0, sizeof *table);
    for (int symbol = 0; symbol < SYMBOLS; symbol++)
        if (is_valid(is_dc, symbol)) table->huffval[count++] = (UINT8)symbol;
    table->bits[PLACE_BITS] = (UINT8)count;
}

/* Reads bits behind each other from the scan of a file, without the zeros behind bytes of ones. */
typedef struct {
    const uint8_t *next, *end;
    uint64_t bits;
    int count;
} bit_reader;

static inline void fill(bit_reader *reader) {
    while (reader->count <= 56) {
        uint8_t byte = reader->next < reader->end ? *reader->next++ : 0;
        if (byte == 0xFF) reader->next++;
        reader->bits |= (uint64_t)byte << (56 - reader->count);
        reader->count += 8;
    }
}

static inline void skip(bit_reader *reader, int count) {
    reader->bits <<= count;
    reader->count -= count;
}

/* Counts the symbols of one block. */
static void count_block(bit_reader *reader, const JHUFF_TBL *dc, const JHUFF_TBL *ac, symbol_counts *found) {
    fill(reader);
    int symbol = dc->huffval[reader->bits >> (64 - PLACE_BITS)];
    found->counts[0][symbol]++;
    skip(reader, PLACE_BITS + symbol);
    for (int place = 1; place < DCTSIZE2;) {
        if (reader->count < PLACE_BITS + 11) fill(reader);
        symbol = ac->huffval[reader->bits >> (64 - PLACE_BITS)];
        found->counts[1][symbol]++;
        skip(reader, PLACE_BITS + (symbol & 15));
        if (symbol == 0) return;
        place += (symbol >> 4) + 1;
    }
}

/* Counts the symbols in the file of a sample, for each pair of tables. */
static void count_symbols(const struct jpeg_compress_struct *sample, const uint8_t *file, size_t size, symbol_counts *found) {
    bit_reader reader = {file + 2, file + size, 0, 0};
    /* Segments have their length behind the marker; the last one is that of the scan. */
    for (bool is_scan = false; !is_scan && reader.next + 4 < reader.end;) {
        is_scan = reader.next[1] == 0xDA;
        reader.next += 2 + (reader.next[2] << 8 | reader.next[3]);
    }
    const jpeg_component_info *first = &sample->comp_info[0];
    const bool has_color = sample->num_components > 1;
    const int blocks = has_color ? first->h_samp_factor * first->v_samp_factor : 1;
    const int side_x = has_color ? first->h_samp_factor * DCTSIZE : DCTSIZE;
    const int side_y = has_color ? first->v_samp_factor * DCTSIZE : DCTSIZE;
    const size_t units = (size_t)((sample->image_width + side_x - 1) / side_x) * ((sample->image_height + side_y - 1) / side_y);
    for (size_t unit = 0; unit < units && reader.next < reader.end; unit++) {
        for (int block = 0; block < blocks; block++)
            count_block(&reader, sample->dc_huff_tbl_ptrs[0], sample->ac_huff_tbl_ptrs[0], &found[0]);
        for (int color = 1; color < sample->num_components; color++)
            count_block(&reader, sample->dc_huff_tbl_ptrs[1], sample->ac_huff_tbl_ptrs[1], &found[1]);
    }
}

/* Sets the lengths of an optimal code for symbols whose counts never fall. */
static void find_lengths(const uint64_t *counts, int count, uint8_t *lengths) {
    uint64_t sums[2 * SYMBOLS + 2];
    int parents[2 * SYMBOLS + 2];
    uint8_t depths[2 * SYMBOLS + 2];
    memcpy(sums, counts, (size_t)count * sizeof *sums);
    /* Sums never fall either, so that the least two are at the beginning of both queues. */
    int leaf = 0, inner = count, node = count;
    for (; node < 2 * count - 1; node++) {
        sums[node] = 0;
        for (int child = 0; child < 2; child++) {
            const int least = inner == node || (leaf < count && sums[leaf] <= sums[inner]) ? leaf++ : inner++;
            sums[node] += sums[least];
            parents[least] = node;
        }
    }
    depths[node - 1] = 0;
    for (int child = node - 2; child >= 0; child--) depths[child] = depths[parents[child]] + 1;
    memcpy(lengths, depths, (size_t)count);
}

/* Shortens codes of more than 16 bits (K.3): a pair of them moves up, and a shorter code becomes two. */
static void limit_lengths(int *bits, int longest) {
    for (int length = longest; length > LONGEST_CODE; length--) {
        while (bits[length] > 0) {
            int shorter = length - 2;
            while (bits[shorter] == 0) shorter--;
            bits[length] -= 2;
            bits[length - 1]++;
            bits[shorter + 1] += 2;
            bits[shorter]--;
        }
    }
}

typedef struct {
    uint64_t count;
    int symbol;
} counted_symbol;

static int by_count(const void *a, const void *b) {
    const counted_symbol *left = a, *right = b;
    if (left->count != right->count) return left->count < right->count ? -1 : 1;
    return right->symbol - left->symbol;
}

/* Replaces a table with the usual codes by one whose codes fit the counts and exist for all symbols.

   A symbol of the sample counts 1 << 16 each time, and a usual code of n bits counts USUAL_SYMBOLS << (16 - n), its share of
   USUAL_SYMBOLS symbols: no count is 0. find_lengths() needs the symbols by their counts, first the reserved code. The lengths
   therefore never grow from place to place, and huffval, which begins with the shortest code, takes the symbols in reverse. */
static void fit_table(bool is_dc, const uint32_t *found, JHUFF_TBL *table) {
    enum { LONGEST = 63 };
    counted_symbol symbols[SYMBOLS + 1] = {{1, 0}};
    uint64_t counts[SYMBOLS + 1];
    uint8_t lengths[SYMBOLS + 1];
    int count = 1;
    /* The first place is that of the code of ones only, which JPEG reserves, and which must be one of the longest (K.2). */
    for (int length = 1, place = 0; length <= LONGEST_CODE; length++) {
        for (int left = table->bits[length]; left > 0; left--) {
            const int symbol = table->huffval[place++];
            const uint64_t usual = (uint64_t)USUAL_SYMBOLS << (LONGEST_CODE - length);
            symbols[count++] = (counted_symbol){((uint64_t)found[symbol] << LONGEST_CODE) + usual, symbol};
        }
    }
    qsort(symbols, (size_t)count, sizeof *symbols, by_count);
    for (int place = 0; place < count; place++) counts[place] = symbols[place].count;
    find_lengths(counts, count, lengths);
    int bits[LONGEST + 1] = {0};
    for (int place = 0; place < count; place++) bits[lengths[place]]++;
    limit_lengths(bits, LONGEST);
    int longest = LONGEST_CODE;
    while (bits[longest] == 0) longest--;
    bits[longest]--; /* the reserved code */
    memset(table, 0, sizeof *table);
    for (int length = 1; length <= LONGEST_CODE; length++) table->bits[length] = (UINT8)bits[length];
    for (int place = 1; place < count; place++) table->huffval[count - 1 - place] = (UINT8)symbols[place].symbol;
}

void webimage_jpeg_fit_codes(webimage_jpeg_encoder *encoder, const uint8_t *pixels, size_t stride) {
    struct jpeg_compress_struct *cinfo = &encoder->cinfo, *sample = &encoder->sample;
    const size_t side = cinfo->num_components == 3 ? (size_t)cinfo->comp_info[0].v_samp_factor * DCTSIZE : DCTSIZE;
    const size_t band = (size_t)cinfo->image_width * side, bands = cinfo->image_height / side;
    size_t wanted = (bands + SAMPLE_SHARE - 1) / SAMPLE_SHARE;
    if (wanted * band < LEAST_SAMPLE_PIXELS) wanted = (LEAST_SAMPLE_PIXELS + band - 1) / band;
    if (wanted > bands) wanted = bands;
    if (wanted == 0) return;

    sample->err = cinfo->err;
    jpeg_create_compress(sample);
    webimage_jpeg_write_to(sample, &encoder->sample_destination);
    sample->progress = cinfo->progress;
    sample->image_width = cinfo->image_width;
    sample->image_height = (JDIMENSION)(wanted * side);
    sample->input_components = cinfo->input_components;
    sample->in_color_space = cinfo->in_color_space;
    jpeg_set_defaults(sample);
    for (int index = 0; index < 2; index++) {
        if (cinfo->quant_tbl_ptrs[index]) *sample->quant_tbl_ptrs[index] = *cinfo->quant_tbl_ptrs[index];
        set_places(true, sample->dc_huff_tbl_ptrs[index]);
        set_places(false, sample->ac_huff_tbl_ptrs[index]);
    }
    for (int index = 0; index < cinfo->num_components; index++) {
        sample->comp_info[index].h_samp_factor = cinfo->comp_info[index].h_samp_factor;
        sample->comp_info[index].v_samp_factor = cinfo->comp_info[index].v_samp_factor;
    }
    jpeg_start_compress(sample, TRUE);
    for (size_t index = 0; index < wanted; index++) {
        /* The middle one of each part of the picture. */
        const size_t first = (2 * index + 1) * bands / (2 * wanted) * side;
        webimage_jpeg_write_rows(sample, pixels + first * stride, stride, (JDIMENSION)side);
    }
    jpeg_finish_compress(sample);
    const memory_destination *written = &encoder->sample_destination;
    symbol_counts found[2];
    memset(found, 0, sizeof found);
    count_symbols(sample, written->memory, written->capacity - written->base.free_in_buffer, found);
    for (int index = 0; index < (cinfo->num_components == 1 ? 1 : 2); index++) {
        fit_table(true, found[index].counts[0], cinfo->dc_huff_tbl_ptrs[index]);
        fit_table(false, found[index].counts[1], cinfo->ac_huff_tbl_ptrs[index]);
    }
    jpeg_destroy_compress(sample);
}
