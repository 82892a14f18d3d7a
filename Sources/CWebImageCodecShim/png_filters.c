#include "png_filters.h"

#include "../CWebImageDeflate/shim.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* The filters of PNG (third edition, §9) from the side of the writer: each byte is replaced by its difference to a prediction
   from the bytes left of it, above it and left above it. Unlike a reader, a writer knows all bytes, so that no pixel waits
   for another one. The bytes before a row are zeros. */

enum { NONE, SUB, UP, AVERAGE, PAETH, FILTER_COUNT };

enum {
    LARGEST_PIXEL = 8,
    ROW_MARGIN = 16,       /* zeros before a row */
    ROWS_UNTIL_STOP = 64,  /* how often `should_stop` is asked */
    SAMPLE_ROWS = 16,      /* the rows of one part of the sample */
    SAMPLE_PARTS = 6,
    SAMPLE_SHARE = 8,      /* at most an eighth of the rows */
    PAIRS_UNTIL_LIMIT = 128,
    NOISE_LEVEL = 1,       /* of libdeflate */
    LEAST_PAIRED_ROW = 256, /* the bytes of a row below which its pairs of bytes say little */
};

static inline uint8_t paeth(int left, int up, int corner) {
    int to_left = abs(up - corner), to_up = abs(left - corner), to_corner = abs(up + left - 2 * corner);
    return (uint8_t)(to_left <= to_up && to_left <= to_corner ? left : to_up <= to_corner ? up : corner);
}

static inline uint8_t predicted(int filter, int left, int up, int corner) {
    switch (filter) {
    case SUB: return (uint8_t)left;
    case UP: return (uint8_t)up;
    case AVERAGE: return (uint8_t)((left + up) / 2);
    case PAETH: return paeth(left, up, corner);
    default: return 0;
    }
}

#ifdef __SSE2__
static inline __m128i load(const uint8_t *bytes) { return _mm_loadu_si128((const __m128i *)bytes); }

static inline __m128i distance(__m128i a, __m128i b) { return _mm_or_si128(_mm_subs_epu8(a, b), _mm_subs_epu8(b, a)); }

/* Whether a <= b, for each byte. */
static inline __m128i is_at_most(__m128i a, __m128i b) { return _mm_cmpeq_epi8(_mm_min_epu8(a, b), a); }

static inline __m128i choose(__m128i mask, __m128i yes, __m128i no) {
    return _mm_or_si128(_mm_and_si128(mask, yes), _mm_andnot_si128(mask, no));
}

/* In bytes, without wider numbers: if `left` and `up` are on the same side of `corner`, the distance of the sum to `corner` is
   the sum of the two other distances and never the least. Otherwise it is their difference. */
static inline __m128i paeth_vector(__m128i left, __m128i up, __m128i corner) {
    __m128i to_left = distance(up, corner), to_up = distance(left, corner);
    __m128i are_opposite = _mm_xor_si128(is_at_most(corner, up), is_at_most(corner, left));
    __m128i to_corner = _mm_or_si128(distance(to_left, to_up), _mm_xor_si128(are_opposite, _mm_set1_epi8(-1)));
    __m128i takes_left = _mm_and_si128(is_at_most(to_left, to_up), is_at_most(to_left, to_corner));
    return choose(takes_left, left, choose(is_at_most(to_up, to_corner), up, corner));
}

static inline __m128i predicted_vector(int filter, __m128i left, __m128i up, __m128i corner) {
    switch (filter) {
    case SUB: return left;
    case UP: return up;
    case AVERAGE:
        /* The instruction rounds up, the filter down. */
        return _mm_sub_epi8(_mm_avg_epu8(left, up), _mm_and_si128(_mm_xor_si128(left, up), _mm_set1_epi8(1)));
    case PAETH: return paeth_vector(left, up, corner);
    default: return _mm_setzero_si128();
    }
}
#endif

