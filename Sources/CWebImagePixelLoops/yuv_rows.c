#include "YUVRows.h"

#include "../CWebImageYUV/shim.h"
#include <stdbool.h>
#include <string.h>
#include <wchar.h>

/* Each width that is passed to libyuv is a multiple of this number of pixels. Such a width fills whole vectors:
   libyuv's longest vectors have 64 bytes, and a sample has at least one byte. */
enum { WHOLE = 64 };
/* The maximum number of rows that are copied to the stack at the same time. */
enum { BLOCK = 8 };
/* The size of the largest pixel in bytes: four channels of 16 bits. */
enum { LARGEST = 8 };

typedef struct {
    uint8_t *start;
    int stride;
    /* The number of bytes per pixel; 0 if the plane is missing. */
    int bytes;
} plane;

typedef struct {
    plane source[4];
    plane target[4];
    int width;
    int height;
    /* Whether the function leaves some bytes of the target unchanged. Such a target must be copied to the stack before
       the call. */
    bool reads_target;
    bool mirrors;
    const uint8_t *order;
} job;

typedef int (*row_function)(const job *);

static plane in8(const uint8_t *start, int stride, int bytes) {
    return (plane){(uint8_t *)start, stride, start ? bytes : 0};
}

static plane in16(const uint16_t *start, int stride, int bytes) { return in8((const uint8_t *)start, stride, bytes); }

static void copy(const uint8_t *source, int source_stride, uint8_t *target, int stride, size_t bytes, int rows) {
    for (int row = 0; row < rows; row++) {
        memcpy(target + (ptrdiff_t)row * stride, source + (ptrdiff_t)row * source_stride, bytes);
    }
}

/* Processes the last `width % WHOLE` pixels of `rows` rows. Copies these pixels to the stack and pads each row to WHOLE
   pixels. */
static int run_tail(const job *all, row_function function, int first_row, int rows) {
    static const int row_bytes = WHOLE * LARGEST;
    _Alignas(64) uint8_t sources[4][BLOCK * WHOLE * LARGEST];
    _Alignas(64) uint8_t targets[4][BLOCK * WHOLE * LARGEST];
    int tail = all->width % WHOLE, bulk = all->width - tail;
    job padded = *all;
    padded.width = WHOLE;
    padded.height = rows;
    for (int i = 0; i < 4; i++) {
        const plane *source = &all->source[i], *target = &all->target[i];
        if (source->bytes) {
            /* If the function mirrors rows, put the padding before the pixels. The mirrored pixels are then at the
               start of the row. */
            int before = all->mirrors ? WHOLE - tail : 0;
            memset(sources[i], 0, (size_t)rows * row_bytes);
            copy(
                source->start + (ptrdiff_t)first_row * source->stride + (ptrdiff_t)bulk * source->bytes, source->stride,
                sources[i] + before * source->bytes, row_bytes, (size_t)tail * source->bytes, rows);
            padded.source[i] = (plane){sources[i], row_bytes, source->bytes};
        }
        if (target->bytes) {
            if (all->reads_target) {
                memset(targets[i], 0, (size_t)rows * row_bytes);
                copy(
                    target->start + (ptrdiff_t)first_row * target->stride + (ptrdiff_t)bulk * target->bytes,
                    target->stride, targets[i], row_bytes, (size_t)tail * target->bytes, rows);
            }
            padded.target[i] = (plane){targets[i], row_bytes, target->bytes};
        }
    }
    int result = function(&padded);
    for (int i = 0; i < 4; i++) {
        const plane *target = &all->target[i];
        if (!target->bytes) continue;
        copy(
            targets[i], row_bytes,
            target->start + (ptrdiff_t)first_row * target->stride + (ptrdiff_t)(all->mirrors ? 0 : bulk) * target->bytes,
            target->stride, (size_t)tail * target->bytes, rows);
    }
    return result;
}

static int run(const job *all, row_function function) {
    int tail = all->width % WHOLE, result = 0;
    if (all->width <= 0 || all->height <= 0) return 0;
    if (all->width > tail) {
        job bulk = *all;
        bulk.width -= tail;
        if (all->mirrors) {
            for (int i = 0; i < 4; i++) bulk.target[i].start += (ptrdiff_t)tail * bulk.target[i].bytes;
        }
        result = function(&bulk);
    }
    for (int row = 0; tail && row < all->height && result == 0; row += BLOCK) {
        result = run_tail(all, function, row, all->height - row < BLOCK ? all->height - row : BLOCK);
    }
    return result;
}

