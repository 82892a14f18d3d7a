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

/// Creates a reader of a file in memory. `bytes` must outlive the reader. NULL when out of memory. In C because
/// libpng's constructor longjmps, and because its read callback reports missing bytes by png_error, which does not
/// return.
CPNGReader *cpng_reader_create(const uint8_t *bytes, size_t count);

/// Reads the chunks before the pixels. Unneeded chunks are skipped and not inflated. A needed chunk has at most
/// `max_chunk_bytes`. In C because png_read_info longjmps.
bool cpng_reader_read_header(CPNGReader *reader, size_t max_chunk_bytes);

/// Makes libpng convert each row to `layout`. In C because the png_set_ functions longjmp. `passes` becomes 7 for an
/// interlaced picture, else 1. `row_bytes` becomes the number of bytes that libpng writes per row.
bool cpng_reader_start(CPNGReader *reader, CPNGLayout layout, int *passes, size_t *row_bytes);

/// Reads `count` rows, `stride` bytes apart. For an interlaced picture, each pass reads into the same rows.
/// In C because png_read_row longjmps.
bool cpng_reader_read_rows(CPNGReader *reader, uint8_t *rows, size_t stride, size_t count);

/// Reads the chunks after the pixels, to check that the file is complete. In C because png_read_end longjmps.
bool cpng_reader_finish(CPNGReader *reader);

/// Returns the inflated ICC profile, which the reader owns. False if the file has no profile or libpng finds the
/// profile invalid. In C because png_get_iCCP can longjmp.
bool cpng_reader_icc(CPNGReader *reader, const uint8_t **bytes, size_t *count);

/// Writes the palette: at most 256 entries of red, green and blue to `colors`, and the alpha values of the first
/// `alpha_count` entries to `alphas`. False if the file has no palette. In C because png_get_PLTE and png_get_tRNS can
/// longjmp.
bool cpng_reader_palette(
    CPNGReader *reader, uint8_t *colors, size_t *color_count, uint8_t *alphas, size_t *alpha_count);

/// libpng's message for the last failure; never NULL.
const char *cpng_reader_message(const CPNGReader *reader);

void cpng_reader_destroy(CPNGReader *reader);

typedef struct CPNGStream CPNGStream;

typedef struct {
    /// The number of rows that the first pass has decoded. Equal to ``final_rows`` if the picture is not interlaced.
    uint32_t first_pass_rows;
    /// The number of rows, counted from the top, whose pixels are final.
    uint32_t final_rows;
    /// A counter that grows with each decoded row of each pass, and when the end chunk is read.
    uint64_t event_count;
    /// Whether the end chunk has been read.
    bool has_ended;
} CPNGProgress;

/// Creates a reader for a file that arrives in pieces (libpng's push reader). It writes each row in `layout` to
/// `pixels` when the row arrives. `pixels` must outlive the reader. In C because libpng's constructor and its
/// callbacks longjmp.
CPNGStream *cpng_stream_create(
    CPNGLayout layout, uint8_t *pixels, size_t stride, uint32_t height, size_t max_chunk_bytes);

/// Decodes the next bytes of the file. In C because png_process_data longjmps.
bool cpng_stream_append(CPNGStream *stream, const uint8_t *bytes, size_t count, CPNGProgress *progress);

/// libpng's message for the last failure; never NULL.
const char *cpng_stream_message(const CPNGStream *stream);

void cpng_stream_destroy(CPNGStream *stream);

/// Returns the CRC-32 that PNG chunks use, over `count` bytes. `start` is the result for the bytes before them; 0 for
/// the first bytes. Uses libdeflate. In C because only one Swift target may import a library, and WebImageStore
/// imports libdeflate.
uint32_t cpng_crc32(uint32_t start, const uint8_t *bytes, size_t count);

/// Inflates a zlib stream. Returns the number of inflated bytes, or -1 if the stream is damaged or inflates to more
/// than `capacity` bytes. In C because this package has no Swift module for zlib; libpng links zlib.
ptrdiff_t cpng_inflate(const uint8_t *bytes, size_t count, uint8_t *target, size_t capacity);

/// Inflates a zlib stream with libdeflate, in half the time of zlib. False if the stream is damaged or does not
/// inflate to exactly `target_count` bytes.
bool cpng_inflate_whole(const uint8_t *stream, size_t count, uint8_t *target, size_t target_count);

/// Undoes the PNG filters of `count` rows in place. Each row is one filter byte and `row_bytes` bytes. The memory
/// before the first row must contain the previous row, or zeros. False for an invalid filter. In C because each pixel
/// depends on the previous pixel, and such a loop is slow in Swift.
bool cpng_unfilter(uint8_t *rows, size_t row_bytes, size_t pixel_bytes, size_t count);

typedef struct CPNGWriter CPNGWriter;

typedef struct {
    uint32_t width;
    uint32_t height;
    /// The layout of the rows to write.
    CPNGLayout layout;
    /// Whether the fourth channel is alpha. If it is not, the file is written without the fourth channel.
    bool has_alpha;
    /// zlib's level, 0 to 9.
    int compression_level;
    /// An ICC profile, or NULL.
    const uint8_t *icc;
    size_t icc_count;
} CPNGDescription;

/// Creates a writer to memory. NULL when out of memory. In C because libpng's constructor longjmps.
CPNGWriter *cpng_writer_create(void);

/// Writes a whole file. In C because every png_write function longjmps.
bool cpng_writer_write(CPNGWriter *writer, const CPNGDescription *description, const uint8_t *rows, size_t stride);

/// Returns the file; the caller frees it with free().
uint8_t *cpng_writer_take(CPNGWriter *writer, size_t *count);

/// libpng's message for the last failure; never NULL.
const char *cpng_writer_message(const CPNGWriter *writer);

void cpng_writer_destroy(CPNGWriter *writer);

#endif
