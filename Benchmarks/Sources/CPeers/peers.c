#include "CPeers.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>
#include <vips/vips.h>
// Newer headers of libvips define a macro with the name error_exit. This macro would replace the name of the member
// `error_exit` of libjpeg's error manager.
#undef error_exit

struct bare_error {
    struct jpeg_error_mgr manager;
    jmp_buf jump;
};

static void bare_exit(j_common_ptr info) { longjmp(((struct bare_error *)info->err)->jump, 1); }

static int libjpeg_decode(const unsigned char *data, size_t length, unsigned denominator) {
    struct jpeg_decompress_struct info;
    struct bare_error error;
    unsigned char *volatile pixels = NULL;
    info.err = jpeg_std_error(&error.manager);
    error.manager.error_exit = bare_exit;
    if (setjmp(error.jump)) {
        jpeg_destroy_decompress(&info);
        free(pixels);
        return 1;
    }
    jpeg_create_decompress(&info);
    jpeg_mem_src(&info, data, length);
    jpeg_read_header(&info, TRUE);
    // libjpeg-turbo cannot convert CMYK and YCCK to BGRX. Decode these files to CMYK, which also has four
    // bytes per pixel.
    int is_ink = info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
    info.out_color_space = is_ink ? JCS_CMYK : JCS_EXT_BGRX;
    info.scale_denom = denominator;
    jpeg_start_decompress(&info);
    size_t stride = (size_t)info.output_width * 4;
    pixels = malloc(stride * info.output_height);
    JSAMPROW rows[16];
    while (info.output_scanline < info.output_height) {
        for (int row = 0; row < 16; row++) {
            size_t line = info.output_scanline + row;
            if (line >= info.output_height) line = info.output_height - 1;
            rows[row] = pixels + line * stride;
        }
        JDIMENSION left = info.output_height - info.output_scanline;
        jpeg_read_scanlines(&info, rows, left < 16 ? left : 16);
    }
    jpeg_finish_decompress(&info);
    jpeg_destroy_decompress(&info);
    free(pixels);
    return 0;
}

int peer_libjpeg_decode(const unsigned char *data, size_t length) { return libjpeg_decode(data, length, 1); }

int peer_libjpeg_decode_eighth(const unsigned char *data, size_t length) { return libjpeg_decode(data, length, 8); }

size_t peer_libjpeg_encode(
    const unsigned char *pixels, int width, int height, size_t stride, int quality, unsigned char **file
) {
    struct jpeg_compress_struct info;
    struct bare_error error;
    unsigned long size = 0;
    *file = NULL;
    info.err = jpeg_std_error(&error.manager);
    error.manager.error_exit = bare_exit;
    if (setjmp(error.jump)) {
        jpeg_destroy_compress(&info);
        return 0;
    }
    jpeg_create_compress(&info);
    jpeg_mem_dest(&info, file, &size);
    info.image_width = (JDIMENSION)width;
    info.image_height = (JDIMENSION)height;
    info.input_components = 4;
    info.in_color_space = JCS_EXT_BGRX;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, quality, TRUE);
    jpeg_start_compress(&info, TRUE);
    while (info.next_scanline < info.image_height) {
        JSAMPROW row = (JSAMPROW)(pixels + info.next_scanline * stride);
        jpeg_write_scanlines(&info, &row, 1);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    return size;
}

int peer_vips_start(int threads) {
    // Suppress the warning that libvips prints for each AVIF file. Otherwise the time for this output would be
    // measured.
    g_setenv("VIPS_WARNING", "1", TRUE);
    if (vips_init("webimage-benchmarks")) return 1;
    vips_concurrency_set(threads);
    // Disable libvips' cache of operations. With this cache, libvips would do no work in the second and later runs.
    vips_cache_set_max(0);
    return 0;
}

static int into_memory(VipsImage *image) {
    size_t size = 0;
    void *memory = vips_image_write_to_memory(image, &size);
    g_object_unref(image);
    if (!memory) return 1;
    g_free(memory);
    return 0;
}

int peer_vips_decode(const unsigned char *data, size_t length) {
    VipsImage *image = vips_image_new_from_buffer(data, length, "", NULL);
    return image ? into_memory(image) : 1;
}

int peer_vips_thumbnail(const unsigned char *data, size_t length, int side) {
    VipsImage *image = NULL;
    if (vips_thumbnail_buffer((void *)data, length, &image, side, "height", side, "size", VIPS_SIZE_DOWN, NULL)) return 1;
    return into_memory(image);
}

int peer_vips_resize_jpeg(const unsigned char *data, size_t length, int width, int height, int quality) {
    VipsImage *image = NULL;
    if (vips_thumbnail_buffer((void *)data, length, &image, width, "height", height, "size", VIPS_SIZE_DOWN, NULL))
        return 1;
    void *file = NULL;
    size_t size = 0;
    int status = vips_jpegsave_buffer(image, &file, &size, "Q", quality, NULL);
    g_object_unref(image);
    g_free(file);
    return status;
}

int peer_vips_write_jpeg(
    const unsigned char *data, size_t length, enum peer_jpeg_kind kind, const char *path
) {
    VipsImage *photo = vips_image_new_from_buffer(data, length, "", NULL), *image = NULL;
    if (!photo) return 1;
    int status = kind == PEER_JPEG_GREY  ? vips_colourspace(photo, &image, VIPS_INTERPRETATION_B_W, NULL)
               : kind == PEER_JPEG_CMYK ? vips_colourspace(photo, &image, VIPS_INTERPRETATION_CMYK, NULL)
                                        : vips_copy(photo, &image, NULL);
    g_object_unref(photo);
    if (status) return 1;
    if (kind == PEER_JPEG_ROTATED) vips_image_set_int(image, VIPS_META_ORIENTATION, 6);
    VipsForeignSubsample chroma =
        kind == PEER_JPEG_444 ? VIPS_FOREIGN_SUBSAMPLE_OFF : VIPS_FOREIGN_SUBSAMPLE_ON;
    status = vips_jpegsave(image, path, "Q", 85, "subsample_mode", chroma, NULL);
    g_object_unref(image);
    return status;
}
