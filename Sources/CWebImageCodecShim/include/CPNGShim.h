#ifndef CPNGSHIM_H
#define CPNGSHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// libpng reports an error by calling longjmp, which must never cross a Swift frame. Therefore each function here sets a
// jump target before it calls a libpng function that can fail. After an error, the function returns false or NULL.
// libpng's message is then in the handle.

typedef struct CPNGReader CPNGReader;

typedef enum {
    CPNG_GRAY8,
    /// Two bytes in the machine's order. Only the writer takes it.
    CPNG_GRAY16,
    CPNG_RGB8,
    CPNG_RGBA8,
    CPNG_BGRA8,
    CPNG_RGBA16,
    /// Rows as they are in a file. Only the filters of a writer take them.
    CPNG_STORED,
} CPNGLayout;

/// Creates a reader of a file in memory. `bytes` must outlive the reader. Returns NULL when out of memory. The function
/// is in C because libpng's constructor can call longjmp. A second reason is libpng's read callback, which reports
/// missing bytes by png_error; png_error does not return.
CPNGReader *cpng_reader_create(const uint8_t *bytes, size_t count);

/// Reads the chunks before the pixels. Unneeded chunks are skipped and not inflated. A needed chunk must not have more
/// than `max_chunk_bytes`. The function is in C because png_read_info can call longjmp.
bool cpng_reader_read_header(CPNGReader *reader, size_t max_chunk_bytes);

/// Makes libpng convert each row to `layout`. Sets *passes to 7 for an interlaced picture, else to 1. Sets *row_bytes
/// to the number of bytes that libpng writes per row. The function is in C because the png_set_ functions can call
/// longjmp.
bool cpng_reader_start(CPNGReader *reader, CPNGLayout layout, int *passes, size_t *row_bytes);

/// Makes libpng return the rows as they are stored: with the file's colour type and depth, 16-bit samples with the high byte
/// first. Otherwise as ``cpng_reader_start``.
bool cpng_reader_start_stored(CPNGReader *reader, int *passes, size_t *row_bytes);

/// Reads the next `count` rows. Row starts in `rows` are `stride` bytes apart. For an interlaced picture, read all rows
/// once per pass, each time into the same memory. The function is in C because png_read_row can call longjmp.
bool cpng_reader_read_rows(CPNGReader *reader, uint8_t *rows, size_t stride, size_t count);

/// Reads the chunks after the pixels, to check that the file is complete. The function is in C because png_read_end can
/// call longjmp.
bool cpng_reader_finish(CPNGReader *reader);

/// Sets *bytes to the inflated ICC profile. The reader owns the profile. Returns false if the file has no profile, or
/// if libpng finds the profile invalid. The function is in C because png_get_iCCP can call longjmp.
bool cpng_reader_icc(CPNGReader *reader, const uint8_t **bytes, size_t *count);

/// Writes red, green and blue of each palette entry to `colors`. A palette has at most 256 entries. Writes the alpha
/// values of the first *alpha_count entries to `alphas`. Returns false if the file has no palette. The function is in C
/// because png_get_PLTE and png_get_tRNS can call longjmp.
bool cpng_reader_palette(
    CPNGReader *reader, uint8_t *colors, size_t *color_count, uint8_t *alphas, size_t *alpha_count);

/// Returns libpng's message for the last failure. Never returns NULL.
const char *cpng_reader_message(const CPNGReader *reader);

void cpng_reader_destroy(CPNGReader *reader);

typedef struct CPNGStream CPNGStream;

typedef struct {
    /// The number of rows that the first pass has decoded. If the picture is not interlaced, this number is equal to
    /// ``final_rows``.
    uint32_t first_pass_rows;
    /// The number of rows, counted from the top, whose pixels are final.
    uint32_t final_rows;
    /// A counter that grows by 1 with each decoded row of each pass, and by 1 when the end chunk is read.
    uint64_t event_count;
    /// Whether the end chunk has been read.
    bool has_ended;
} CPNGProgress;

/// Creates a reader for a file that arrives in pieces (libpng's push reader). When a row arrives, the reader converts
/// the row to `layout` and writes it to `pixels`. `pixels` must outlive the reader. The function is in C because
/// libpng's constructor and its callbacks can call longjmp.
CPNGStream *cpng_stream_create(
    CPNGLayout layout, uint8_t *pixels, size_t stride, uint32_t height, size_t max_chunk_bytes);