#define SOURCE(i) j->source[i].start, j->source[i].stride
#define TARGET(i) j->target[i].start, j->target[i].stride
#define SOURCE16(i) (const uint16_t *)j->source[i].start, j->source[i].stride / 2
#define TARGET16(i) (uint16_t *)j->target[i].start, j->target[i].stride / 2
#define SIDES j->width, j->height

/* VOID_ROWS is for libyuv functions that return nothing. INT_ROWS is for libyuv functions that return an error code. */
#define VOID_ROWS(name, call) \
    static int name(const job *j) { \
        call; \
        return 0; \
    }
#define INT_ROWS(name, call) \
    static int name(const job *j) { return call; }

VOID_ROWS(split_rgb, SplitRGBPlane(SOURCE(0), TARGET(0), TARGET(1), TARGET(2), SIDES))

int webimage_yuv_split_rgb(
    const uint8_t *source, int stride, uint8_t *r, int r_stride, uint8_t *g, int g_stride, uint8_t *b, int b_stride,
    int width, int height) {
    job all = {
        .source = {in8(source, stride, 3)}, .target = {{r, r_stride, 1}, {g, g_stride, 1}, {b, b_stride, 1}},
        .width = width, .height = height};
    return run(&all, split_rgb);
}

VOID_ROWS(split_bgra, SplitARGBPlane(SOURCE(0), TARGET(0), TARGET(1), TARGET(2), TARGET(3), SIDES))

int webimage_yuv_split_bgra(
    const uint8_t *source, int stride, uint8_t *r, int r_stride, uint8_t *g, int g_stride, uint8_t *b, int b_stride,
    uint8_t *a, int a_stride, int width, int height) {
    job all = {
        .source = {in8(source, stride, 4)},
        .target = {{r, r_stride, 1}, {g, g_stride, 1}, {b, b_stride, 1}, {a, a_stride, a ? 1 : 0}},
        .width = width, .height = height};
    return run(&all, split_bgra);
}

VOID_ROWS(split_pairs16, SplitUVPlane_16(SOURCE16(0), TARGET16(0), TARGET16(1), SIDES, 16))

int webimage_yuv_split_pairs16(
    const uint16_t *source, int stride, uint16_t *first, int first_stride, uint16_t *second, int second_stride, int width,
    int height) {
    job all = {
        .source = {in16(source, stride, 4)},
        .target = {{(uint8_t *)first, first_stride, 2}, {(uint8_t *)second, second_stride, 2}},
        .width = width, .height = height};
    return run(&all, split_pairs16);
}

VOID_ROWS(merge_rgb, MergeRGBPlane(SOURCE(0), SOURCE(1), SOURCE(2), TARGET(0), SIDES))

int webimage_yuv_merge_rgb(
    const uint8_t *r, int r_stride, const uint8_t *g, int g_stride, const uint8_t *b, int b_stride, uint8_t *target,
    int stride, int width, int height) {
    job all = {
        .source = {in8(r, r_stride, 1), in8(g, g_stride, 1), in8(b, b_stride, 1)}, .target = {{target, stride, 3}},
        .width = width, .height = height};
    return run(&all, merge_rgb);
}

VOID_ROWS(merge_bgra, MergeARGBPlane(SOURCE(0), SOURCE(1), SOURCE(2), SOURCE(3), TARGET(0), SIDES))

int webimage_yuv_merge_bgra(
    const uint8_t *r, int r_stride, const uint8_t *g, int g_stride, const uint8_t *b, int b_stride, const uint8_t *a,
    int a_stride, uint8_t *target, int stride, int width, int height) {
    job all = {
        .source = {in8(r, r_stride, 1), in8(g, g_stride, 1), in8(b, b_stride, 1), in8(a, a_stride, 1)},
        .target = {{target, stride, 4}}, .width = width, .height = height};
    return run(&all, merge_bgra);
}

VOID_ROWS(merge_bgra16, MergeAR64Plane(SOURCE16(0), SOURCE16(1), SOURCE16(2), SOURCE16(3), TARGET16(0), SIDES, 16))

int webimage_yuv_merge_bgra16(
    const uint16_t *r, int r_stride, const uint16_t *g, int g_stride, const uint16_t *b, int b_stride,
    const uint16_t *a, int a_stride, uint16_t *target, int stride, int width, int height) {
    job all = {
        .source = {in16(r, r_stride, 2), in16(g, g_stride, 2), in16(b, b_stride, 2), in16(a, a_stride, 2)},
        .target = {{(uint8_t *)target, stride, 8}}, .width = width, .height = height};
    return run(&all, merge_bgra16);
}

