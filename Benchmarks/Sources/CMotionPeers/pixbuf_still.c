#include "CMotionPeers.h"

#include <gdk-pixbuf/gdk-pixbuf.h>

int peer_gdk_decode(const unsigned char *data, size_t length, int side) {
    GInputStream *stream = g_memory_input_stream_new_from_data(data, length, NULL);
    GdkPixbuf *picture = side > 0 ? gdk_pixbuf_new_from_stream_at_scale(stream, side, side, TRUE, NULL, NULL)
                                  : gdk_pixbuf_new_from_stream(stream, NULL, NULL);
    g_object_unref(stream);
    if (!picture) return 1;
    g_object_unref(picture);
    return 0;
}

int peer_gdk_resize_jpeg(const unsigned char *data, size_t length, int width, int height, int quality) {
    GInputStream *stream = g_memory_input_stream_new_from_data(data, length, NULL);
    GdkPixbuf *picture = gdk_pixbuf_new_from_stream_at_scale(stream, width, height, TRUE, NULL, NULL);
    g_object_unref(stream);
    if (!picture) return 1;
    char text[8];
    g_snprintf(text, sizeof text, "%d", quality);
    gchar *file = NULL;
    gsize size = 0;
    gboolean done = gdk_pixbuf_save_to_buffer(picture, &file, &size, "jpeg", NULL, "quality", text, NULL);
    g_object_unref(picture);
    g_free(file);
    return done ? 0 : 1;
}
