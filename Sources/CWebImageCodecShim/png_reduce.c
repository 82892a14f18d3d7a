#include "png_reduce.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLOTS = 1024,
    MOST_COLORS = 256,
    SAMPLE_BYTES = 1 << 20, /* of the rows that are compressed with a palette and without */
    SAMPLE_EFFORT = 3,
    CHUNK_BYTES = 12,       /* around the contents of a chunk */
    SURE_BYTES = 1 << 14,   /* from here, a palette of at most 16 colours is smaller without a trial */
};

/* The colours so far, in the order in which they were found. */
typedef struct {
    uint32_t slots[SLOTS]; /* the index of a colour, plus 1; 0: free */
    uint32_t colors[MOST_COLORS];
    int count;
} color_set;

static inline unsigned slot_of(uint32_t color) { return (color * UINT32_C(2654435761)) >> 22; }

/* Returns the index of a colour, which is added if it is new; -1 if there are too many. */
static inline int find_color(color_set *set, uint32_t color) {
    unsigned slot = slot_of(color);
    while (set->slots[slot] != 0) {
        int index = (int)set->slots[slot] - 1;
        if (set->colors[index] == color) return index;
        slot = (slot + 1) % SLOTS;
    }
    if (set->count == MOST_COLORS) return -1;
    set->colors[set->count] = color;
    set->slots[slot] = (uint32_t)++set->count;
    return set->count - 1;
}

static inline uint32_t rgba(unsigned red, unsigned green, unsigned blue, unsigned alpha) {
    return red << 24 | green << 16 | blue << 8 | alpha;
}

/* Reads a pixel. The layout is a constant where this function is inlined. */
static inline __attribute__((always_inline)) uint32_t pixel_at(const uint8_t *bytes, CPNGLayout layout, bool has_alpha) {
    switch (layout) {
    case CPNG_GRAY8: return rgba(bytes[0], bytes[0], bytes[0], 255);
    case CPNG_RGB8: return rgba(bytes[0], bytes[1], bytes[2], 255);
    case CPNG_BGRA8: return rgba(bytes[2], bytes[1], bytes[0], has_alpha ? bytes[3] : 255);
    default: return rgba(bytes[0], bytes[1], bytes[2], has_alpha ? bytes[3] : 255);
    }
}

static inline bool is_gray(uint32_t color) {
    return color >> 24 == (color >> 16 & 255) && color >> 24 == (color >> 8 & 255);
}

typedef struct {
    bool is_opaque, is_gray, has_palette;
    uint8_t used[256]; /* grey values */
} survey;

static size_t step_of(CPNGLayout layout) { return layout == CPNG_GRAY8 ? 1 : layout == CPNG_RGB8 ? 3 : 4; }

/* Ends as soon as nothing smaller is possible, which is after some hundred pixels of a photo. */
static inline __attribute__((always_inline)) void look(
    const cpng_picture *picture, CPNGLayout layout, color_set *set, survey *survey) {
    const size_t step = step_of(layout);
    for (size_t y = 0; y < picture->height; y++) {
        const uint8_t *bytes = picture->rows + y * picture->stride;
        uint32_t before = 0;
        bool has_before = false;
        if (!survey->is_gray && !survey->has_palette && !survey->is_opaque) return;
        if (!survey->is_gray && !survey->has_palette && !picture->has_alpha) return;
        for (size_t x = 0; x < picture->width; x++, bytes += step) {
            uint32_t color = pixel_at(bytes, layout, picture->has_alpha);
            if (has_before && color == before) continue;
            before = color;
            has_before = true;
            if ((color & 255) != 255) survey->is_opaque = false;
            if (!is_gray(color)) survey->is_gray = false;
            survey->used[color >> 24] = 1;
            if (survey->has_palette && find_color(set, color) < 0) survey->has_palette = false;
        }
    }
}

