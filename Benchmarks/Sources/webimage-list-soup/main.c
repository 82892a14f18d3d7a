// A peer of the list benchmark: a GTK list that is written in C without our library. The program downloads with libsoup
// and libsoup's disk cache. It decodes with gdk-pixbuf at the displayed size and uses one GCancellable per row.
//   webimage-list-soup SERVER CACHE-FOLDER [--memory]
// With --memory, the program also stores the decoded pictures in a hash table. The manuals of these libraries do not
// show such a table, but a careful programmer would add it.
#include <CListStage.h>
#include <gtk/gtk.h>
#include <libsoup/soup.h>
#include <stdlib.h>
#include <string.h>

enum { rows = 1000, pictures = 200, side = 96 };

static const char *server;
static SoupSession *session;
static GHashTable *memory;
static GtkWidget *shown[rows];

typedef struct {
    GtkWidget *picture;
    GCancellable *cancellable;
    unsigned number;
} load;

static void end(load *load) {
    g_object_unref(load->picture);
    g_object_unref(load->cancellable);
    g_free(load);
}

static void show(load *load, GdkPaintable *texture) { gtk_picture_set_paintable(GTK_PICTURE(load->picture), texture); }

static void decoded(GObject *source, GAsyncResult *result, gpointer data) {
    load *load = data;
    GdkPixbuf *pixbuf = gdk_pixbuf_new_from_stream_finish(result, NULL);
    if (pixbuf && !g_cancellable_is_cancelled(load->cancellable)) {
        GdkTexture *texture = gdk_texture_new_for_pixbuf(pixbuf);
        show(load, GDK_PAINTABLE(texture));
        if (memory) g_hash_table_insert(memory, GUINT_TO_POINTER(load->number), g_object_ref(texture));
        g_object_unref(texture);
    }
    g_clear_object(&pixbuf);
    end(load);
}

static void sent(GObject *source, GAsyncResult *result, gpointer data) {
    load *load = data;
    GInputStream *stream = soup_session_send_finish(SOUP_SESSION(source), result, NULL);
    if (!stream) return end(load);
    gdk_pixbuf_new_from_stream_at_scale_async(stream, side, side, TRUE, load->cancellable, decoded, load);
    g_object_unref(stream);
}

static void setup(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer unused) {
    GtkWidget *picture = gtk_picture_new();
    list_stage_set_height(picture, side);
    gtk_list_item_set_child(item, picture);
}

static void bind(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer unused) {
    GtkWidget *picture = gtk_list_item_get_child(item);
    unsigned position = gtk_list_item_get_position(item);
    load *load = g_malloc0(sizeof *load);
    load->number = position % pictures;
    load->picture = g_object_ref(picture);
    load->cancellable = g_cancellable_new();
    shown[position] = picture;
    gtk_picture_set_paintable(GTK_PICTURE(picture), NULL);
    GdkPaintable *known = memory ? g_hash_table_lookup(memory, GUINT_TO_POINTER(load->number)) : NULL;
    if (known) {
        show(load, known);
        return end(load);
    }
    g_object_set_data_full(G_OBJECT(picture), "load", g_object_ref(load->cancellable), g_object_unref);
    char *address = g_strdup_printf("%s/%u.jpg", server, load->number);
    SoupMessage *message = soup_message_new("GET", address);
    soup_session_send_async(session, message, G_PRIORITY_DEFAULT, load->cancellable, sent, load);
    g_object_unref(message);
    g_free(address);
}

static void unbind(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer unused) {
    GtkWidget *picture = gtk_list_item_get_child(item);
    GCancellable *cancellable = g_object_get_data(G_OBJECT(picture), "load");
    if (cancellable) g_cancellable_cancel(cancellable);
    g_object_set_data(G_OBJECT(picture), "load", NULL);
    shown[gtk_list_item_get_position(item)] = NULL;
}

static void *make_factory(void *unused) {
    GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
    g_signal_connect(factory, "setup", G_CALLBACK(setup), NULL);
    g_signal_connect(factory, "bind", G_CALLBACK(bind), NULL);
    g_signal_connect(factory, "unbind", G_CALLBACK(unbind), NULL);
    return factory;
}

static bool is_ready(void *unused, unsigned first, unsigned last) {
    for (unsigned row = first; row <= last; row++) {
        if (!shown[row] || !gtk_picture_get_paintable(GTK_PICTURE(shown[row]))) return false;
    }
    return true;
}

int main(int count, char **arguments) {
    if (count < 3) return 2;
    server = arguments[1];
    bool keeps = count > 3 && strcmp(arguments[3], "--memory") == 0;
    if (keeps) memory = g_hash_table_new_full(NULL, NULL, NULL, g_object_unref);
    session = soup_session_new_with_options("max-conns", 20, "max-conns-per-host", 6, NULL);
    SoupCache *cache = soup_cache_new(arguments[2], SOUP_CACHE_SINGLE_USER);
    soup_session_add_feature(session, SOUP_SESSION_FEATURE(cache));
    list_stage stage = {
        .name = keeps ? "libsoup + gdk-pixbuf + hash table" : "libsoup + gdk-pixbuf",
        .rows = rows, .row_height = side, .is_ready = is_ready, .make_factory = make_factory};
    return list_stage_show(&stage);
}
