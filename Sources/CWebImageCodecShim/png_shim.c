#include "png_reduce.h"
#include "png_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct CPNGReader {
    png_structp png;
    png_infop info;
    const uint8_t *bytes;
    size_t count;
    size_t offset;
    bool has_ended; // libpng needed more bytes than the file has
    Failure failure;
};

struct CPNGWriter {
    png_structp png;
    png_infop info;
    uint8_t *bytes;
    size_t count;
    size_t capacity;
    uint8_t *deflated;
    cpng_reduction *reduction;
    Failure failure;
};

void cpng_fail(png_structp png, png_const_charp message) {
    Failure *failure = png_get_error_ptr(png);
    snprintf(failure->text, sizeof failure->text, "%s", message);
    longjmp(failure->target, 1);
}

void cpng_ignore_warning(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

void cpng_take_warning(png_structp png, png_const_charp message) {
    Failure *failure = png_get_error_ptr(png);
    bool is_pixels = strncmp(message, "IDAT", 4) == 0;
    if (strstr(message, "CRC error") != NULL) {
        // The name of a critical chunk begins with a capital letter. libpng discards other chunks itself.
        bool is_critical = message[0] >= 'A' && message[0] <= 'Z';
        if (is_critical && !is_pixels) cpng_fail(png, message);
        if (is_pixels) failure->has_wrong_checksum = true;
    } else if (is_pixels) {
        failure->has_damaged_pixels = true;
    }
    if (failure->has_wrong_checksum && failure->has_damaged_pixels) cpng_fail(png, "IDAT: CRC error");
}

// The size of the pieces in which libpng requests compressed pixels.
enum { PIECE = 8192 };

static void read_memory(png_structp png, png_bytep into, size_t count) {
    CPNGReader *reader = png_get_io_ptr(png);
    if (count > reader->count - reader->offset) {
        reader->has_ended = true;
        png_error(png, "the file ends too early");
    }
    memcpy(into, reader->bytes + reader->offset, count);
    reader->offset += count;
    // libpng requests compressed pixels in pieces of this size, up to the declared length of their chunk. Near the end of
    // the file, request smaller and smaller pieces: if the chunk ends behind the file, each of its bytes is then read
    // before a request fails.
    size_t rest = reader->count - reader->offset;
    if (rest < 2 * PIECE) png_set_compression_buffer_size(png, rest < 2 ? 1 : rest / 2);
}

CPNGReader *cpng_reader_create(const uint8_t *bytes, size_t count) {
    CPNGReader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) return NULL;
    reader->bytes = bytes;
    reader->count = count;
    // png_create_read_struct can call longjmp, so setjmp must set the jump target before the call.
    if (setjmp(reader->failure.target) == 0) {
        reader->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader->failure, cpng_fail, cpng_take_warning);
        if (reader->png != NULL) reader->info = png_create_info_struct(reader->png);
    }
    if (reader->info == NULL) {
        cpng_reader_destroy(reader);
        return NULL;
    }
    png_set_read_fn(reader->png, reader, read_memory);
    return reader;
}

// Chunks that libpng supports but this package does not need. libpng skips these chunks, so that they cost neither
// memory nor time.
static const png_byte unneeded_chunks[] =
    "bKGD\0cHRM\0eXIf\0gAMA\0hIST\0iTXt\0oFFs\0pCAL\0pHYs\0sBIT\0sCAL\0sPLT\0sRGB\0tEXt\0tIME\0zTXt";

bool cpng_reader_read_header(CPNGReader *reader, size_t max_chunk_bytes) {
    if (setjmp(reader->failure.target) != 0) return false;
    cpng_limit(reader->png, max_chunk_bytes);
    png_read_info(reader->png, reader->info);
    return true;
}

void cpng_limit(png_structp png, size_t max_chunk_bytes) {
    // Set libpng's size limits to the maximum. The caller has already compared the size in the header with the pixel
    // limit.
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_chunk_malloc_max(png, max_chunk_bytes);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, 0);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, unneeded_chunks, (int)(sizeof unneeded_chunks / 5));
    // libpng reports a wrong checksum of a critical chunk as a warning, so that `cpng_take_warning` can decide.
    png_set_crc_action(png, PNG_CRC_WARN_USE, PNG_CRC_WARN_DISCARD);
    // Some encoders declare a window in the zlib header that is smaller than the one they use.
    png_set_option(png, PNG_MAXIMUM_INFLATE_WINDOW, PNG_OPTION_ON);
}

