#if !__has_include(<libraw/libraw.h>)
#error "The headers of LibRaw are missing: run Scripts/setup of swift-web-image, or install libraw-dev"
#else

#include <libraw/libraw.h>
#include <stdint.h>
#include <CWebImageSharedLibrary.h>

// The library's file name. The layout of `libraw_data_t` differs between versions, and each layout has its own number in
// the file name. So the library that is loaded has the layout of these headers.
#define LIBRAW_TEXT_OF(number) #number
#define LIBRAW_TEXT(number) LIBRAW_TEXT_OF(number)
static const char *_Nonnull const LIBRAW_LIBRARY = "libraw.so." LIBRAW_TEXT(LIBRAW_SHLIB_CURRENT);

#define LIBRAW_FUNCTIONS(take)                                                                                  \
    take(libraw_adjust_sizes_info_only) take(libraw_close) take(libraw_dcraw_clear_mem)                         \
    take(libraw_dcraw_make_mem_image) take(libraw_dcraw_process) take(libraw_init) take(libraw_open_buffer)     \
    take(libraw_recycle)                                                                                        \
    take(libraw_set_progress_handler) take(libraw_strerror) take(libraw_unpack) take(libraw_unpack_thumb)       \
    take(libraw_version)

SHARED_LIBRARY_TABLE(LibRawFunctions, LIBRAW_FUNCTIONS)

// What a file declares. Sizes are in pixels.
typedef struct {
    // The sensor with its borders.
    size_t raw_width, raw_height;
    // The picture before it is turned.
    size_t width, height;
    // LibRaw's number of the turn: 0, 3 (half), 5 (a quarter to the left), 6 (a quarter to the right), or with bit 0, 1 or
    // 2 for a mirrored column, a mirrored row and swapped sides.
    int flip;
    int colors;
} webimage_raw_facts;

static inline webimage_raw_facts webimage_raw_describe(const libraw_data_t *_Nonnull raw) {
    webimage_raw_facts facts = {
        raw->sizes.raw_width, raw->sizes.raw_height, raw->sizes.iwidth, raw->sizes.iheight, raw->sizes.flip,
        raw->idata.colors,
    };
    return facts;
}

// Before a file is opened: the largest memory for the samples of its sensor.
static inline void webimage_raw_limit_memory(libraw_data_t *_Nonnull raw, unsigned megabytes) {
#if LIBRAW_MAJOR_VERSION > 0 || LIBRAW_MINOR_VERSION > 20
    raw->rawparams.max_raw_memory_mb = megabytes;
#else
    raw->params.max_raw_memory_mb = megabytes;
#endif
}

// The picture stays as the sensor has it; the caller turns it.
static inline void webimage_raw_keep_turn(libraw_data_t *_Nonnull raw) { raw->params.user_flip = 0; }

// Before a file is processed: the camera's white balance, and samples of sRGB with 8 or 16 bits. With `is_half`, each pixel
// of the result is a group of four of the sensor.
static inline void webimage_raw_configure(libraw_data_t *_Nonnull raw, int is_half, int is_deep) {
    raw->params.half_size = is_half;
    raw->params.output_bps = is_deep ? 16 : 8;
    raw->params.use_camera_wb = 1;
    raw->params.output_color = 1;
    // The curve of sRGB: its exponent, and the slope of its line near black.
    raw->params.gamm[0] = 1 / 2.4;
    raw->params.gamm[1] = 12.92;
}

// The half-sized picture before LibRaw mixes its colours. Each pixel has four samples: red, green, blue, and the second green.
typedef struct {
    uint16_t *_Nullable pixels;
    size_t width, rows;
    // The picture in full size.
    size_t sensor_width, sensor_rows;
} webimage_raw_quads;

static inline webimage_raw_quads webimage_raw_half(const libraw_data_t *_Nonnull raw) {
    webimage_raw_quads quads = {
        (uint16_t *)(void *)raw->image, raw->sizes.iwidth, raw->sizes.iheight, raw->sizes.width, raw->sizes.height,
    };
    // Not of a sensor that LibRaw does not halve.
    if (quads.width != (quads.sensor_width + 1) / 2 || quads.rows != (quads.sensor_rows + 1) / 2) quads.pixels = NULL;
    return quads;
}

// The place of a colour in each group of four samples: 0 and 1 above, 2 and 3 below. Negative if the sensor has other groups.
// LibRaw describes eight rows of two columns by two bits each; smaller numbers stand for other patterns.
static inline int webimage_raw_place(const libraw_data_t *_Nonnull raw, unsigned color) {
    unsigned const filters = raw->idata.filters;
    if (filters <= 1000 || raw->idata.colors != 3) return -1;
    int place = -1;
    for (unsigned index = 0; index < 16; index++) {
        if ((filters >> (2 * index) & 3) != color) continue;
        if (place >= 0 && (unsigned)place != index % 4) return -1;
        place = (int)(index % 4);
    }
    return place;
}

// The preview of the file if it is a JPEG, after `libraw_unpack_thumb`.
static inline const uint8_t *_Nullable webimage_raw_preview(const libraw_data_t *_Nonnull raw, size_t *_Nonnull count) {
    *count = raw->thumbnail.tlength;
    return raw->thumbnail.tformat == LIBRAW_THUMBNAIL_JPEG ? (const uint8_t *)raw->thumbnail.thumb : NULL;
}

// The bytes behind the fields of a processed picture.
static inline const uint8_t *_Nonnull webimage_raw_bytes(const libraw_processed_image_t *_Nonnull image) {
    return image->data;
}

// Writes rows of interleaved grey or RGB samples of 16 bits as pixels of four samples without transparency.
static inline void webimage_raw_write_deep(
    const uint8_t *_Nonnull bytes, size_t colors, size_t width, size_t rows, uint8_t *_Nonnull target, size_t stride) {
    for (size_t row = 0; row < rows; row++) {
        const uint16_t *source = (const uint16_t *)(const void *)(bytes + row * width * colors * 2);
        uint16_t *pixels = (uint16_t *)(void *)(target + row * stride);
        for (size_t x = 0; x < width; x++) {
            for (size_t channel = 0; channel < 3; channel++) {
                pixels[4 * x + channel] = source[x * colors + (colors == 3 ? channel : 0)];
            }
            pixels[4 * x + 3] = 65535;
        }
    }
}

#endif
