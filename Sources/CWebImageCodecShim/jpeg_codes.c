#include "jpeg_decoder_state.h"

/* Huffman codes that fit the picture, in one pass. libjpeg makes codes that fit from the coefficients of the whole picture, which it
   keeps in memory and visits twice: 2.2 to 3 times the time. Here the codes of a sample, some rows of blocks, are used for all, with long
   codes for the symbols that the sample does not have. */

enum {
    LEAST_SAMPLE_PIXELS = 10000,
    SAMPLE_SHARE = 24,  /* every so many rows of blocks, if there are many */
    SYMBOLS = 256,
    LONGEST_CODE = 16,
};

static void start_discarding(j_compress_ptr cinfo) {
    discarding_destination *destination = (discarding_destination *)cinfo->dest;
    destination->base.next_output_byte = destination->bytes;
    destination->base.free_in_buffer = sizeof destination->bytes;
}

static boolean discard(j_compress_ptr cinfo) {
    start_discarding(cinfo);
    return TRUE;
}

static void stop_discarding(j_compress_ptr cinfo) { (void)cinfo; }

/* Sets the lengths of an optimal code for symbols whose counts never fall. */
static void find_lengths(const uint32_t *counts, int count, uint8_t *lengths) {
    uint32_t sums[2 * SYMBOLS + 2];
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

static bool is_valid(bool is_dc, int symbol) {
    const int size = symbol & 15, run = symbol >> 4;
    if (is_dc) return symbol <= 11;
    return size <= 10 && (size > 0 || run == 0 || run == 15);
}

/* Replaces the table by one with codes for all symbols, of the lengths that those of the sample have, or nearly.

   The table of the sample has lengths but no counts, so these are made from the lengths: 4 << (16 - n) for a code of n bits,
   and 2, less than any of them, for a symbol that the sample does not have. find_lengths() needs the symbols by their counts:
   first the reserved code, then the symbols that the sample does not have, then the others from the longest code on. The
   lengths therefore never grow from place to place, and huffval, which begins with the shortest code, takes the symbols in
   reverse. */
static void take_table(bool is_dc, const JHUFF_TBL *sample, JHUFF_TBL *table) {
    enum { LONGEST = 63 };
    bool is_seen[SYMBOLS] = {false};
    int symbols[SYMBOLS + 1], count = 1, seen = 0;
    uint32_t counts[SYMBOLS + 1];
    uint8_t lengths[SYMBOLS + 1];
    for (int length = 1; length <= LONGEST_CODE; length++)
        for (int left = sample->bits[length]; left > 0; left--) is_seen[sample->huffval[seen++]] = true;
    /* The code of ones only, which JPEG reserves, must be one of the longest (K.2). */
    counts[0] = 1;
    for (int symbol = 0; symbol < SYMBOLS; symbol++) {
        if (is_seen[symbol] || !is_valid(is_dc, symbol)) continue;
        counts[count] = 2;
        symbols[count++] = symbol;
    }
    for (int length = LONGEST_CODE; length > 0; length--) {
        for (int left = sample->bits[length]; left > 0; left--) {
            counts[count] = UINT32_C(4) << (LONGEST_CODE - length);
            symbols[count++] = sample->huffval[--seen];
        }
    }
    find_lengths(counts, count, lengths);
    int bits[LONGEST + 1] = {0};
    for (int place = 0; place < count; place++) bits[lengths[place]]++;
    limit_lengths(bits, LONGEST);
    int longest = LONGEST_CODE;
    while (bits[longest] == 0) longest--;
    bits[longest]--; /* the reserved code */
    memset(table, 0, sizeof *table);
    for (int length = 1; length <= LONGEST_CODE; length++) table->bits[length] = (UINT8)bits[length];
    for (int place = 1; place < count; place++) table->huffval[count - 1 - place] = (UINT8)symbols[place];
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
    encoder->discarded.base.init_destination = start_discarding;
    encoder->discarded.base.empty_output_buffer = discard;
    encoder->discarded.base.term_destination = stop_discarding;
    sample->dest = &encoder->discarded.base;
    sample->progress = cinfo->progress;
    sample->image_width = cinfo->image_width;
    sample->image_height = (JDIMENSION)(wanted * side);
    sample->input_components = cinfo->input_components;
    sample->in_color_space = cinfo->in_color_space;
    jpeg_set_defaults(sample);
    for (int index = 0; index < 2; index++)
        if (cinfo->quant_tbl_ptrs[index]) *sample->quant_tbl_ptrs[index] = *cinfo->quant_tbl_ptrs[index];
    for (int index = 0; index < cinfo->num_components; index++) {
        sample->comp_info[index].h_samp_factor = cinfo->comp_info[index].h_samp_factor;
        sample->comp_info[index].v_samp_factor = cinfo->comp_info[index].v_samp_factor;
    }
    sample->optimize_coding = TRUE;
    jpeg_start_compress(sample, TRUE);
    for (size_t index = 0; index < wanted; index++) {
        /* The middle one of each part of the picture. */
        const size_t first = (2 * index + 1) * bands / (2 * wanted) * side;
        for (size_t y = first; y < first + side; y++) {
            JSAMPROW row = (JSAMPROW)(pixels + y * stride);
            jpeg_write_scanlines(sample, &row, 1);
        }
    }
    jpeg_finish_compress(sample);
    for (int index = 0; index < (cinfo->num_components == 1 ? 1 : 2); index++) {
        take_table(true, sample->dc_huff_tbl_ptrs[index], cinfo->dc_huff_tbl_ptrs[index]);
        take_table(false, sample->ac_huff_tbl_ptrs[index], cinfo->ac_huff_tbl_ptrs[index]);
    }
    jpeg_destroy_compress(sample);
}