bool cpng_reader_start(CPNGReader *reader, CPNGLayout layout, int *passes, size_t *row_bytes) {
    if (setjmp(reader->failure.target) != 0) return false;
    *passes = cpng_transform(reader->png, reader->info, layout);
    *row_bytes = png_get_rowbytes(reader->png, reader->info);
    return true;
}

bool cpng_reader_start_stored(CPNGReader *reader, int *passes, size_t *row_bytes) {
    if (setjmp(reader->failure.target) != 0) return false;
    *passes = png_set_interlace_handling(reader->png);
    png_read_update_info(reader->png, reader->info);
    *row_bytes = png_get_rowbytes(reader->png, reader->info);
    return true;
}

int cpng_transform(png_structp png, png_infop info, CPNGLayout layout) {
    png_set_expand(png);
    if (layout == CPNG_RGBA16) {
        const uint16_t one = 1;
        png_set_expand_16(png);
        if (*(const uint8_t *)&one == 1) png_set_swap(png);
    } else {
        png_set_strip_16(png);
    }
    if (layout != CPNG_GRAY8) png_set_gray_to_rgb(png);
    if (layout == CPNG_BGRA8) png_set_bgr(png);
    if (layout == CPNG_RGB8 || layout == CPNG_GRAY8) {
        png_set_strip_alpha(png);
    } else {
        png_set_add_alpha(png, 0xFFFF, PNG_FILLER_AFTER);
    }
    int passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    return passes;
}

// Whether the file has ended although all rows are read. libpng reads on behind the last row.
static bool lacks_only_its_end(const CPNGReader *reader) {
    bool is_whole = png_get_interlace_type(reader->png, reader->info) == PNG_INTERLACE_NONE
                        ? png_get_current_row_number(reader->png) >= png_get_image_height(reader->png, reader->info)
                        : png_get_current_pass_number(reader->png) > 6;
    return reader->has_ended && is_whole && !reader->failure.has_wrong_checksum;
}

bool cpng_reader_read_rows(CPNGReader *reader, uint8_t *rows, size_t stride, size_t count) {
    if (setjmp(reader->failure.target) != 0) return lacks_only_its_end(reader);
    for (size_t row = 0; row < count; row++) png_read_row(reader->png, rows + row * stride, NULL);
    return true;
}

bool cpng_reader_finish(CPNGReader *reader) {
    if (setjmp(reader->failure.target) != 0) return lacks_only_its_end(reader);
    png_read_end(reader->png, NULL);
    return true;
}

bool cpng_reader_icc(CPNGReader *reader, const uint8_t **bytes, size_t *count) {
    if (setjmp(reader->failure.target) != 0) return false;
    png_charp name = NULL;
    int method = 0;
    png_bytep profile = NULL;
    png_uint_32 length = 0;
    if (png_get_iCCP(reader->png, reader->info, &name, &method, &profile, &length) == 0) return false;
    *bytes = profile;
    *count = length;
    return profile != NULL && length > 0;
}

const char *cpng_reader_message(const CPNGReader *reader) { return reader->failure.text; }

void cpng_reader_destroy(CPNGReader *reader) {
    if (reader == NULL) return;
    png_destroy_read_struct(&reader->png, &reader->info, NULL);
    free(reader);
}

bool cpng_reader_palette(
    CPNGReader *reader, uint8_t *colors, size_t *color_count, uint8_t *alphas, size_t *alpha_count) {
    if (setjmp(reader->failure.target) != 0) return false;
    png_colorp palette = NULL;
    png_bytep transparency = NULL;
    int count = 0;
    *alpha_count = 0;
    if (png_get_PLTE(reader->png, reader->info, &palette, &count) == 0) return false;
    *color_count = (size_t)count;
    for (int i = 0; i < count; i++) {
        colors[3 * i] = palette[i].red;
        colors[3 * i + 1] = palette[i].green;
        colors[3 * i + 2] = palette[i].blue;
    }
    if (png_get_tRNS(reader->png, reader->info, &transparency, &count, NULL) == 0 || transparency == NULL) return true;
    *alpha_count = (size_t)count;
    memcpy(alphas, transparency, (size_t)count);
    return true;
}