/* Writes the filtered row to `target` if it is not NULL. Otherwise returns the sum of the magnitudes of the differences. */
static inline __attribute__((always_inline)) uint64_t apply(
    int filter, const uint8_t *row, const uint8_t *above, size_t count, size_t pixel, uint8_t *target) {
    uint64_t total = 0;
    size_t i = 0;
#ifdef __SSE2__
    const __m128i zero = _mm_setzero_si128();
    __m128i sums = zero;
    for (; i + 16 <= count; i += 16) {
        __m128i value = _mm_sub_epi8(
            load(row + i), predicted_vector(filter, load(row + i - pixel), load(above + i), load(above + i - pixel)));
        if (target) _mm_storeu_si128((__m128i *)(target + i), value);
        else sums = _mm_add_epi64(sums, _mm_sad_epu8(_mm_min_epu8(value, _mm_sub_epi8(zero, value)), zero));
    }
    total = (uint64_t)_mm_cvtsi128_si64(sums) + (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(sums, sums));
#endif
    for (; i < count; i++) {
        uint8_t value = (uint8_t)(row[i] - predicted(filter, *(row + i - pixel), above[i], *(above + i - pixel)));
        if (target) target[i] = value;
        else total += value < 128 ? value : 256u - value;
    }
    return total;
}

static uint64_t run(int filter, const uint8_t *row, const uint8_t *above, size_t count, size_t pixel, uint8_t *target) {
    switch (filter) {
    case NONE: return apply(NONE, row, above, count, pixel, target);
    case SUB: return apply(SUB, row, above, count, pixel, target);
    case UP: return apply(UP, row, above, count, pixel, target);
    case AVERAGE: return apply(AVERAGE, row, above, count, pixel, target);
    default: return apply(PAETH, row, above, count, pixel, target);
    }
}

/* The filter whose differences have the least sum: small numbers repeat more often. */
static int best_filter(const uint8_t *row, const uint8_t *above, size_t count, size_t pixel) {
    int best = NONE;
    uint64_t least = UINT64_MAX;
    for (int filter = NONE; filter < FILTER_COUNT; filter++) {
        uint64_t total = run(filter, row, above, count, pixel, NULL);
        if (total >= least) continue;
        least = total;
        best = filter;
    }
    return best;
}

/* The pairs of neighbouring bytes that a row has had. A pair is in the newest row if its mark is that row's. */
typedef struct {
    uint8_t marks[65536];
    uint8_t newest;
    int filter; /* of the row before */
} pair_set;

/* Returns the number of different pairs, of every second place, or `limit` if there are that many. */
static size_t count_pairs(pair_set *set, const uint8_t *bytes, size_t count, size_t limit) {
    if (set->newest == UINT8_MAX) {
        memset(set->marks, 0, sizeof set->marks);
        set->newest = 0;
    }
    const uint8_t newest = ++set->newest;
    size_t different = 0;
    for (size_t i = 1; i < count && different < limit;) {
        const size_t end = i + PAIRS_UNTIL_LIMIT < count ? i + PAIRS_UNTIL_LIMIT : count;
        for (; i < end; i += 2) {
            uint8_t *mark = &set->marks[bytes[i - 1] << 8 | bytes[i]];
            different += *mark != newest;
            *mark = newest;
        }
    }
    return different < limit ? different : limit;
}

/* The filter with the fewest different pairs of bytes. Rows of text and drawings, whose sums are small with a filter, repeat more
   without one. The filter of the row before is tried first: the others then have too many pairs sooner. */
static int most_repeating_filter(
    pair_set *set, const uint8_t *row, const uint8_t *above, size_t count, size_t pixel, uint8_t *filtered) {
    int best = set->filter;
    size_t fewest = SIZE_MAX;
    for (int turn = 0; turn < FILTER_COUNT; turn++) {
        const int filter = turn == 0 ? set->filter : turn <= set->filter ? turn - 1 : turn;
        run(filter, row, above, count, pixel, filtered);
        size_t pairs = count_pairs(set, filtered, count, fewest);
        if (pairs >= fewest) continue;
        fewest = pairs;
        best = filter;
    }
    set->filter = best;
    return best;
}

