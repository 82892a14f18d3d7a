#include <librsvg/rsvg.h>
#include "CWebImageRSVGCheck.h"

// shim.h declares functions and types of librsvg once more. If one of these declarations differs from librsvg's header,
// this file does not compile. Building this file is therefore the test.
#pragma clang diagnostic ignored "-Wnullability-completeness"
#include "../../../Sources/CWebImageRSVG/shim.h"

_Static_assert(sizeof(gsize) == sizeof(size_t), "sizes are the system's");
_Static_assert(offsetof(GError, message) == 8, "GError is as declared");
_Static_assert(sizeof(RsvgRectangle) == 4 * sizeof(double) && offsetof(RsvgRectangle, height) == 24, "as declared");
_Static_assert(sizeof(RsvgLength) == 16 && offsetof(RsvgLength, unit) == 8, "as declared");
_Static_assert(RSVG_UNIT_PX == 1 && RSVG_UNIT_PC == 8, "as declared");
_Static_assert(G_ZLIB_COMPRESSOR_FORMAT_GZIP == 1 && G_CONVERTER_INPUT_AT_END == 1, "as declared");
_Static_assert(G_CONVERTER_ERROR == 0 && G_CONVERTER_FINISHED == 2, "as declared");
_Static_assert(CAIRO_FORMAT_ARGB32 == 0 && CAIRO_STATUS_SUCCESS == 0, "as declared");

int webimage_rsvg_declarations_are_theirs(void) { return 1; }
