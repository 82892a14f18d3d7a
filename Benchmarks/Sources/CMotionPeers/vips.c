#include "CMotionPeers.h"

#include <string.h>
#include <vips/vips.h>

static int finish(VipsImage *image, unsigned char *out) {
    size_t size = 0;
    void *memory = vips_image_write_to_memory(image, &size);
    g_object_unref(image);
    if (!memory) return 1;
    if (out) memcpy(out, memory, size);
    g_free(memory);
    return 0;
}

static VipsImage *open_rgb(const unsigned char *rgb, int width, int height) {
    return vips_image_new_from_memory(rgb, (size_t)width * height * 3, width, height, 3, VIPS_FORMAT_UCHAR);
}

int peer_vips_resize(const unsigned char *rgb, int width, int height, int to_width, int to_height, unsigned char *out) {
    VipsImage *image = open_rgb(rgb, width, height), *small = NULL;
    if (!image) return 1;
    int status = vips_resize(
        image, &small, (double)to_width / width, "vscale", (double)to_height / height, "kernel", VIPS_KERNEL_LANCZOS3, NULL);
    if (!status) status = small->Xsize == to_width && small->Ysize == to_height ? finish(small, out) : 1;
    g_object_unref(image);
    return status;
}

int peer_vips_blur(const unsigned char *rgb, int width, int height, double deviation, unsigned char *out) {
    VipsImage *image = open_rgb(rgb, width, height), *soft = NULL;
    if (!image) return 1;
    int status = vips_gaussblur(image, &soft, deviation, NULL);
    if (!status) status = finish(soft, out);
    g_object_unref(image);
    return status;
}