/* Copies a row into the order of the file. */
static void pack(const cpng_picture *picture, const uint8_t *row, uint8_t *target) {
    size_t width = picture->width;
    switch (picture->layout) {
    case CPNG_GRAY8: memcpy(target, row, width); break;
    case CPNG_GRAY16:
        for (size_t x = 0; x < width; x++) {
            uint16_t value;
            memcpy(&value, row + x * 2, 2);
            *target++ = (uint8_t)(value >> 8);
            *target++ = (uint8_t)value;
        }
        break;
    case CPNG_STORED: memcpy(target, row, width * picture->stored_pixel_bytes); break;
    case CPNG_RGB8: memcpy(target, row, width * 3); break;
    case CPNG_RGBA8:
        if (picture->has_alpha) memcpy(target, row, width * 4);
        else for (size_t x = 0; x < width; x++, row += 4, target += 3) memcpy(target, row, 3);
        break;
    case CPNG_BGRA8:
        for (size_t x = 0; x < width; x++, row += 4) {
            *target++ = row[2];
            *target++ = row[1];
            *target++ = row[0];
            if (picture->has_alpha) *target++ = row[3];
        }
        break;
    case CPNG_RGBA16:
        for (size_t x = 0; x < width; x++, row += 8)
            for (size_t channel = 0; channel < (picture->has_alpha ? 4u : 3u); channel++) {
                uint16_t value;
                memcpy(&value, row + channel * 2, 2);
                *target++ = (uint8_t)(value >> 8);
                *target++ = (uint8_t)value;
            }
        break;
    }
}

static size_t pixel_bytes(const cpng_picture *picture) {
    if (picture->layout == CPNG_STORED) return picture->stored_pixel_bytes;
    size_t channels = picture->layout <= CPNG_GRAY16 ? 1 : picture->layout > CPNG_RGB8 && picture->has_alpha ? 4 : 3;
    return picture->layout == CPNG_RGBA16 || picture->layout == CPNG_GRAY16 ? channels * 2 : channels;
}

/* How the rows are filtered. From ONE_FILTER on, all rows with the filter of this number: ONE_FILTER + SUB and so on. */
typedef enum { LEAST_SUM, FEWEST_PAIRS, ONE_FILTER, FILTERING_COUNT = ONE_FILTER + FILTER_COUNT } filtering;

/* The memory of the filters. A row has a margin before it. */
typedef struct {
    uint8_t *rows[2];
    uint8_t *trial; /* a filtered row */
    pair_set *pairs;
    size_t row_bytes;
} filter_space;

static void free_space(filter_space *space) {
    free(space->rows[0]);
    free(space->pairs);
}

static bool make_space(filter_space *space, const cpng_picture *picture) {
    space->row_bytes = picture->width * pixel_bytes(picture);
    const size_t line = ROW_MARGIN + space->row_bytes;
    uint8_t *rows = calloc(3, line);
    space->pairs = calloc(1, sizeof *space->pairs);
    space->rows[0] = rows;
    if (!rows || !space->pairs) {
        free_space(space);
        return false;
    }
    space->rows[1] = rows + line;
    space->trial = rows + 2 * line + ROW_MARGIN;
    return true;
}

static int chosen_filter(
    filtering filtering, const filter_space *space, const uint8_t *row, const uint8_t *above, size_t pixel) {
    if (filtering >= ONE_FILTER) return (int)filtering - ONE_FILTER;
    if (filtering == FEWEST_PAIRS)
        return most_repeating_filter(space->pairs, row, above, space->row_bytes, pixel, space->trial);
    return best_filter(row, above, space->row_bytes, pixel);
}

