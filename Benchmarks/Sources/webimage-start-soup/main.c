// A peer of the benchmark `cold-start`: a C program that loads one picture without our library. The program downloads
// the picture with libsoup and libsoup's disk cache. It decodes the picture with gdk-pixbuf to fit into 256 px and
// prints the width of the decoded picture.
//   webimage-start-soup URL CACHE-FOLDER
#include <gdk-pixbuf/gdk-pixbuf.h>
#include <libsoup/soup.h>
#include <stdio.h>

int main(int count, char **arguments) {
    if (count < 3) return 2;
    SoupSession *session = soup_session_new();
    SoupCache *cache = soup_cache_new(arguments[2], SOUP_CACHE_SINGLE_USER);
    soup_session_add_feature(session, SOUP_SESSION_FEATURE(cache));
    soup_cache_load(cache);
    SoupMessage *message = soup_message_new("GET", arguments[1]);
    GInputStream *stream = soup_session_send(session, message, NULL, NULL);
    if (!stream) return 1;
    GdkPixbuf *pixbuf = gdk_pixbuf_new_from_stream_at_scale(stream, 256, 256, TRUE, NULL, NULL);
    if (!pixbuf) return 1;
    printf("%d\n", gdk_pixbuf_get_width(pixbuf));
    fflush(stdout);
    g_object_unref(stream);
    soup_cache_flush(cache);
    soup_cache_dump(cache);
    return 0;
}
