#include "CMotionPeers.h"

#include <stdio.h>
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

int peer_vips_flip(const unsigned char *rgb, int width, int height, unsigned char *out) {
    VipsImage *image = open_rgb(rgb, width, height), *moved = NULL;
    if (!image) return 1;
    int status = vips_flip(image, &moved, VIPS_DIRECTION_HORIZONTAL, NULL);
    if (!status) status = finish(moved, out);
    g_object_unref(image);
    return status;
}

int peer_vips_rotate(const unsigned char *rgb, int width, int height, unsigned char *out) {
    VipsImage *image = open_rgb(rgb, width, height), *moved = NULL;
    if (!image) return 1;
    int status = vips_rot270(image, &moved, NULL);
    if (!status) status = finish(moved, out);
    g_object_unref(image);
    return status;
}

// Rounds the corners as the manual of libvips shows. The function renders an SVG with a rounded rectangle. The
// alpha channel of the rendered SVG becomes the alpha channel of the picture.
int peer_vips_round(const unsigned char *rgb, int width, int height, int radius, unsigned char *out) {
    char drawing[256];
    snprintf(drawing, sizeof drawing, "<svg width='%d' height='%d'><rect width='%d' height='%d' rx='%d' ry='%d'/></svg>",
        width, height, width, height, radius, radius);
    VipsImage *image = open_rgb(rgb, width, height), *shape = NULL, *mask = NULL, *cut = NULL;
    if (!image) return 1;
    int status = vips_svgload_buffer(drawing, strlen(drawing), &shape, NULL);
    if (!status) status = vips_extract_band(shape, &mask, 3, NULL);
    if (!status) status = vips_bandjoin2(image, mask, &cut, NULL);
    if (!status) status = finish(cut, out);
    if (mask) g_object_unref(mask);
    if (shape) g_object_unref(shape);
    g_object_unref(image);
    return status;
}

int peer_vips_tint(const unsigned char *rgb, int width, int height, const unsigned char color[3], unsigned char *out) {
    double values[3] = {color[0], color[1], color[2]};
    VipsImage *image = open_rgb(rgb, width, height);
    if (!image) return 1;
    VipsImage *plain = vips_image_new_from_image(image, values, 3), *tinted = NULL;
    // The picture is opaque. The tint therefore covers the whole rectangle, and the alpha of every pixel is 255.
    int status = plain ? vips_bandjoin_const1(plain, &tinted, 255, NULL) : 1;
    if (!status) status = finish(tinted, out);
    if (plain) g_object_unref(plain);
    g_object_unref(image);
    return status;
}
