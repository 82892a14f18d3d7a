#include "CMotionPeers.h"

#include <string.h>

// GdkPixbufAnimationIter is deprecated, but programs still use it. The benchmark therefore compares with it.
#define GDK_PIXBUF_DISABLE_DEPRECATION_WARNINGS
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
#include <gdk-pixbuf/gdk-pixbuf.h>

int peer_gdk_frames(const unsigned char *data, size_t length, int frames, unsigned char *out) {
    GInputStream *stream = g_memory_input_stream_new_from_data(data, length, NULL);
    GdkPixbufAnimation *animation = gdk_pixbuf_animation_new_from_stream(stream, NULL, NULL);
    g_object_unref(stream);
    if (!animation) return 1;
    GTimeVal now = {1000, 0};
    GdkPixbufAnimationIter *iter = gdk_pixbuf_animation_get_iter(animation, &now);
    int status = 0;
    for (int i = 0; i < frames && !status; i++) {
        GdkPixbuf *frame = gdk_pixbuf_animation_iter_get_pixbuf(iter);
        if (!frame) status = 1;
        if (frame && out && i == frames - 1) {
            int width = gdk_pixbuf_get_width(frame), channels = gdk_pixbuf_get_n_channels(frame);
            for (int y = 0; y < gdk_pixbuf_get_height(frame); y++) {
                const guchar *row = gdk_pixbuf_get_pixels(frame) + (size_t)y * gdk_pixbuf_get_rowstride(frame);
                for (int x = 0; x < width; x++) {
                    unsigned char *pixel = out + ((size_t)y * width + x) * 4;
                    memcpy(pixel, row + (size_t)x * channels, 3);
                    pixel[3] = channels == 4 ? row[(size_t)x * channels + 3] : 255;
                }
            }
        }
        int delay = gdk_pixbuf_animation_iter_get_delay_time(iter);
        g_time_val_add(&now, (glong)(delay > 0 ? delay : 100) * 1000);
        gdk_pixbuf_animation_iter_advance(iter, &now);
    }
    g_object_unref(iter);
    g_object_unref(animation);
    return status;
}
