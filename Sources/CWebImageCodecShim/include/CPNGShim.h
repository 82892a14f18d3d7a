#ifndef CPNGSHIM_H
#define CPNGSHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// libpng reports errors by longjmp, which must never cross a Swift frame. So every function here sets its own jump
// target, returns false or NULL instead, and stores libpng's message in the handle.

typedef struct CPNGReader CPNGReader;

typedef enum {
    CPNG_GRAY8,
    CPNG_RGB8,
    CPNG_RGBA8,
    CPNG_BGRA8,
    CPNG_RGBA16,
} CPNGLayout;

/// Makes a reader over memory that must outlive it; NULL when out of memory. In C because libpng's constructor longjmps
/// and because its read callback reports a short read through png_error, which does not return.
CPNGReader *cpng_reader_create(const uint8_t *bytes, size_t count);

/// Reads the chunks before the pixels. Unneeded chunks are skipped without inflating them; a needed chunk may have at most
/// `max_chunk_bytes`. In C because png_read_info longjmps.
bool cpng_reader_read_header(CPNGReader *reader, size_t max_chunk_bytes);

/// Sets the transformations that make rows of `layout`. In C because the png_set_ functions longjmp.
/// `passes` becomes 7 for an interlaced picture, else 1; `row_bytes` the bytes libpng will write per row.
bool cpng_reader_start(CPNGReader *reader, CPNGLayout layout, int *passes, size_t *row_bytes);

/// Reads `count` rows, `stride` bytes apart. For an interlaced picture, each pass reads into the same rows.
/// In C because png_read_row longjmps.
bool cpng_reader_read_rows(CPNGReader *reader, uint8_t *rows, size_t stride, size_t count);

/// Reads the chunks after the pixels, to check that the file is whole. In C because png_read_end longjmps.
bool cpng_reader_finish(CPNGReader *reader);

/// The inflated ICC profile, owned by the reader; false when there is none or libpng finds it invalid.
/// In C because png_get_iCCP may longjmp.
bool cpng_reader_icc(CPNGReader *reader, const uint8_t **bytes, size_t *count);

/// The palette: at most 256 entries of red, green and blue in `colors`, and the alphas of the first entries; false without one.
/// In C because png_get_PLTE and png_get_tRNS may longjmp.
bool cpng_reader_palette(
    CPNGReader *reader, uint8_t *colors, size_t *color_count, uint8_t *alphas, size_t *alpha_count);

/// libpng's words for the last failure; never NULL.
const char *cpng_reader_message(const CPNGReader *reader);

void cpng_reader_destroy(CPNGReader *reader);

typedef struct CPNGStream CPNGStream;

typedef struct {
    /// Rows that the first pass has decoded; the same as ``final_rows`` if the picture is not interlaced.
    uint32_t first_pass_rows;
    /// Rows, from the top, that have their final values.
    uint32_t final_rows;
    /// Grows with every row.
    uint64_t event_count;
    /// Whether the end chunk has been read.
    bool has_ended;
} CPNGProgress;

/// Makes libpng's push reader, which writes rows of `layout` to `pixels` as they arrive; `pixels` must outlive it.
/// In C because libpng's constructor longjmps and because its callbacks may.
CPNGStream *cpng_stream_create(
    CPNGLayout layout, uint8_t *pixels, size_t stride, uint32_t height, size_t max_chunk_bytes);

/// Takes the next bytes. In C because png_process_data longjmps.
bool cpng_stream_append(CPNGStream *stream, const uint8_t *bytes, size_t count, CPNGProgress *progress);

/// libpng's words for the last failure; never NULL.
const char *cpng_stream_message(const CPNGStream *stream);

void cpng_stream_destroy(CPNGStream *stream);

/// The CRC-32 of PNG chunks for `count` bytes, continued from `start` (0 at first). Uses libdeflate. In C because only one
/// Swift target may import a library, and for libdeflate that is WebImageStore.
uint32_t cpng_crc32(uint32_t start, const uint8_t *bytes, size_t count);

/// Inflates a zlib stream; returns the number of bytes, or -1 for a damaged stream or more than `capacity` bytes.
/// In C because this package has no Swift module of zlib; libpng links it.
ptrdiff_t cpng_inflate(const uint8_t *bytes, size_t count, uint8_t *target, size_t capacity);

/// Inflates a zlib stream of exactly `target_count` bytes by libdeflate, in half the time of zlib; false for a damaged
/// stream or another size.
bool cpng_inflate_whole(const uint8_t *stream, size_t count, uint8_t *target, size_t target_count);

/// Undoes the filters of `count` rows in place, each of `row_bytes` after its filter byte; false for an invalid filter. A
/// row, or zeros, must precede the first. In C because each pixel depends on the one before, which is slow in Swift.
bool cpng_unfilter(uint8_t *rows, size_t row_bytes, size_t pixel_bytes, size_t count);

typedef struct CPNGWriter CPNGWriter;

typedef struct {
    uint32_t width;
    uint32_t height;
    /// The layout of the rows to write.
    CPNGLayout layout;
    /// Whether the fourth channel is alpha; if not, it is left out of the file.
    bool has_alpha;
    /// zlib's level, 0 to 9.
    int compression_level;
    /// An ICC profile, or NULL.
    const uint8_t *icc;
    size_t icc_count;
} CPNGDescription;

/// Makes a writer to memory; NULL when out of memory. In C because libpng's constructor longjmps.
CPNGWriter *cpng_writer_create(void);

/// Writes a whole file. In C because every png_write function longjmps.
bool cpng_writer_write(CPNGWriter *writer, const CPNGDescription *description, const uint8_t *rows, size_t stride);

/// Returns the file; the caller frees it with free().
uint8_t *cpng_writer_take(CPNGWriter *writer, size_t *count);

/// libpng's words for the last failure; never NULL.
const char *cpng_writer_message(const CPNGWriter *writer);

void cpng_writer_destroy(CPNGWriter *writer);

#endif
