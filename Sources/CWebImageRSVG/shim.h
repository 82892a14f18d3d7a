// The functions of librsvg, cairo, GLib and GIO that this package calls. This header declares the functions itself,
// because only pkg-config can find the headers of the libraries, and pkg-config would also link the libraries. A test
// target includes the libraries' headers and this header. If a declaration differs from the library's declaration, the
// test target does not compile.
#ifndef WEBIMAGE_CRSVG_H
#define WEBIMAGE_CRSVG_H

#include <stddef.h>
#include <stdint.h>
#include <CWebImageSharedLibrary.h>

#define RSVG_LIBRARY "librsvg-2.so.2"

#ifndef RSVG_H
typedef struct _RsvgHandle RsvgHandle;
typedef struct {
    double x, y, width, height;
} RsvgRectangle;
typedef enum {
    RSVG_UNIT_PERCENT, RSVG_UNIT_PX, RSVG_UNIT_EM, RSVG_UNIT_EX, RSVG_UNIT_IN, RSVG_UNIT_CM, RSVG_UNIT_MM, RSVG_UNIT_PT,
    RSVG_UNIT_PC
} RsvgUnit;
typedef struct {
    double length;
    RsvgUnit unit;
} RsvgLength;
typedef int gboolean;
typedef struct {
    uint32_t domain;
    int code;
    char *message;
} GError;
typedef struct _GCancellable GCancellable;
typedef struct _GConverter GConverter;
typedef struct _GZlibDecompressor GZlibDecompressor;
// The next three enumerations declare all members, in the same order as GIO. A program can also import GTK's headers,
// which include the declarations of GIO. Then the compiler requires that both declarations are equal.
typedef enum {
    G_ZLIB_COMPRESSOR_FORMAT_ZLIB, G_ZLIB_COMPRESSOR_FORMAT_GZIP, G_ZLIB_COMPRESSOR_FORMAT_RAW
} GZlibCompressorFormat;
typedef enum {
    G_CONVERTER_NO_FLAGS = 0, G_CONVERTER_INPUT_AT_END = (1 << 0), G_CONVERTER_FLUSH = (1 << 1)
} GConverterFlags;
typedef enum {
    G_CONVERTER_ERROR = 0, G_CONVERTER_CONVERTED = 1, G_CONVERTER_FINISHED = 2, G_CONVERTER_FLUSHED = 3
} GConverterResult;
typedef struct _cairo cairo_t;
typedef struct _cairo_surface cairo_surface_t;
typedef enum { CAIRO_FORMAT_ARGB32 = 0 } cairo_format_t;
typedef enum { CAIRO_STATUS_SUCCESS = 0 } cairo_status_t;
#endif

extern const unsigned int rsvg_major_version, rsvg_minor_version, rsvg_micro_version;
RsvgHandle *rsvg_handle_new_from_data(const uint8_t *data, size_t length, GError **error);
void rsvg_handle_set_dpi(RsvgHandle *handle, double dpi);
gboolean rsvg_handle_set_stylesheet(RsvgHandle *handle, const uint8_t *css, size_t length, GError **error);
gboolean rsvg_handle_render_document(
    RsvgHandle *handle, cairo_t *context, const RsvgRectangle *viewport, GError **error);
void rsvg_handle_get_intrinsic_dimensions(
    RsvgHandle *handle, gboolean *hasWidth, RsvgLength *width, gboolean *hasHeight, RsvgLength *height,
    gboolean *hasViewBox, RsvgRectangle *viewBox);
gboolean rsvg_handle_get_intrinsic_size_in_pixels(RsvgHandle *handle, double *width, double *height);
gboolean rsvg_handle_get_geometry_for_layer(
    RsvgHandle *handle, const char *id, const RsvgRectangle *viewport, RsvgRectangle *ink, RsvgRectangle *logical,
    GError **error);

// Since librsvg 2.60.
void rsvg_handle_set_cancellable_for_rendering(RsvgHandle *handle, GCancellable *cancellable);

GCancellable *g_cancellable_new(void);
void g_cancellable_cancel(GCancellable *cancellable);
void g_object_unref(void *object);
void g_error_free(GError *error);
GZlibDecompressor *g_zlib_decompressor_new(GZlibCompressorFormat format);
GConverterResult g_converter_convert(
    GConverter *converter, const void *input, size_t inputCount, void *output, size_t outputCount,
    GConverterFlags flags, size_t *read, size_t *written, GError **error);

cairo_surface_t *cairo_image_surface_create_for_data(
    unsigned char *data, cairo_format_t format, int width, int height, int stride);
cairo_t *cairo_create(cairo_surface_t *surface);
void cairo_destroy(cairo_t *context);
void cairo_scale(cairo_t *context, double x, double y);
cairo_status_t cairo_status(cairo_t *context);
const char *cairo_status_to_string(cairo_status_t status);
void cairo_surface_destroy(cairo_surface_t *surface);
void cairo_surface_finish(cairo_surface_t *surface);
void cairo_surface_flush(cairo_surface_t *surface);

#define RSVG_FUNCTIONS(take)                                                                                    \
    take(cairo_create) take(cairo_destroy) take(cairo_image_surface_create_for_data) take(cairo_scale)          \
    take(cairo_status) take(cairo_status_to_string) take(cairo_surface_destroy) take(cairo_surface_finish)      \
    take(cairo_surface_flush) take(g_converter_convert) take(g_error_free) take(g_object_unref)                 \
    take(g_zlib_decompressor_new) take(rsvg_handle_get_geometry_for_layer)                                      \
    take(rsvg_handle_get_intrinsic_size_in_pixels)                                                              \
    take(rsvg_handle_get_intrinsic_dimensions) take(rsvg_handle_new_from_data) take(rsvg_handle_render_document)\
    take(rsvg_handle_set_dpi) take(rsvg_handle_set_stylesheet)                                                  \
    take(rsvg_major_version) take(rsvg_minor_version) take(rsvg_micro_version)

SHARED_LIBRARY_TABLE(RSVGFunctions, RSVG_FUNCTIONS)

// The functions that end a drawing. librsvg before 2.60 does not have them.
#define RSVG_CANCELLING(take) \
    take(g_cancellable_cancel) take(g_cancellable_new) take(rsvg_handle_set_cancellable_for_rendering)

SHARED_LIBRARY_TABLE(RSVGCancelling, RSVG_CANCELLING)

#endif