ptrdiff_t cpng_inflate(const uint8_t *bytes, size_t count, uint8_t *target, size_t capacity) {
    uLongf length = (uLongf)capacity;
    if (bytes == NULL || uncompress(target, &length, bytes, (uLong)count) != Z_OK) return -1;
    return (ptrdiff_t)length;
}

static void write_memory(png_structp png, png_bytep from, size_t count) {
    CPNGWriter *writer = png_get_io_ptr(png);
    if (count > writer->capacity - writer->count) {
        size_t capacity = writer->capacity < 32768 ? 65536 : writer->capacity * 2;
        while (capacity - writer->count < count) capacity *= 2;
        uint8_t *larger = realloc(writer->bytes, capacity);
        if (larger == NULL) png_error(png, "out of memory");
        writer->bytes = larger;
        writer->capacity = capacity;
    }
    memcpy(writer->bytes + writer->count, from, count);
    writer->count += count;
}

static void flush_nothing(png_structp png) { (void)png; }

CPNGWriter *cpng_writer_create(void) {
    CPNGWriter *writer = calloc(1, sizeof *writer);
    if (writer == NULL) return NULL;
    if (setjmp(writer->failure.target) == 0) {
        writer->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &writer->failure, cpng_fail, cpng_ignore_warning);
        if (writer->png != NULL) writer->info = png_create_info_struct(writer->png);
    }
    if (writer->info == NULL) {
        cpng_writer_destroy(writer);
        return NULL;
    }
    png_set_write_fn(writer->png, writer, write_memory, flush_nothing);
    return writer;
}

