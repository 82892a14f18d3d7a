#ifndef THUMBNAIL_H
#define THUMBNAIL_H

#include "CWebImageJPEGThumbnail.h"

#include <string.h>

/* Declarations that the steps of the decoder share. The files in the order of the steps: markers.c and the files of markers.h,
   tables.c, window.c, streams.c, joins.c, sequential.c and the files of scan.h, strict.c, chroma.c, progressive.c and the files of
   progressive.h, output.c; for planes (more than one sample per row of a block) planes.c, plane_symbols.h, planes_avx2.c,
   transform.c, ink.c, resample.c and the files of resample.h instead of chroma.c and output.c; strips.c instead of all after
   sequential.c for the starts of rows.

   Every function that can fail returns a webimage_jpeg_thumbnail_status; 0 is success. */

enum {
    GROUP_BITS = 11,              /* the number of bits that one table lookup uses */
    GROUP_SIZE = 1 << GROUP_BITS,
    WINDOW_BYTES = 1 << 16,
    FIRST_WINDOW_BYTES = 1 << 14, /* after this window it is known whether the loop saves time; less of a small file */
    MIN_WINDOW_BYTES = 4096,
    /* Zero bytes behind a window. A block of a progressive scan can read this far beyond the end: 63 times 31 bits. */
    WINDOW_PADDING = 320,
    MAX_COMPONENTS = 4,
    MAX_BLOCKS_IN_MCU = 10,       /* the maximum in ITU-T T.81; libjpeg-turbo has the same limit */
    MAX_SCANS = 500,              /* the limit of the shim over libjpeg-turbo */
    STREAMS = 4,
    ROUNDS_IN_BATCH = 64,
    STEPS_IN_ROUND = 3,
    /* The bits that a round can use: each step at most a code of 16 bits and 15 extra bits. */
    MAX_ROUND_BITS = STEPS_IN_ROUND * 31,
    /* The blocks that can end in a batch, behind a part of an MCU. */
    BATCH_BLOCKS = MAX_BLOCKS_IN_MCU + ROUNDS_IN_BATCH * STEPS_IN_ROUND + 2,
    INTERVAL_GAP = 32,            /* zero bytes between restart intervals in a window */
};

/* A block's end in a list of ends: the position in bits in the window, and a flag for an invalid code. */
#define POSITION_MASK UINT32_C(0x00ffffff)
#define BLOCK_END (UINT32_C(1) << 31)
#define SLOW_OR_INVALID (UINT32_C(1) << 30)

/* A Huffman code as in the file (ITU-T T.81, B.2.4.2). */
typedef struct {
    uint8_t counts[17]; /* the number of codes of each length from 1 to 16 */
    uint8_t symbols[256];
    int is_defined;
} huffman_code;

/* Decodes one symbol at a time. */
typedef struct {
    /* For the next 11 bits: length << 8 | symbol. 0 if the code is longer or invalid. */
    uint16_t single[GROUP_SIZE];
    uint32_t limit[17];  /* the first 16 bits that are above every code of this length or a shorter one */
    int32_t offset[17];  /* added to a code of this length, gives the index of its symbol */
    uint8_t symbols[256];
} symbol_table;

/* Decodes a symbol together with its value. For the next 11 bits: value << 16 | advance << 8 | length. `advance` is the
   number of coefficients; 64 ends the block. The length is 0 if the code and its extra bits do not fit. */
typedef int32_t value_table[GROUP_SIZE];