INT_ROWS(subtract, ARGBSubtract(SOURCE(0), SOURCE(1), TARGET(0), SIDES))
INT_ROWS(add, ARGBAdd(SOURCE(0), SOURCE(1), TARGET(0), SIDES))
INT_ROWS(blend, ARGBBlend(SOURCE(0), SOURCE(1), TARGET(0), SIDES))

#define TWO_SOURCES(name) \
    int webimage_yuv_##name( \
        const uint8_t *first, int first_stride, const uint8_t *second, int second_stride, uint8_t *target, int stride, \
        int width, int height) { \
        job all = { \
            .source = {in8(first, first_stride, 4), in8(second, second_stride, 4)}, .target = {{target, stride, 4}}, \
            .width = width, .height = height}; \
        return run(&all, name); \
    }
TWO_SOURCES(subtract)
TWO_SOURCES(add)
TWO_SOURCES(blend)

INT_ROWS(shuffle, ARGBShuffle(SOURCE(0), TARGET(0), j->order, SIDES))

int webimage_yuv_shuffle(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, const uint8_t *order, int width, int height) {
    job all = {
        .source = {in8(source, source_stride, 4)}, .target = {{target, stride, 4}}, .width = width, .height = height,
        .order = order};
    return run(&all, shuffle);
}

INT_ROWS(set_alpha, ARGBCopyYToAlpha(SOURCE(0), TARGET(0), SIDES))

int webimage_yuv_set_alpha(
    const uint8_t *alpha, int alpha_stride, uint8_t *target, int stride, int width, int height) {
    job all = {
        .source = {in8(alpha, alpha_stride, 1)}, .target = {{target, stride, 4}}, .width = width, .height = height,
        .reads_target = true};
    return run(&all, set_alpha);
}

/* libyuv's names of layouts do not follow the order of bytes in memory. In memory, ARGB is BGRA, ABGR is RGBA, RAW is
   RGB, and RGB24 is BGR. */
INT_ROWS(premultiply, ARGBAttenuate(SOURCE(0), TARGET(0), SIDES))
INT_ROWS(swap_red_and_blue, ARGBToABGR(SOURCE(0), TARGET(0), SIDES))
INT_ROWS(rgb_to_bgra, RAWToARGB(SOURCE(0), TARGET(0), SIDES))
INT_ROWS(append_alpha, RGB24ToARGB(SOURCE(0), TARGET(0), SIDES))
INT_ROWS(drop_alpha, ARGBToRGB24(SOURCE(0), TARGET(0), SIDES))
INT_ROWS(rgba_to_bgr, ARGBToRAW(SOURCE(0), TARGET(0), SIDES))
INT_ROWS(gray_to_bgra, J400ToARGB(SOURCE(0), TARGET(0), SIDES))
INT_ROWS(rgba_to_gray, ABGRToJ400(SOURCE(0), TARGET(0), SIDES))
INT_ROWS(rgb_to_gray, RAWToJ400(SOURCE(0), TARGET(0), SIDES))
INT_ROWS(rgb565_to_bgra, RGB565ToARGB(SOURCE(0), TARGET(0), SIDES))
INT_ROWS(rgb555_to_bgra, ARGB1555ToARGB(SOURCE(0), TARGET(0), SIDES))

#define ONE_SOURCE(name, source_bytes, target_bytes) \
    int webimage_yuv_##name( \
        const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height) { \
        job all = { \
            .source = {in8(source, source_stride, source_bytes)}, .target = {{target, stride, target_bytes}}, \
            .width = width, .height = height}; \
        return run(&all, name); \
    }
ONE_SOURCE(premultiply, 4, 4)
ONE_SOURCE(swap_red_and_blue, 4, 4)
ONE_SOURCE(rgb_to_bgra, 3, 4)
ONE_SOURCE(append_alpha, 3, 4)
ONE_SOURCE(drop_alpha, 4, 3)
ONE_SOURCE(rgba_to_bgr, 4, 3)
ONE_SOURCE(gray_to_bgra, 1, 4)
ONE_SOURCE(rgba_to_gray, 4, 1)
ONE_SOURCE(rgb_to_gray, 3, 1)
ONE_SOURCE(rgb565_to_bgra, 2, 4)
ONE_SOURCE(rgb555_to_bgra, 2, 4)

INT_ROWS(widen, ARGBToAR64(SOURCE(0), TARGET16(0), SIDES))
INT_ROWS(narrow, AR64ToARGB(SOURCE16(0), TARGET(0), SIDES))

