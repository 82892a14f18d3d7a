#include "CWebImageJPEGSamples.h"

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

typedef struct {
    struct jpeg_error_mgr base; /* the first member, because cinfo->err is cast to this type */
    jmp_buf escape;
    int ran_dry, lacked_data;
} error_manager;

static void fail(j_common_ptr cinfo) { longjmp(((error_manager *)cinfo->err)->escape, 1); }

static void note(j_common_ptr cinfo, int level) {
    error_manager *errors = (error_manager *)cinfo->err;
    if (level >= 0) return;
    errors->base.num_warnings++;
    if (errors->base.msg_code == JWRN_JPEG_EOF) errors->ran_dry = 1;
    if (errors->base.msg_code == JWRN_HIT_MARKER) errors->lacked_data = 1;
}

static struct jpeg_error_mgr *prepare(error_manager *errors) {
    memset(errors, 0, sizeof *errors);
    jpeg_std_error(&errors->base);
    errors->base.error_exit = fail;
    errors->base.emit_message = note;
    return &errors->base;
}

static uint64_t next_random(uint64_t *state) {
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t value = *state;
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

static unsigned corner(uint64_t seed, int x, int y) {
    uint64_t state = seed ^ (uint64_t)(uint32_t)x << 32 ^ (uint32_t)y;
    return (unsigned)(next_random(&state) & 255);
}

/* Interpolates between random values at the corners of cells of `size` pixels. */
static int smooth(uint64_t seed, int x, int y, int size) {
    int column = x / size, row = y / size, dx = x % size, dy = y % size;
    int upper = (int)corner(seed, column, row) * (size - dx) + (int)corner(seed, column + 1, row) * dx;
    int lower = (int)corner(seed, column, row + 1) * (size - dx) + (int)corner(seed, column + 1, row + 1) * dx;
    return (upper * (size - dy) + lower * dy) / (size * size);
}

static uint8_t sample_at(const webimage_jpeg_sample *sample, uint64_t *state, int x, int y, int channel) {
    uint64_t seed = sample->seed * 8 + (uint64_t)channel;
    int content = sample->has_own_chroma && channel > 0 ? sample->chroma_content : sample->content;
    switch (content) {
        case WEBIMAGE_JPEG_SAMPLE_NOISE: return (uint8_t)next_random(state);
        case WEBIMAGE_JPEG_SAMPLE_FLAT: return (uint8_t)corner(seed, 0, 0);
        case WEBIMAGE_JPEG_SAMPLE_PATTERN: return (uint8_t)corner(seed, x & 15, y & 15);
        case WEBIMAGE_JPEG_SAMPLE_STRIPES: return ((x >> (3 + channel)) ^ (y >> 3)) & 1 ? 255 : 0;
        default: {
            int value = smooth(seed, x, y, 61) + (smooth(seed + 4, x, y, 7) - 128) / 6 + (int)(next_random(state) & 7) - 4;
            return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
        }
    }
}

static void reverse_symbols(JHUFF_TBL *table) {
    int count = 0;
    for (int length = 1; length <= 16; length++) count += table->bits[length];
    for (int first = 0, last = count - 1; first < last; first++, last--) {
        UINT8 symbol = table->huffval[first];
        table->huffval[first] = table->huffval[last];
        table->huffval[last] = symbol;
    }
}

/* Replaces a code by a random one for the same symbols: short and long codes, in the same, the reverse or a random order. */
static void make_random_code(JHUFF_TBL *table, uint64_t *state) {
    int count = 0;
    for (int length = 1; length <= 16; length++) count += table->bits[length];
    if (next_random(state) % 3 == 0) reverse_symbols(table);
    for (int swaps = next_random(state) % 2 ? (int)(next_random(state) % 400) : 0; swaps > 0; swaps--) {
        UINT8 *a = &table->huffval[next_random(state) % (uint64_t)count], *b = &table->huffval[next_random(state) % (uint64_t)count];
        UINT8 symbol = *a;
        *a = *b;
        *b = symbol;
    }
    /* `free` is the number of codes of this length that begin no shorter code. One code must stay unused. */
    long free = 1;
    int left = count, first = 1 + (int)(next_random(state) % 10), share = 1 + (int)(next_random(state) % 8);
    for (int length = 1; length <= 16; length++) {
        free *= 2;
        long most = free - 1;
        if (most > left) most = left;
        /* The other codes must still fit. */
        while (most > 0 && ((free - most) << (16 - length)) - 1 < left - most) most--;
        long used = length == 16 ? most : length < first ? 0 : most * (long)(next_random(state) % (uint64_t)share + 1) / share;
        table->bits[length] = (UINT8)used;
        free -= used;
        left -= (int)used;
    }
}

enum { MAX_SCANS = 64 };

static int add_scan(jpeg_scan_info *scans, int count, int component, int first, int last, int high, int low) {
    scans[count] = (jpeg_scan_info){1, {component, 0, 0, 0}, first, last, high, low};
    return count + 1;
}

static int list_scans(const webimage_jpeg_sample *sample, int components, jpeg_scan_info *scans) {
    uint64_t state = sample->seed;
    int count = 0;
    if (sample->kind == WEBIMAGE_JPEG_SAMPLE_SEPARATE_SCANS) {
        for (int index = 0; index < components; index++) count = add_scan(scans, count, index, 0, 63, 0, 0);
        return count;
    }
    int low = (int)(next_random(&state) % 4);
    for (int index = 0; index < components; index++) count = add_scan(scans, count, index, 0, 0, 0, low);
    for (int index = 0; index < components; index++) {
        int split = 1 + (int)(next_random(&state) % 62), bits = (int)(next_random(&state) % 4);
        count = add_scan(scans, count, index, 1, split, 0, bits);
        count = add_scan(scans, count, index, split + 1, 63, 0, bits);
        for (; bits > 0; bits--) count = add_scan(scans, count, index, 1, 63, bits, bits - 1);
    }
    for (; low > 0; low--)
        for (int index = 0; index < components; index++) count = add_scan(scans, count, index, 0, 0, low, low - 1);
    return count;
}

static void write_rows(struct jpeg_compress_struct *cinfo, const webimage_jpeg_sample *sample, uint8_t *row) {
    uint64_t state = sample->seed;
    int channels = cinfo->input_components;
    while (cinfo->next_scanline < cinfo->image_height) {
        for (int x = 0; x < sample->width; x++)
            for (int channel = 0; channel < channels; channel++)
                row[x * channels + channel] = sample_at(sample, &state, x, (int)cinfo->next_scanline, channel);
        jpeg_write_scanlines(cinfo, &row, 1);
    }
}

size_t webimage_jpeg_sample_write(const webimage_jpeg_sample *sample, uint8_t **file) {
    static const int channels[] = {3, 3, 1, 4, 4};
    static const J_COLOR_SPACE spaces[] = {JCS_RGB, JCS_RGB, JCS_GRAYSCALE, JCS_CMYK, JCS_CMYK};
    struct jpeg_compress_struct cinfo;
    error_manager errors;
    jpeg_scan_info scans[MAX_SCANS];
    unsigned long length = 0;
    uint8_t *row = malloc((size_t)sample->width * 4);
    *file = NULL;
    cinfo.err = prepare(&errors);
    jpeg_create_compress(&cinfo);
    if (!row || setjmp(errors.escape)) {
        /* libjpeg may have freed the memory at *file already. Its new memory is lost, which a test can bear. */
        jpeg_destroy_compress(&cinfo);
        free(row);
        *file = NULL;
        return 0;
    }
    jpeg_mem_dest(&cinfo, file, &length);
    cinfo.image_width = (JDIMENSION)sample->width;
    cinfo.image_height = (JDIMENSION)sample->height;
    cinfo.input_components = channels[sample->color];
    cinfo.in_color_space = sample->has_own_chroma && channels[sample->color] == 3 ? JCS_YCbCr : spaces[sample->color];
    jpeg_set_defaults(&cinfo);
    if (sample->color == WEBIMAGE_JPEG_SAMPLE_RGB) jpeg_set_colorspace(&cinfo, JCS_RGB);
    if (sample->color == WEBIMAGE_JPEG_SAMPLE_YCCK) jpeg_set_colorspace(&cinfo, JCS_YCCK);
    jpeg_set_quality(&cinfo, sample->quality, sample->is_baseline ? TRUE : FALSE);
    for (int index = 0; index < cinfo.num_components; index++) {
        cinfo.comp_info[index].h_samp_factor = sample->horizontal[index];
        cinfo.comp_info[index].v_samp_factor = sample->vertical[index];
    }
    cinfo.optimize_coding = sample->optimizes_codes ? TRUE : FALSE;
    for (int index = 0; index < 2 && sample->has_long_codes; index++) reverse_symbols(cinfo.ac_huff_tbl_ptrs[index]);
    uint64_t code_state = sample->code_seed;
    for (int index = 0; index < 2 && sample->code_seed != 0 && !cinfo.optimize_coding; index++) {
        make_random_code(cinfo.dc_huff_tbl_ptrs[index], &code_state);
        make_random_code(cinfo.ac_huff_tbl_ptrs[index], &code_state);
    }
    cinfo.restart_interval = (unsigned int)sample->restart_interval;
    cinfo.arith_code = sample->kind == WEBIMAGE_JPEG_SAMPLE_ARITHMETIC ? TRUE : FALSE;
    if (sample->kind == WEBIMAGE_JPEG_SAMPLE_PROGRESSIVE) {
        jpeg_simple_progression(&cinfo);
    } else if (sample->kind == WEBIMAGE_JPEG_SAMPLE_SEPARATE_SCANS || sample->kind == WEBIMAGE_JPEG_SAMPLE_REFINED) {
        cinfo.num_scans = list_scans(sample, cinfo.num_components, scans);
        cinfo.scan_info = scans;
    }
    jpeg_start_compress(&cinfo, TRUE);
    write_rows(&cinfo, sample, row);
    jpeg_finish_compress(&cinfo);
    jpeg_destroy_compress(&cinfo);
    free(row);
    return length;
}

int webimage_jpeg_sample_read(
    const uint8_t *file, size_t length, int bytes_per_pixel, int *width, int *height, int *warnings, uint8_t **pixels) {
    return webimage_jpeg_sample_read_scaled(file, length, 1, bytes_per_pixel, width, height, warnings, pixels);
}

int webimage_jpeg_sample_read_scaled(
    const uint8_t *file, size_t length, int eighths, int bytes_per_pixel, int *width, int *height, int *warnings,
    uint8_t **pixels) {
    struct jpeg_decompress_struct cinfo;
    error_manager errors;
    *pixels = NULL;
    *width = *height = *warnings = 0;
    cinfo.err = prepare(&errors);
    jpeg_create_decompress(&cinfo);
    if (setjmp(errors.escape)) {
        jpeg_destroy_decompress(&cinfo);
        free(*pixels);
        *pixels = NULL;
        return 0;
    }
    jpeg_mem_src(&cinfo, file, (unsigned long)length);
    jpeg_read_header(&cinfo, TRUE);
    size_t bytes = (size_t)abs(bytes_per_pixel);
    cinfo.out_color_space = bytes_per_pixel == 1         ? JCS_GRAYSCALE
                            : bytes_per_pixel == 3       ? JCS_RGB
                            : bytes_per_pixel == -4      ? JCS_EXT_BGRA
                            : cinfo.num_components == 4  ? JCS_CMYK
                                                         : JCS_EXT_RGBA;
    cinfo.scale_num = (unsigned)eighths;
    cinfo.scale_denom = 8;
    jpeg_calc_output_dimensions(&cinfo);
    *width = (int)cinfo.output_width;
    *height = (int)cinfo.output_height;
    *pixels = malloc(bytes * cinfo.output_width * cinfo.output_height);
    if (!*pixels) longjmp(errors.escape, 1);
    jpeg_start_decompress(&cinfo);
    while (cinfo.output_scanline < cinfo.output_height) {
        uint8_t *row = *pixels + bytes * cinfo.output_width * cinfo.output_scanline;
        jpeg_read_scanlines(&cinfo, &row, 1);
        if (errors.ran_dry && errors.lacked_data) longjmp(errors.escape, 1);
    }
    *warnings = (int)errors.base.num_warnings;
    jpeg_destroy_decompress(&cinfo);
    return 1;
}

/* Writes the samples of one block. A decoder may use 16 bits for a coefficient times 8. */
static void transform(const JCOEF *coefficients, const UINT16 *quant, int side, float *target, int stride, int wide, int high) {
    double factors[8][8], used[8][8];
    int is_possible = 1, is_flat = 1;
    for (int u = 0; u < side; u++) {
        for (int x = 0; x < side; x++)
            factors[u][x] = u == 0 ? sqrt(0.125) : 0.5 * cos((2 * x + 1) * u * 3.14159265358979323846 / (2 * side));
        for (int v = 0; v < side; v++) {
            used[v][u] = coefficients[v * 8 + u] * (double)quant[v * 8 + u];
            is_flat &= u + v == 0 || coefficients[v * 8 + u] == 0;
            is_possible &= fabs(used[v][u]) <= (u + v == 0 || side == 2 ? 4000 : 1500);
        }
    }
    /* The columns first, as decoders do: no sum of a column, and then of a row, may need more than 16 bits. */
    double columns[8][8];
    for (int u = 0; u < side; u++) {
        for (int y = 0; y < side; y++) {
            double extent = columns[u][y] = 0;
            for (int v = 0; v < side; v++) {
                double value = factors[v][y] * used[v][u];
                columns[u][y] += value;
                extent += fabs(value);
            }
            is_possible &= extent < 1400;
        }
    }
    for (int y = 0; y < side && y < high; y++) {
        for (int x = 0; x < side && x < wide; x++) {
            double sum = 128, extent = 0;
            for (int u = 0; u < side; u++) {
                double value = factors[u][x] * columns[u][y];
                sum += value;
                extent += fabs(value);
            }
            if (is_flat) sum = floor(128.5 + used[0][0] / 8);
            target[y * stride + x] = is_possible && extent < 500 ? (float)(sum < -128 ? -128 : sum > 383 ? 383 : sum) : NAN;
        }
    }
}

int webimage_jpeg_sample_plane(
    const uint8_t *file, size_t length, int component, int side, int *width, int *height, float **samples) {
    struct jpeg_decompress_struct cinfo;
    error_manager errors;
    *samples = NULL;
    *width = *height = 0;
    cinfo.err = prepare(&errors);
    jpeg_create_decompress(&cinfo);
    if (setjmp(errors.escape)) {
        jpeg_destroy_decompress(&cinfo);
        free(*samples);
        *samples = NULL;
        return 0;
    }
    jpeg_mem_src(&cinfo, file, (unsigned long)length);
    jpeg_read_header(&cinfo, TRUE);
    if (component > cinfo.num_components) longjmp(errors.escape, 1);
    jvirt_barray_ptr *arrays = jpeg_read_coefficients(&cinfo);
    if (errors.ran_dry && errors.lacked_data) longjmp(errors.escape, 1);
    const jpeg_component_info *info = &cinfo.comp_info[component - 1];
    if (!info->quant_table) longjmp(errors.escape, 1);
    int across = cinfo.max_h_samp_factor * 8, down = cinfo.max_v_samp_factor * 8;
    *width = (int)((cinfo.image_width * (JDIMENSION)(info->h_samp_factor * side) + (JDIMENSION)across - 1) / (JDIMENSION)across);
    *height = (int)((cinfo.image_height * (JDIMENSION)(info->v_samp_factor * side) + (JDIMENSION)down - 1) / (JDIMENSION)down);
    *samples = malloc((size_t)*width * (size_t)*height * sizeof **samples);
    if (!*samples) longjmp(errors.escape, 1);
    for (int y = 0; y < *height; y += side) {
        JBLOCKARRAY rows = cinfo.mem->access_virt_barray(
            (j_common_ptr)&cinfo, arrays[component - 1], (JDIMENSION)(y / side), 1, FALSE);
        for (int x = 0; x < *width; x += side)
            transform(rows[0][x / side], info->quant_table->quantval, side, *samples + y * *width + x, *width, *width - x,
                      *height - y);
    }
    jpeg_destroy_decompress(&cinfo);
    return 1;
}