typedef struct {
    int id;
    int horizontal, vertical; /* sampling factors */
    int quant_index;
    int has_quant;
    uint16_t quant[64];       /* in natural order: row by row */
    int blocks_wide, blocks_high;   /* the blocks that contain the picture */
    int padded_wide, padded_high;   /* the blocks that whole MCUs contain */
    int side;                 /* samples per row and column of a block: 1 or 2; in planes 2, 3, 4 or 8 */
    int last;                 /* of planes: the index of the last coefficient that is read, in the file's order */
    int is_unused;            /* the output needs no samples of this component */
    int expand_x, expand_y;   /* output pixels per sample */
    uint8_t *samples;         /* of planes: numbers of 16 bits, PLANE_BITS of them behind the point */
    size_t sample_bytes;      /* 1; in planes 2 */
    size_t stride;            /* in bytes */
    int rows;                 /* of `samples`; row y of the plane is at y % rows */
    int was_scanned;
    /* Progressive files only. */
    int16_t *coefficients;    /* per block; progressive.c says which ones and in which order */
    size_t coefficients_per_block;
    uint64_t *nonzero;        /* NULL, or per block a bit for each AC coefficient that is not 0, in the file's order */
    int8_t known_bits[64];    /* -1: no scan yet; otherwise the low bits that are still missing */
    int8_t first_bits[64];    /* the low bits that were missing after the coefficient's first scan */
} component;

/* One block of the MCU, the unit that the file's data repeats. */
typedef struct {
    int index;  /* in decoder.scan */
    int x, y;   /* in blocks, inside the MCU */
} mcu_block;

typedef struct decoder decoder;
typedef struct resampling resampling;

/* The state of webimage_jpeg_strips_find. */
typedef struct {
    const webimage_jpeg_strips_request *request;
    const uint8_t *data;
    int found;
} strips;

/* Pictures' data without byte stuffing: a position is a number of bits. */
typedef struct {
    const uint8_t *next;   /* the first byte that is not in the window */
    const uint8_t *end;    /* of the file */
    int is_at_marker;      /* `next` points to a marker, or to the end of the file */
    uint8_t *bytes;
    size_t capacity;
    size_t filled;
} window;

struct decoder {
    const webimage_jpeg_thumbnail_request *request;
    strips *strips; /* NULL, or only the starts of rows are wanted, and no samples */
    const uint8_t *next;
    const uint8_t *end;
    /* The file is read twice. The first time, the survey, only reads the markers and checks all that can be known without
       decoding, so that a file is passed on before any work. */
    int is_survey;

    int width, height;
    int is_progressive;
    int is_rgb;
    int is_ycck;              /* of four components; otherwise they are the inks themselves */
    int component_count;
    component components[MAX_COMPONENTS];
    int max_horizontal, max_vertical;
    int saw_frame, saw_jfif, saw_adobe, adobe_transform;

    huffman_code codes[2][4]; /* DC, AC */
    uint16_t quants[4][64];
    int has_quants[4];
    int restart_interval;

    /* The current scan. */
    int scan_count;
    int scan_components;
    component *scan[MAX_COMPONENTS];
    int dc_index[MAX_COMPONENTS], ac_index[MAX_COMPONENTS];
    int first, last, high_bit, low_bit; /* Ss, Se, Ah and Al of ITU-T T.81 */
    int mcus_wide, mcus_high;
    int blocks_in_mcu;
    mcu_block mcu[MAX_BLOCKS_IN_MCU];

    resampling *resampling; /* NULL until planes are scaled */

    window window;
    size_t done_bytes; /* of the scans before this one */
    webimage_jpeg_thumbnail_work work;

    /* The last members: the second reading keeps them. */
    const uint8_t *scan_ends[MAX_SCANS]; /* the markers behind the scans */
    /* Planes of progressive files: bits of AC coefficients after their first scan are left out. */
    int is_rough[MAX_COMPONENTS];
    size_t data_bytes;                   /* of all scans */
};

static inline uint64_t bits_at(const uint8_t *bytes, uint32_t position) {
    /* At least 57 of the returned bits are valid. */
    uint64_t word;
    memcpy(&word, bytes + (position >> 3), sizeof word);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word << (position & 7);
}

/* Returns the value of `size` extra bits at the start of `bits` (ITU-T T.81, F.2.2.1). `size` is at most 15. */
static inline int extra_value(uint64_t bits, unsigned size) {
    int value = (int)(bits >> 1 >> (63 - size));
    int is_negative = (int)(~bits >> 63);
    return value - (((1 << size) - 1) & -is_negative);
}