int webimage_yuv_widen(
    const uint8_t *source, int source_stride, uint16_t *target, int stride, int width, int height) {
    job all = {
        .source = {in8(source, source_stride, 4)}, .target = {{(uint8_t *)target, stride, 8}}, .width = width,
        .height = height};
    return run(&all, widen);
}

int webimage_yuv_narrow(
    const uint16_t *source, int source_stride, uint8_t *target, int stride, int width, int height) {
    job all = {
        .source = {in16(source, source_stride, 8)}, .target = {{target, stride, 4}}, .width = width, .height = height};
    return run(&all, narrow);
}

static int mirror(const job *j) {
    return j->source[0].bytes == 1 ? I400Mirror(SOURCE(0), TARGET(0), SIDES) : ARGBMirror(SOURCE(0), TARGET(0), SIDES);
}

int webimage_yuv_mirror(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height, int bytes) {
    job all = {
        .source = {in8(source, source_stride, bytes)}, .target = {{target, stride, bytes}}, .width = width,
        .height = height, .mirrors = true};
    return run(&all, mirror);
}

static int turn(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height, int bytes,
    int is_clockwise) {
    enum RotationMode mode = is_clockwise ? kRotate90 : kRotate270;
    if (bytes == 1) return RotatePlane(source, source_stride, target, stride, width, height, mode);
    return ARGBRotate(source, source_stride, target, stride, width, height, mode);
}

/* Turns a part of at most WHOLE x WHOLE pixels. Copies the part to the stack and pads it to WHOLE x WHOLE pixels. */
static int turn_part(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height, int bytes,
    int is_clockwise) {
    _Alignas(64) uint8_t square[WHOLE * WHOLE * 4];
    _Alignas(64) uint8_t turned[WHOLE * WHOLE * 4];
    int row_bytes = WHOLE * bytes;
    memset(square, 0, (size_t)row_bytes * WHOLE);
    copy(source, source_stride, square, row_bytes, (size_t)width * bytes, height);
    int result = turn(square, row_bytes, turned, row_bytes, WHOLE, WHOLE, bytes, is_clockwise);
    /* Skip the padding. After a clockwise turn, the first columns are padding. After a counterclockwise turn, the first
       rows are padding. */
    const uint8_t *first = turned + (is_clockwise ? (WHOLE - height) * bytes : (WHOLE - width) * row_bytes);
    copy(first, row_bytes, target, stride, (size_t)height * bytes, width);
    return result;
}

int webimage_yuv_turn(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int width, int height, int bytes,
    int is_clockwise) {
    if (width <= 0 || height <= 0) return 0;
    int whole_width = width & ~(WHOLE - 1), whole_height = height & ~(WHOLE - 1), result = 0;
    /* FROM is the address of the source pixel at column `x` and row `y`. A block of `columns` x `rows` pixels starts at
       this pixel. INTO is the address at which the turned block starts in the target. */
#define FROM(x, y) source + (ptrdiff_t)(y) * source_stride + (ptrdiff_t)(x) * bytes
#define INTO(x, y, columns, rows) \
    target + (ptrdiff_t)(is_clockwise ? (x) : width - (x) - (columns)) * stride + \
        (ptrdiff_t)(is_clockwise ? height - (y) - (rows) : (y)) * bytes
    if (whole_width > 0 && whole_height > 0) {
        result = turn(
            FROM(0, 0), source_stride, INTO(0, 0, whole_width, whole_height), stride, whole_width, whole_height, bytes,
            is_clockwise);
    }
    for (int y = 0; y < height && result == 0; y += WHOLE) {
        int rows = height - y < WHOLE ? height - y : WHOLE;
        for (int x = rows < WHOLE ? 0 : whole_width; x < width && result == 0; x += WHOLE) {
            int columns = width - x < WHOLE ? width - x : WHOLE;
            result = turn_part(
                FROM(x, y), source_stride, INTO(x, y, columns, rows), stride, columns, rows, bytes, is_clockwise);
        }
    }
    return result;
}

void webimage_copy_rows(
    const uint8_t *source, int source_stride, uint8_t *target, int stride, int row_bytes, int height) {
    copy(source, source_stride, target, stride, (size_t)row_bytes, height);
}

void webimage_fill_pixels(uint8_t *target, int stride, int width, int height, uint32_t pixel) {
    /* wmemset fills 32-bit words with vector code, even in a debug build. */
    _Static_assert(sizeof(wchar_t) == sizeof(uint32_t), "wide characters of 32 bits");
    for (int row = 0; row < height; row++) {
        wmemset((wchar_t *)(target + (ptrdiff_t)row * stride), (wchar_t)pixel, (size_t)width);
    }
}
