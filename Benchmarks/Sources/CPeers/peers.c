#include "CPeers.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>
#include <vips/vips.h>
// Newer headers of libvips define error_exit as a macro, which is also a member of libjpeg's error manager.
#undef error_exit

struct bare_error {
    struct jpeg_error_mgr manager;
    jmp_buf jump;
};

static void bare_exit(j_common_ptr info) { longjmp(((struct bare_error *)info->err)->jump, 1); }

int peer_libjpeg_decode(const unsigned char *data, size_t length) {
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
    info.out_color_space = JCS_EXT_BGRX;
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

int peer_vips_start(int threads) {
    // Suppresses the warning that libvips prints for each AVIF, which is not part of the job.
    g_setenv("VIPS_WARNING", "1", TRUE);
    if (vips_init("webimage-benchmarks")) return 1;
    vips_concurrency_set(threads);
    // A cache of finished operations would make every run after the first one free.
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
