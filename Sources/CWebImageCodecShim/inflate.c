#include "CWebImageCodecShim.h"

#include <libdeflate.h>

int webimage_inflate(const uint8_t *bytes, size_t count, int is_gzip, uint8_t *target, size_t target_count) {
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    if (!decompressor) return 0;
    size_t written = 0;
    enum libdeflate_result result =
        is_gzip ? libdeflate_gzip_decompress(decompressor, bytes, count, target, target_count, &written)
                : libdeflate_deflate_decompress(decompressor, bytes, count, target, target_count, &written);
    libdeflate_free_decompressor(decompressor);
    return result == LIBDEFLATE_SUCCESS && written == target_count;
}