/* markers.c */
/* Whether the deadline has passed. */
int webimage_jt_is_late(const decoder *decoder);
/* Returns the number of MCUs until the next restart marker, or until the end of the scan. */
static inline size_t interval_length(const decoder *decoder, size_t remaining) {
    size_t interval = (size_t)decoder->restart_interval;
    return interval != 0 && interval < remaining ? interval : remaining;
}

/* tables.c */
extern const uint8_t webimage_jt_natural_order[64];
webimage_jpeg_thumbnail_status webimage_jt_check_code(const huffman_code *code, int is_dc);
/* The code must have passed the check. */
void webimage_jt_make_symbols(const huffman_code *code, symbol_table *table);
void webimage_jt_make_values(const symbol_table *symbols, int is_dc, value_table values);
/* Returns an entry of a table of values for a symbol that is not in the table. The length is 0 if the code is invalid. */
int32_t webimage_jt_long_value(const symbol_table *symbols, int is_dc, uint64_t bits);
/* Writes the tables of a pair of codes: first the table for AC coefficients, then the table for the start of a block.
   `groups` has 2 * GROUP_SIZE entries. */
void webimage_jt_make_groups(const huffman_code *dc, const huffman_code *ac, uint32_t *groups);
unsigned webimage_jt_long_symbol(const symbol_table *table, unsigned next16);

/* Returns length << 8 | symbol, or 0 for an invalid code. */
static inline unsigned next_symbol(const symbol_table *table, uint64_t bits) {
    unsigned entry = table->single[bits >> (64 - GROUP_BITS)];
    return entry ? entry : webimage_jt_long_symbol(table, (unsigned)(bits >> 48));
}

/* window.c */
webimage_jpeg_thumbnail_status webimage_jt_window_init(decoder *decoder);
/* Starts at the first byte behind a scan's header or behind a restart marker. */
void webimage_jt_window_start(decoder *decoder);
/* Appends the file's next bytes until the window is full or a marker follows, and the padding behind them. */
void webimage_jt_window_fill(window *window);
/* Removes the bytes before `position` and fills the window. Returns the new position of the same bit. */
uint32_t webimage_jt_window_advance(window *window, uint32_t position);
/* Moves `next` from a scan's data to the marker behind it. Checks the restart markers. */
webimage_jpeg_thumbnail_status webimage_jt_survey_scan(decoder *decoder);
/* Moves `next` to the next marker. */
void webimage_jt_window_skip(window *window);
/* Consumes the next restart marker. The survey has found that it is there. */
void webimage_jt_window_restart(window *window);

/* streams.c */
/* The code of a scan: tables, and the order of the tables in an MCU. */
typedef struct {
    const uint8_t *bytes;
    const uint32_t *groups;   /* for each pair of codes 2 * GROUP_SIZE entries */
    const symbol_table *dc[MAX_COMPONENTS];
    const symbol_table *ac[MAX_COMPONENTS];
    const uint32_t *first;    /* the table for the start of an MCU */
    uint32_t period;          /* after this number of blocks, the order of the tables repeats */
    /* The tables in `groups` that follow a symbol of the n-th block behind the first one of an MCU: at 2n inside the block, and at
       2n + 1 for the start of the block behind it. */
    const uint32_t *next[2 * BATCH_BLOCKS];
    uint32_t found[STREAMS][BATCH_BLOCKS]; /* the ends that streams have found in a batch of rounds */
    uint64_t rounds, slow_symbols;
} stream_code;

/* A position in the data. */
typedef struct {
    uint32_t sum;    /* the position in bits, and the number of the block's coefficients so far << 24 */
    const uint32_t *table; /* the current one of `groups` */
    uint32_t phase;  /* of the current block: its index in the MCU, modulo `period` */
    uint32_t limit;  /* the stream ends at this position or at most MAX_ROUND_BITS behind it */
    uint32_t *ends;  /* where the end of the current block is stored */
} stream;

