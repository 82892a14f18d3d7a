#ifndef MARKERS_H
#define MARKERS_H

#include "thumbnail.h"

/* The parts of a file before its data. markers.c reads the file from marker to marker, frame.c the header of the frame and
   scan_header.c that of each scan. */

static inline int ceiling(int value, int divisor) { return (value + divisor - 1) / divisor; }

/* frame.c. `bytes` are behind the segment's length. */
webimage_jpeg_thumbnail_status webimage_jt_read_frame(decoder *decoder, const uint8_t *bytes, size_t size);

/* scan_header.c */
/* Reads the header of a scan, and checks the scan or decodes it. */
webimage_jpeg_thumbnail_status webimage_jt_read_scan(decoder *decoder, const uint8_t *bytes, size_t size);

#endif