/* The bits that hold every grey value exactly. */
static int gray_depth(const uint8_t *used) {
    int depth = 1;
    for (int value = 0; value < 256; value++) {
        if (!used[value]) continue;
        while (depth < 8 && value % (255 / ((1 << depth) - 1)) != 0) depth *= 2;
    }
    return depth;
}

static int palette_depth(int count) { return count <= 2 ? 1 : count <= 4 ? 2 : count <= 16 ? 4 : 8; }

/* Packs a value for each pixel: its place in the palette, or its grey value. */
static inline __attribute__((always_inline)) void pack(
    const cpng_picture *picture, CPNGLayout layout, const cpng_reduction *reduction, color_set *set, const uint8_t *places) {
    const size_t step = step_of(layout);
    const int depth = reduction->depth, in_byte = 8 / depth, scale = 255 / ((1 << depth) - 1);
    const bool has_palette = reduction->color == PNG_COLOR_TYPE_PALETTE;
    for (size_t y = 0; y < picture->height; y++) {
        const uint8_t *bytes = picture->rows + y * picture->stride;
        uint8_t *target = reduction->rows + y * reduction->row_bytes;
        unsigned packed = 0;
        for (size_t x = 0; x < picture->width; x++, bytes += step) {
            uint32_t color = pixel_at(bytes, layout, picture->has_alpha);
            unsigned value = has_palette ? places[find_color(set, color)] : (color >> 24) / (unsigned)scale;
            packed = packed << depth | value;
            if ((int)(x % (size_t)in_byte) == in_byte - 1) {
                *target++ = (uint8_t)packed;
                packed = 0;
            }
        }
        size_t rest = picture->width % (size_t)in_byte;
        if (rest != 0) *target = (uint8_t)(packed << (depth * (in_byte - (int)rest)));
    }
}

static void look_at(const cpng_picture *picture, color_set *set, survey *survey) {
    switch (picture->layout) {
    case CPNG_GRAY8: look(picture, CPNG_GRAY8, set, survey); break;
    case CPNG_RGB8: look(picture, CPNG_RGB8, set, survey); break;
    case CPNG_BGRA8: look(picture, CPNG_BGRA8, set, survey); break;
    default: look(picture, CPNG_RGBA8, set, survey); break;
    }
}

static void pack_all(const cpng_picture *picture, const cpng_reduction *reduction, color_set *set, const uint8_t *places) {
    switch (picture->layout) {
    case CPNG_GRAY8: pack(picture, CPNG_GRAY8, reduction, set, places); break;
    case CPNG_RGB8: pack(picture, CPNG_RGB8, reduction, set, places); break;
    case CPNG_BGRA8: pack(picture, CPNG_BGRA8, reduction, set, places); break;
    default: pack(picture, CPNG_RGBA8, reduction, set, places); break;
    }
}

/* Transparent colours come first, so that the file lists only their alpha. Otherwise the colours are in the order of their
   brightness: neighbours in the picture are then often neighbours in the palette, which filters use. */
static void sort_palette(const color_set *set, cpng_reduction *reduction, uint8_t *places) {
    int order[MOST_COLORS];
    uint32_t keys[MOST_COLORS];
    for (int index = 0; index < set->count; index++) {
        uint32_t color = set->colors[index];
        uint32_t light = (color >> 24) * 2 + (color >> 16 & 255) * 4 + (color >> 8 & 255);
        keys[index] = (uint32_t)((color & 255) == 255) << 31 | light << 8;
        int place = index;
        for (; place > 0 && keys[order[place - 1]] > keys[index]; place--) order[place] = order[place - 1];
        order[place] = index;
    }
    for (int place = 0; place < set->count; place++) {
        uint32_t color = set->colors[order[place]];
        places[order[place]] = (uint8_t)place;
        for (int channel = 0; channel < 4; channel++)
            reduction->palette[place][channel] = (uint8_t)(color >> (24 - 8 * channel));
        if ((color & 255) != 255) reduction->transparent_count = place + 1;
    }
    reduction->color_count = set->count;
}