static inline void start_stream(const stream_code *code, stream *stream, uint32_t position, uint32_t *ends) {
    stream->sum = position;
    stream->table = code->first;
    stream->phase = 0;
    stream->ends = ends;
}

/* Runs all streams until each one has reached its limit. At most STREAMS streams. */
void webimage_jt_run_streams(stream_code *code, stream *streams, int count);
/* Runs until at least one stream has reached its limit. */
void webimage_jt_run_some(stream_code *code, stream *const *streams, int count);

/* joins.c */
/* Writes the ends of all blocks from `position`, the start of an MCU, to the end of the window. Returns their number.
   `ends` has space for one entry per two bits; each of `guesses` has space for a quarter of the window and the overlap. */
size_t webimage_jt_find_blocks(
    decoder *decoder, stream_code *code, uint32_t position, uint32_t *ends, uint32_t *const guesses[STREAMS]);
/* The number of entries for a window of this capacity. */
size_t webimage_jt_ends_capacity(size_t window_bytes);
size_t webimage_jt_guesses_capacity(size_t window_bytes);

/* strict.c */
/* Decodes a block as libjpeg-turbo does, also a damaged one. `coefficients` is NULL if only the DC coefficient is needed;
   otherwise it has 64 zeros in natural order. Returns the position behind the block. */
uint32_t webimage_jt_strict_block(
    const uint8_t *bytes, uint32_t position, const symbol_table *dc, const symbol_table *ac, int32_t *prediction,
    int16_t *coefficients);
/* Decodes only the AC coefficients, from the position of their first code. */
uint32_t webimage_jt_strict_ac(
    const uint8_t *bytes, uint32_t position, const symbol_table *ac, int16_t *coefficients);
/* Writes the 2 x 2 samples of a block, for any coefficients, as libjpeg-turbo does on this processor. */
void webimage_jt_strict_samples(const int16_t *coefficients, const uint16_t *quant, uint8_t *target, size_t stride);

/* sequential.c */
/* Checks the codes and the markers of a scan, and whether the loop probably saves time. */
webimage_jpeg_thumbnail_status webimage_jt_sequential_survey(decoder *decoder);
webimage_jpeg_thumbnail_status webimage_jt_sequential_scan(decoder *decoder);
/* The sample of a block with this DC coefficient, as jpeg_idct_1x1 computes it: the factor has 16 bits with a sign, and
   libjpeg's table of samples repeats after 1024 values. */
