#ifndef CCODECSHIM_H
#define CCODECSHIM_H

#include "CGIFShim.h"
#include "CJPEGShim.h"
#include "CPNGShim.h"

/* Unpacks data of gzip, or of the DEFLATE format alone, into a buffer of exactly its unpacked size. Returns 1, or 0 for
   damaged data and data of another size. */
int webimage_inflate(const uint8_t *bytes, size_t count, int is_gzip, uint8_t *target, size_t target_count);

#endif