/* Writes the filtered rows from `first` to `end`, each behind the number of its filter. Returns false if it was stopped. */
static bool filter_rows(
    const cpng_picture *picture, size_t first, size_t end, filtering filtering, filter_space *space, uint8_t *target) {
    const size_t pixel = pixel_bytes(picture), count = space->row_bytes;
    uint8_t *row = space->rows[0] + ROW_MARGIN, *above = space->rows[1] + ROW_MARGIN;
    if (first > 0) pack(picture, picture->rows + (first - 1) * picture->stride, above);
    else memset(above, 0, count);
    for (size_t y = first; y < end; y++, target += count + 1) {
        if (y % ROWS_UNTIL_STOP == 0 && picture->should_stop && picture->should_stop()) return false;
        pack(picture, picture->rows + y * picture->stride, row);
        const int filter = chosen_filter(filtering, space, row, above, pixel);
        target[0] = (uint8_t)filter;
        run(filter, row, above, count, pixel, target + 1);
        uint8_t *done = above;
        above = row;
        row = done;
    }
    return true;
}

size_t cpng_filtered_bytes(const cpng_picture *picture) {
    return (picture->width * pixel_bytes(picture) + 1) * picture->height;
}

/* Returns the number of bytes, or 0. */
static size_t deflate_to(
    int level, const uint8_t *bytes, size_t count, uint8_t **target, size_t *capacity) {
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(level);
    if (!compressor) return 0;
    size_t bound = libdeflate_zlib_compress_bound(compressor, count);
    if (bound > *capacity) {
        free(*target);
        *target = malloc(bound);
        *capacity = *target ? bound : 0;
    }
    size_t written = *target ? libdeflate_zlib_compress(compressor, bytes, count, *target, *capacity) : 0;
    libdeflate_free_compressor(compressor);
    return written;
}