static uint32_t big_endian(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* Whether an ICC profile is valid for a picture of this color type (ICC.1:2010 §7.2, PNG third edition §11.3.3.3).
 *
 * libpng has the same check. If a profile is invalid, libpng 1.6.39 omits the profile, but libpng 1.6.48 fails and
 * writes no picture. Therefore this package omits an invalid profile before libpng checks it. */
static bool is_usable_profile(const uint8_t *profile, size_t count, int color) {
    enum { HEADER_AND_TAG_COUNT = 132 };
    if (profile == NULL || count < HEADER_AND_TAG_COUNT || count > PNG_UINT_31_MAX) return false;
    if (big_endian(profile) != count || (profile[8] > 3 && count % 4 != 0)) return false;
    if (memcmp(profile + 36, "acsp", 4) != 0) return false;
    return memcmp(profile + 16, color == PNG_COLOR_TYPE_GRAY ? "GRAY" : "RGB ", 4) == 0;
}

// The largest picture that is compressed as a whole, which needs the memory of two further pictures at most and cannot be
// stopped: a second at most.
enum { WHOLE_BYTES = 64 << 20 };

/* Finds a smaller form of the picture. Its rows belong to the writer. */
static bool reduce(CPNGWriter *writer, const CPNGDescription *wanted, const cpng_picture *picture) {
    cpng_reduction *reduction = writer->reduction = malloc(sizeof *reduction);
    const bool may_be_gray = !wanted->has_color_space;
    if (reduction == NULL || !cpng_reduce(picture, may_be_gray, true, reduction)) return false;
    if (reduction->color != PNG_COLOR_TYPE_PALETTE || cpng_palette_pays(picture, reduction)) return true;
    free(reduction->rows);
    return cpng_reduce(picture, may_be_gray, false, reduction);
}

static void set_palette(CPNGWriter *writer) {
    const cpng_reduction *reduction = writer->reduction;
    if (reduction->color != PNG_COLOR_TYPE_PALETTE) return;
    png_color colors[256];
    png_byte alpha[256];
    for (int index = 0; index < reduction->color_count; index++) {
        const uint8_t *color = reduction->palette[index];
        colors[index] = (png_color){color[0], color[1], color[2]};
        alpha[index] = color[3];
    }
    png_set_PLTE(writer->png, writer->info, colors, reduction->color_count);
    if (reduction->transparent_count > 0)
        png_set_tRNS(writer->png, writer->info, alpha, reduction->transparent_count, NULL);
}

bool cpng_writer_write(CPNGWriter *writer, const CPNGDescription *wanted, const uint8_t *rows, size_t stride) {
    if (setjmp(writer->failure.target) != 0) return false;
    png_structp png = writer->png;
    const bool four_channels = wanted->layout >= CPNG_RGBA8;
    int color = PNG_COLOR_TYPE_RGB;
    if (wanted->layout <= CPNG_GRAY16) color = PNG_COLOR_TYPE_GRAY;
    if (four_channels && wanted->has_alpha) color = PNG_COLOR_TYPE_RGB_ALPHA;

    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    // With this setting, libpng 1.6.39 omits a profile that libpng finds invalid. Otherwise libpng would fail to write
    // the picture.
    png_set_benign_errors(png, 1);
    const cpng_picture picture = {
        .width = wanted->width, .height = wanted->height, .layout = wanted->layout,
        .has_alpha = four_channels && wanted->has_alpha, .rows = rows, .stride = stride, .should_stop = wanted->should_stop,
    };
    const bool is_whole = cpng_filtered_bytes(&picture) <= WHOLE_BYTES;
    if (!is_whole) png_set_compression_level(png, wanted->effort < 4 ? 3 : wanted->effort < 8 ? 6 : 9);
    const bool is_deep = wanted->layout == CPNG_RGBA16 || wanted->layout == CPNG_GRAY16;
    int depth = is_deep ? 16 : 8;
    const bool is_reduced = is_whole && wanted->may_be_reduced && reduce(writer, wanted, &picture);
    if (is_reduced) {
        color = writer->reduction->color;
        depth = writer->reduction->depth;
    }
    png_set_IHDR(png, writer->info, wanted->width, wanted->height, depth, color, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (is_reduced) set_palette(writer);
    if (is_usable_profile(wanted->icc, wanted->icc_count, color)) {
        png_set_iCCP(png, writer->info, "ICC profile", PNG_COMPRESSION_TYPE_BASE, wanted->icc,
                     (png_uint_32)wanted->icc_count);
    }
    png_write_info(png, writer->info);
    if (is_whole) {
        size_t count;
        const cpng_picture compressed = is_reduced ? cpng_reduced_picture(&picture, writer->reduction) : picture;
        if (!cpng_deflate_picture(&compressed, wanted->effort, &writer->deflated, &count)) png_error(png, "stopped, or out of memory");
        png_write_chunk(png, (png_const_bytep)"IDAT", writer->deflated, count);
        free(writer->deflated);
        writer->deflated = NULL;
        png_write_chunk(png, (png_const_bytep)"IEND", NULL, 0);
        return true;
    }
    if (wanted->layout == CPNG_BGRA8) png_set_bgr(png);
    if (is_deep) {
        const uint16_t one = 1;
        if (*(const uint8_t *)&one == 1) png_set_swap(png);
    }
    if (four_channels && !wanted->has_alpha) png_set_filler(png, 0, PNG_FILLER_AFTER);
    for (uint32_t row = 0; row < wanted->height; row++) {
        if (wanted->should_stop && row % 8 == 0 && wanted->should_stop()) png_error(png, "stopped");
        png_write_row(png, rows + (size_t)row * stride);
    }
    png_write_end(png, writer->info);
    return true;
}

uint8_t *cpng_writer_take(CPNGWriter *writer, size_t *count) {
    uint8_t *bytes = writer->bytes;
    *count = writer->count;
    writer->bytes = NULL;
    writer->count = writer->capacity = 0;
    return bytes;
}

const char *cpng_writer_message(const CPNGWriter *writer) { return writer->failure.text; }

void cpng_writer_destroy(CPNGWriter *writer) {
    if (writer == NULL) return;
    png_destroy_write_struct(&writer->png, &writer->info);
    free(writer->deflated);
    if (writer->reduction != NULL) free(writer->reduction->rows);
    free(writer->reduction);
    free(writer->bytes);
    free(writer);
}