bool cpng_reduce(const cpng_picture *picture, bool may_be_gray, bool may_have_palette, cpng_reduction *reduction) {
    memset(reduction, 0, sizeof *reduction);
    if (picture->layout == CPNG_RGBA16 || picture->layout == CPNG_GRAY16) return false;
    const bool was_gray = picture->layout == CPNG_GRAY8;
    color_set *set = calloc(1, sizeof *set);
    if (set == NULL) return false;
    survey survey = {
        .is_opaque = true, .is_gray = may_be_gray || was_gray, .has_palette = may_have_palette && (may_be_gray || !was_gray)};
    look_at(picture, set, &survey);
    reduction->drops_alpha = picture->has_alpha && survey.is_opaque;
    reduction->color = picture->has_alpha && !survey.is_opaque ? PNG_COLOR_TYPE_RGB_ALPHA
                       : was_gray ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB;
    reduction->depth = 8;
    uint8_t places[MOST_COLORS] = {0};
    if (survey.is_gray && survey.is_opaque) {
        reduction->color = PNG_COLOR_TYPE_GRAY;
        reduction->depth = gray_depth(survey.used);
    }
    const bool is_gray = reduction->color == PNG_COLOR_TYPE_GRAY;
    if (survey.has_palette && (!is_gray || palette_depth(set->count) < reduction->depth)) {
        reduction->color = PNG_COLOR_TYPE_PALETTE;
        reduction->depth = palette_depth(set->count);
        sort_palette(set, reduction, places);
    }
    const bool is_packed = reduction->depth < 8 || reduction->color == PNG_COLOR_TYPE_PALETTE || (is_gray && !was_gray);
    if (is_packed) {
        reduction->row_bytes = (picture->width * (size_t)reduction->depth + 7) / 8;
        reduction->rows = malloc(reduction->row_bytes * picture->height);
        if (reduction->rows != NULL) pack_all(picture, reduction, set, places);
    }
    free(set);
    return is_packed ? reduction->rows != NULL : reduction->drops_alpha;
}

cpng_picture cpng_reduced_picture(const cpng_picture *picture, const cpng_reduction *reduction) {
    cpng_picture reduced = *picture;
    if (reduction->drops_alpha) reduced.has_alpha = false;
    if (reduction->rows != NULL) {
        /* The filters work on bytes, of which there is one for each pixel or less. */
        reduced.layout = CPNG_GRAY8;
        reduced.has_alpha = false;
        reduced.width = reduction->row_bytes;
        reduced.rows = reduction->rows;
        reduced.stride = reduction->row_bytes;
    }
    return reduced;
}

static size_t compressed_bytes(cpng_picture picture, size_t first, size_t rows) {
    picture.rows += first * picture.stride;
    picture.height = rows;
    uint8_t *bytes = NULL;
    size_t count = 0;
    bool is_done = cpng_deflate_picture(&picture, SAMPLE_EFFORT, &bytes, &count);
    free(bytes);
    return is_done ? count : SIZE_MAX;
}

bool cpng_palette_pays(const cpng_picture *picture, const cpng_reduction *reduction) {
    cpng_picture without = *picture;
    without.has_alpha = picture->has_alpha && !reduction->drops_alpha;
    size_t bytes = cpng_filtered_bytes(&without);
    if (reduction->depth < 8 && bytes >= SURE_BYTES) return true;
    size_t rows = bytes <= SAMPLE_BYTES ? picture->height : SAMPLE_BYTES / (bytes / picture->height);
    if (rows == 0) rows = 1;
    size_t first = (picture->height - rows) / 2;
    size_t palette = CHUNK_BYTES + 3 * (size_t)reduction->color_count;
    if (reduction->transparent_count > 0) palette += CHUNK_BYTES + (size_t)reduction->transparent_count;
    return compressed_bytes(cpng_reduced_picture(picture, reduction), first, rows) + palette * rows / picture->height
        < compressed_bytes(without, first, rows);
}