/* Memory in large pages, if it is large: to get 6 MB in small pages takes as long as to filter a photo of 2 megapixels. */
static uint8_t *large_memory(size_t count) {
    enum { LARGE_PAGE = 2 << 20 };
    if (count < LARGE_PAGE) return malloc(count);
    size_t whole = (count + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
    uint8_t *memory = aligned_alloc(LARGE_PAGE, whole);
    /* The last page is not filled, and would cost more memory than it saves time. */
    if (memory) madvise(memory, whole - LARGE_PAGE, MADV_HUGEPAGE);
    return memory;
}

/* What an effort from 1 to 9 means. */
typedef struct {
    int level;        /* of libdeflate */
    int packed_level; /* if the picture becomes smaller than a sixteenth: a higher level then takes little time */
    int sample_level; /* of the sample that decides how rows are filtered; 0: by their least sums */
} effort;

static const effort efforts[10] = {
    {0}, {1, 1, 0}, {2, 2, 0}, {3, 4, 1}, {4, 7, 1}, {5, 7, 1}, {6, 8, 1}, {8, 9, 3}, {10, 9, 5}, {12, 9, 5},
};

/* What is compressed as a sample. Rows of photos have no repeats, so that counting their pairs is of no use. */
static bool is_sampled(filtering filtering, int level, const filter_space *space, const size_t *counts) {
    switch ((int)filtering) {
    case ONE_FILTER + SUB: return level > 1;
    case FEWEST_PAIRS:
        return space->row_bytes >= LEAST_PAIRED_ROW && counts[ONE_FILTER + NONE] < counts[LEAST_SUM] + counts[LEAST_SUM] / 3;
    case ONE_FILTER + AVERAGE:
    case ONE_FILTER + PAETH: return false;
    default: return true;
    }
}

/* The bands of rows that are a sample of the picture. */
typedef struct { size_t rows, parts; } sample_bands;

/* Filters the sample. Returns its bytes. */
static size_t filter_sample(
    const cpng_picture *picture, sample_bands bands, filtering filtering, filter_space *space, uint8_t *filtered) {
    size_t used = 0;
    for (size_t part = 0; part < bands.parts; part++) {
        size_t first = bands.parts == 1 ? 0 : (picture->height - bands.rows) * part / (bands.parts - 1);
        if (!filter_rows(picture, first, first + bands.rows, filtering, space, filtered + used)) break;
        used += bands.rows * (space->row_bytes + 1);
    }
    return used;
}

/* Compresses a sample with different filters. Returns those with the fewest bytes, and sets *level to that for the whole. */
static filtering best_filtering(
    const cpng_picture *picture, const effort *effort, filter_space *space, uint8_t *filtered, int *level) {
    sample_bands bands = {SAMPLE_ROWS, picture->height / (SAMPLE_ROWS * SAMPLE_SHARE)};
    if (bands.parts > SAMPLE_PARTS) bands.parts = SAMPLE_PARTS;
    if (bands.parts < 2) bands = (sample_bands){picture->height, 1};
    size_t counts[FILTERING_COUNT] = {0}, used = 0, capacity = 0;
    filtering best = LEAST_SUM;
    uint8_t *target = NULL;
    for (int turn = 0; turn < FILTERING_COUNT; turn++) {
        /* The count without filters decides if pairs are counted. */
        const filtering filtering = (LEAST_SUM + turn * (FILTERING_COUNT - 1)) % FILTERING_COUNT;
        if (!is_sampled(filtering, effort->sample_level, space, counts)) continue;
        used = filter_sample(picture, bands, filtering, space, filtered);
        size_t count = deflate_to(effort->sample_level, filtered, used, &target, &capacity);
        /* Rows without filters, unless they are noise, repeat rows far above, of which a sample has few. */
        if (filtering == ONE_FILTER + NONE && bands.parts > 1 && count <= used / 2) count -= count / 12;
        counts[filtering] = count;
        if (count > 0 && count < counts[best]) best = filtering;
    }
    if (counts[best] < used / 16) {
        *level = effort->packed_level;
    } else if (counts[best] > used / 2) {
        /* In noise, longer searches find short repeats whose codes are longer than those of the bytes. */
        used = filter_sample(picture, bands, best, space, filtered);
        const size_t least = deflate_to(NOISE_LEVEL, filtered, used, &target, &capacity);
        if (least > 0 && least <= deflate_to(effort->level, filtered, used, &target, &capacity)) *level = NOISE_LEVEL;
    }
    free(target);
    return best;
}

/* Compresses filtered rows, and takes the result if it is the smallest so far. */
static void try_filtering(
    const cpng_picture *picture, filtering filtering, int level, filter_space *space, uint8_t *filtered, uint8_t **bytes,
    size_t *count) {
    if (!filter_rows(picture, 0, picture->height, filtering, space, filtered)) return;
    uint8_t *other = NULL;
    size_t capacity = 0, written = deflate_to(level, filtered, cpng_filtered_bytes(picture), &other, &capacity);
    if (written > 0 && (!*bytes || written < *count)) {
        uint8_t *worse = *bytes;
        *bytes = other;
        *count = written;
        other = worse;
    }
    free(other);
}

static bool deflate_picture(const cpng_picture *picture, int wanted, bool tries_all, uint8_t **bytes, size_t *count) {
    const effort effort = efforts[wanted < 1 ? 1 : wanted > 9 ? 9 : wanted];
    *bytes = NULL;
    *count = 0;
    filter_space space;
    if (!make_space(&space, picture)) return false;
    uint8_t *filtered = large_memory(cpng_filtered_bytes(picture) + ROW_MARGIN);
    filtering first = LEAST_SUM;
    int level = effort.level;
    if (filtered && effort.sample_level > 0) first = best_filtering(picture, &effort, &space, filtered, &level);
    if (filtered) try_filtering(picture, first, level, &space, filtered, bytes, count);
    for (filtering other = LEAST_SUM; *bytes && tries_all && other < FILTERING_COUNT; other++)
        if (other != first) try_filtering(picture, other, level, &space, filtered, bytes, count);
    free(filtered);
    free_space(&space);
    if (*bytes && !(picture->should_stop && picture->should_stop())) return true;
    free(*bytes);
    *bytes = NULL;
    return false;
}

bool cpng_deflate_picture(const cpng_picture *picture, int effort, uint8_t **bytes, size_t *count) {
    return deflate_picture(picture, effort, false, bytes, count);
}

bool cpng_deflate_smallest(const cpng_picture *picture, int effort, uint8_t **bytes, size_t *count) {
    return deflate_picture(picture, effort, effort >= 7, bytes, count);
}
