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