/// Decodes the next bytes of the file. The function is in C because png_process_data can call longjmp.
bool cpng_stream_append(CPNGStream *stream, const uint8_t *bytes, size_t count, CPNGProgress *progress);

/// Returns libpng's message for the last failure. Never returns NULL.
const char *cpng_stream_message(const CPNGStream *stream);

void cpng_stream_destroy(CPNGStream *stream);

/// Returns the CRC-32 of `count` bytes, computed as in PNG chunks. `start` is the result for the preceding bytes, or 0
/// for the first bytes. Uses libdeflate. The function is in C because this package imports each C library into only one
/// Swift target. For libdeflate, this target is WebImageStore.
uint32_t cpng_crc32(uint32_t start, const uint8_t *bytes, size_t count);

/// Inflates a zlib stream. Returns the number of inflated bytes, or -1 if the stream is damaged or inflates to more
/// than `capacity` bytes. The function is in C because this package has no Swift module for zlib. zlib is available
/// because libpng links zlib.
ptrdiff_t cpng_inflate(const uint8_t *bytes, size_t count, uint8_t *target, size_t capacity);

/// Inflates a zlib stream with libdeflate, in half the time of zlib. Returns false if the stream is damaged or does not
/// inflate to exactly `target_count` bytes.
bool cpng_inflate_whole(const uint8_t *stream, size_t count, uint8_t *target, size_t target_count);

/// Undoes the PNG filters of `count` rows in place. Each row has one filter byte and then `row_bytes` bytes. The
/// `row_bytes` bytes before `rows` must contain the previous row without its filter byte, or zeros. Returns false for
/// an invalid filter. The function is in C because each pixel depends on the previous pixel, and such a loop is slow in
/// Swift.
bool cpng_unfilter(uint8_t *rows, size_t row_bytes, size_t pixel_bytes, size_t count);

typedef struct CPNGWriter CPNGWriter;

typedef struct {
    uint32_t width;
    uint32_t height;
    /// The layout of the rows to write.
    CPNGLayout layout;
    /// Whether the fourth channel is alpha. If not, the file is written without the fourth channel.
    bool has_alpha;
    /// Whether the file may have another colour type or fewer bits, with the same pixels.
    bool may_be_reduced;
    /// Whether colours are declared by a profile or code points. Then a colour picture never becomes grey.
    bool has_color_space;
    /// How much time the compression may take, 1 to 9.
    int effort;
    /// An ICC profile, or NULL.
    const uint8_t *icc;
    size_t icc_count;
    /// Called between rows. A result other than 0 ends the writing as a failure.
    int (*should_stop)(void);
} CPNGDescription;

/// Creates a writer that writes a file to memory. Returns NULL when out of memory. The function is in C because
/// libpng's constructor can call longjmp.
CPNGWriter *cpng_writer_create(void);

/// Writes a whole file. The function is in C because every png_write function can call longjmp.
bool cpng_writer_write(CPNGWriter *writer, const CPNGDescription *description, const uint8_t *rows, size_t stride);

/// Returns the bytes of the file. The caller frees them with free().
uint8_t *cpng_writer_take(CPNGWriter *writer, size_t *count);

/// Returns libpng's message for the last failure. Never returns NULL.
const char *cpng_writer_message(const CPNGWriter *writer);

void cpng_writer_destroy(CPNGWriter *writer);

/// The samples of stored rows: the colour type and the bits of a sample, as in a file's header.
typedef struct {
    int color;
    int depth;
} CPNGForm;

/// Moves the samples of rows with 8 or 16 bits and no palette together, so that the rows have the same pixels in fewer bytes:
/// without alpha that is opaque everywhere, with grey for equal colours if `may_be_gray`, and 8 bits for samples whose two
/// bytes are equal. Sets *form to the new form. Returns false if nothing changed. The function is in C because it visits
/// each byte.
bool cpng_narrow_rows(uint8_t *rows, size_t stride, uint32_t width, uint32_t height, bool may_be_gray, CPNGForm *form);

/// Filters and compresses rows for the pixel data of a file. `pixel_bytes` is 1 for pixels of fewer than 8 bits. The caller
/// frees *bytes with free(). Returns false when out of memory, or if `should_stop` has ended it. The function is in C because
/// this package imports libdeflate into WebImageStore only.
bool cpng_compress_rows(
    const uint8_t *rows, size_t stride, size_t row_bytes, size_t pixel_bytes, size_t height, int effort,
    int (*should_stop)(void), uint8_t **bytes, size_t *count);

#endif