static inline uint8_t sample_of(int dc, uint16_t quant) {
    int32_t value = (int32_t)(((uint32_t)(dc * (int16_t)quant + 4) >> 3 & 1023) ^ 512) - 512 + 128;
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

/* chroma.c */
enum {
    CHROMA_BATCH = 256,
    /* The number of entries of a list: one more for the index of a finished chain, and whole vectors. */
    CHROMA_LIST = CHROMA_BATCH + 8,
    CHROMA_SUMS = 11,
    /* The number of a block's first AC coefficient, minus one. With this number, coefficient 63 sets bit 7. */
    CHROMA_START = 65,
    /* A coefficient times its quantisation factor, and the sum over a column, must fit into 15 bits with the sign. Then
       no sum needs more than 32 bits. Other blocks are computed by strict.c. */
    CHROMA_LARGEST = (1 << 14) - 1,
};

/* How a coefficient is used: the index of the list to which it is added, and its factor. */
typedef struct {
    uint32_t list; /* multiplied by CHROMA_LIST */
    uint32_t factor;
} chroma_factor;

/* The blocks of a component whose blocks have 2 x 2 samples, and the sums from which these samples are made. */
typedef struct {
    const symbol_table *symbols;
    /* For the next 11 bits: the symbol's length with the extra bits, and the coefficients that it advances << 24. 0 if the
       symbol does not fit. */
    uint32_t steps[GROUP_SIZE];
    /* The symbol's value << 16, and its magnitude. */
    uint32_t values[GROUP_SIZE];
    chroma_factor factors[CHROMA_START + 128]; /* the indices beyond CHROMA_START + 63 mean the end of a block */
    int32_t largest[64];        /* the largest exact value of each coefficient */
    int32_t always_exact;       /* no coefficient up to this value exceeds its `largest` */
    int count;
    const uint16_t *quant;
    uint32_t starts[CHROMA_LIST]; /* the position of the AC codes and CHROMA_START << 24 */
    uint8_t *targets[CHROMA_LIST];
    uint32_t sums[CHROMA_SUMS * CHROMA_LIST];
    uint64_t rounds;
} chroma_blocks;

/* Prepares the factors. No quantisation factor is above CHROMA_LARGEST. */
void webimage_jt_chroma_init(chroma_blocks *blocks, const uint16_t *quant, const symbol_table *symbols);
/* Decodes the AC coefficients of the listed blocks, writes their samples and empties the list. For each block the caller
   has set `starts`, its target, and its DC coefficient in sums[]. */
void webimage_jt_chroma_flush(chroma_blocks *blocks, const uint8_t *bytes, size_t stride);
/* Writes the samples of a block whose coefficients, in natural order, are known. If `is_flat` is set, only the first one
   is not 0. No quantisation factor is above CHROMA_LARGEST. */
void webimage_jt_chroma_block(
    const int16_t *coefficients, const uint16_t *quant, int is_flat, uint8_t *target, size_t stride);
int webimage_jt_has_large_factor(const uint16_t *quant, int largest);

/* planes.c */
enum {
    PLANE_LANES = 16,
    PLANE_TILES = 16,
    PLANE_SLOTS = 65,  /* coefficients 0 to 63 in the file's order, and one for all that are not used */
    MAX_PLANE_SIDE = 8,
    PLANE_ROW_STEP = 64, /* the bytes of a plane's row are a multiple of this, so that a row is whole vectors */
    PLANE_PLACES = PLANE_TILES * PLANE_LANES,
    PLANE_STEPS = 4, /* symbols of a block that are read at once */
    PLANE_TILE = PLANE_SLOTS * PLANE_LANES,
    /* A factor times 8 must fit into 16 bits with a sign. */
    PLANE_LARGEST_FACTOR = 4095,
    /* Behind the point of a plane's sample. Samples of whole levels cost small results a point of SSIMULACRA2: a chroma
       sample counts for several pixels, and few samples for each pixel average their rounding away. */
    PLANE_BITS = 3,
    /* The least and the greatest sample: 128 levels below black and above white. The low coefficients of a block with a sharp
       edge swing beyond both, as the filter does; only the result is limited. With samples from black to white, text lost up to
       4 points of SSIMULACRA2. All 8 x 8 coefficients make the samples of a complete decode, which are from black to white. */
    PLANE_LEAST = -(128 << PLANE_BITS),
    PLANE_MOST = 383 << PLANE_BITS,
    PLANE_WHITE = 255 << PLANE_BITS,
};

/* What is needed only while some blocks are decoded. All components use the same memory and, if their codes are the same, the
   same tables, so that these stay in the processor's first cache. */
typedef struct {
    uint32_t starts[PLANE_PLACES]; /* the positions of the blocks' AC codes */
    int16_t dc[PLANE_PLACES];
    /* Symbols that were read: their entries in `values`, and the 32 bits behind the bits of the entries. */
    uint32_t entries[PLANE_STEPS][PLANE_PLACES], rests[PLANE_STEPS][PLANE_PLACES];
    uint32_t positions[PLANE_PLACES]; /* behind these symbols */
    /* Of the blocks of which more symbols are needed: the index of the last coefficient, where the block's numbers start in the
       tiles, and its place. */
    uint32_t indices[PLANE_PLACES], bases[PLANE_PLACES];
    uint16_t places[PLANE_PLACES];
    int16_t tiles[PLANE_TILES * PLANE_TILE];
} plane_space;

/* Adjacent blocks of a component of which only the low coefficients are decoded. Sixteen of them are a tile: it has the
   coefficients of the same index side by side, so that vector instructions compute sixteen blocks at once. */
typedef struct {
    int side;   /* samples per row and column of a block: 2, 3, 4 or 8 */
    int last;   /* as in the component */
    int is_vectorized;
    const symbol_table *symbols;
    const uint32_t *values;           /* of webimage_jt_make_plane_values */
    int16_t factors[PLANE_SLOTS];     /* the quantisation factors in the file's order, times 8 if `side` is not 2 */
    plane_space *space;
    /* Blocks that were added one by one, and where their samples belong. */
    int16_t added_tile[PLANE_TILE];
    uint8_t *added[PLANE_LANES];
    int added_count;
    uint64_t steps, slow_symbols;
} plane_blocks;

/* Whether this processor has the instructions of planes_avx2.c and resample_avx2.c, and the request allows them. */
int webimage_jt_has_avx2(const webimage_jpeg_thumbnail_planes *planes);
#if defined(__x86_64__)
/* Whether instructions that count bits and deposit them (BMI2) are there, fast, and allowed. */
int webimage_jt_has_fast_deposit(const webimage_jpeg_thumbnail_request *request);
#endif
/* Writes GROUP_SIZE entries, for the next 11 bits: value << 17 | advance << 10 | missing << 6 | length. `missing` is the number of
   the value's low bits that are behind the 11 bits. 0 if the symbol does not fit otherwise. */
void webimage_jt_make_plane_values(const symbol_table *symbols, uint32_t *values);
/* Prepares what webimage_jt_plane_samples needs. No quantisation factor is above PLANE_LARGEST_FACTOR. To decode blocks, the
   caller also sets `symbols` and `values`. */
void webimage_jt_plane_init(plane_blocks *blocks, const component *component, plane_space *space, int is_vectorized);
/* The index in the file's order of the last coefficient that blocks with `side` samples a row need, if a row of the plane has so many
   samples for each sample of the result. */
int webimage_jt_plane_last(int side, double samples);
/* Whether the samples of the component are made of this coefficient. */
int webimage_jt_plane_needs(const component *component, int index);
/* The number of MCUs that fit into the tiles, for a component with these numbers of blocks in an MCU. */
static inline size_t plane_room(int horizontal, int vertical) {
    return (size_t)(PLANE_TILES / vertical * PLANE_LANES / horizontal);
}
/* The number of tiles for a row of `columns` blocks. */
static inline size_t plane_tiles(size_t columns) { return (columns + PLANE_LANES - 1) / PLANE_LANES; }
/* Decodes the low AC coefficients of `rows` rows of blocks and writes their samples. Each row starts with a new tile. For
   each block the caller has set `starts` and `dc`. */
void webimage_jt_plane_write(
    plane_blocks *blocks, const uint8_t *bytes, size_t columns, size_t rows, uint8_t *target, size_t stride);
/* Writes the samples of `rows` rows of blocks whose coefficients are in the tiles. Here and below, the stride is in bytes. */
void webimage_jt_plane_samples(plane_blocks *blocks, size_t columns, size_t rows, uint8_t *target, size_t stride);
/* Adds a block, whose coefficients are in natural order, to those of which webimage_jt_plane_flush writes the samples.
   Sixteen blocks are written at once. */
void webimage_jt_plane_add(plane_blocks *blocks, const int16_t *coefficients, uint8_t *target, size_t stride);
void webimage_jt_plane_flush(plane_blocks *blocks, size_t stride);
/* Decodes the AC coefficients of a block one by one, up to the last one that is needed. Returns the number of symbols. */
unsigned webimage_jt_plane_scalar(const plane_blocks *blocks, const uint8_t *bytes, size_t place, int16_t *tile);

/* planes_avx2.c */
#if defined(__x86_64__)
#define HAS_AVX2_CODE 1
void webimage_jt_plane_decode_avx2(plane_blocks *blocks, const uint8_t *bytes, size_t tiles);
void webimage_jt_transform_avx2(const int16_t *tile, const int16_t *factors, int side, int16_t *rows, size_t stride);
#endif

/* transform.c */
/* Writes side x side samples of the 16 blocks of a tile, side by side. The stride is in samples. */
void webimage_jt_transform(const int16_t *tile, const int16_t *factors, int side, int16_t *rows, size_t stride);

/* ink.c */
/* Makes red, green and blue of rows of the first three planes of a file with four components. */
void webimage_jt_multiply_inks(const decoder *decoder, int start, int end);
/* Writes the inks of the planes. */
webimage_jpeg_thumbnail_status webimage_jt_write_inks(const decoder *decoder);

/* The samples of a plane that belong to the picture, along a side of `pixels`. */
static inline int plane_length(int pixels, int factor, int largest, int side) {
    int64_t eighths = (int64_t)pixels * factor * side, divisor = (int64_t)largest * 8;
    return (int)((eighths + divisor - 1) / divisor);
}

/* resample.c */
enum {
    WEIGHT_BITS = 14,
    POINT_BITS = 6, /* behind the point of a scaled sample */
    /* The factors of JFIF, with 13 bits behind the point. */
    FACTOR_BITS = 13, RED_CR = 11485, GREEN_CB = 2819, GREEN_CR = 5850, BLUE_CB = 14516,
};

/* For each output sample, the first sample of the plane and the weights of the samples from there. */
typedef struct {
    int count, taps;
    int *first;
    int16_t *weights; /* `taps` for each output sample; behind the last needed weight there are zeros */
} axis;

#if HAS_AVX2_CODE
/* resample_avx2.c: sums of rows for all columns but the last width % 32, and of columns for all samples but the last
   count % 8. Return the number of those that are done. */
size_t webimage_jt_sum_rows_avx2(
    const int16_t *const *rows, const int16_t *weights, int taps, size_t width, int16_t *target);
int webimage_jt_sum_columns_avx2(const int16_t *source, const axis *axis, int16_t *target);
#endif
/* Prepares the scaling while the planes are decoded, for a file with one scan. Only some rows of each plane are then kept: sets
   their number. */
webimage_jpeg_thumbnail_status webimage_jt_resample_early(decoder *decoder);
/* Scales the planes to the output's size and converts the colours, as far as `mcu_rows` rows of MCUs allow. */
webimage_jpeg_thumbnail_status webimage_jt_resample_rows(decoder *decoder, size_t mcu_rows);
/* Writes the rows of the output that are still missing, after all of the planes are decoded. */
webimage_jpeg_thumbnail_status webimage_jt_resample(decoder *decoder);
void webimage_jt_resample_free(decoder *decoder);
/* The rows of a component's plane, or of its samples, in a row of MCUs of the current scan. */
static inline int rows_of_mcu(const decoder *decoder, const component *component) {
    return (decoder->scan_components == 1 ? 1 : component->vertical) * component->side;
}

/* progressive.c */
/* Checks the parameters of a scan and its codes. */
webimage_jpeg_thumbnail_status webimage_jt_progressive_survey(decoder *decoder);
/* Decides which scans are read, after the last one is known. */
void webimage_jt_progressive_plan(decoder *decoder);
webimage_jpeg_thumbnail_status webimage_jt_progressive_scan(decoder *decoder);
/* Writes the samples after the last scan. */
webimage_jpeg_thumbnail_status webimage_jt_progressive_finish(decoder *decoder);

/* strips.c */
/* All strips are found. Not a status of the interface. */
#define STRIPS_FOUND WEBIMAGE_JPEG_THUMBNAIL_STATUS_COUNT
/* Hands out the strip whose data starts at this position of the window. `sums` are the DC coefficients so far. */
webimage_jpeg_thumbnail_status webimage_jt_strips_add(decoder *decoder, uint32_t position, const int32_t *sums);
/* Decodes a file, or finds its strips. */
webimage_jpeg_thumbnail_status webimage_jt_decode(
    const uint8_t *data, size_t size, const webimage_jpeg_thumbnail_request *request, strips *strips);

/* output.c */
/* Writes the output. `space` has place for four rows. */
void webimage_jt_write_rows(const decoder *decoder, uint8_t *space);

#endif
