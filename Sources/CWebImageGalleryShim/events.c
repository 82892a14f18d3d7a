#include "CWebImageGalleryShim.h"

#include "../CWebImageGTK/shim.h"

typedef struct {
    union {
        gallery_text_handler text;
        gallery_key_handler key;
        gallery_wheel_handler wheel;
    } handler;
    void *user_data;
} listener;

static void forget(gpointer data, GClosure *closure) { g_free(data); }

static listener *listening(void *user_data) {
    listener *made = g_new0(listener, 1);
    made->user_data = user_data;
    return made;
}

static gboolean dropped(GtkDropTarget *target, const GValue *value, double x, double y, listener *self) {
    GString *text = g_string_new(NULL);
    if (G_VALUE_HOLDS(value, GDK_TYPE_FILE_LIST)) {
        GSList *files = gdk_file_list_get_files(g_value_get_boxed(value));
        for (GSList *each = files; each; each = each->next) {
            char *uri = g_file_get_uri(each->data);
            g_string_append_printf(text, "%s\n", uri);
            g_free(uri);
        }
        g_slist_free(files);
    } else if (G_VALUE_HOLDS_STRING(value) && g_value_get_string(value)) {
        g_string_append(text, g_value_get_string(value));
    }
    self->handler.text(self->user_data, text->str);
    g_string_free(text, TRUE);
    return TRUE;
}

void gallery_on_drop(gallery_ref widget, gallery_text_handler handler, void *user_data) {
    listener *self = listening(user_data);
    GType types[] = {GDK_TYPE_FILE_LIST, G_TYPE_STRING};
    GtkDropTarget *target = gtk_drop_target_new(G_TYPE_INVALID, GDK_ACTION_COPY);
    self->handler.text = handler;
    gtk_drop_target_set_gtypes(target, types, G_N_ELEMENTS(types));
    g_signal_connect_data(target, "drop", G_CALLBACK(dropped), self, forget, 0);
    gtk_widget_add_controller(GTK_WIDGET((gpointer)widget), GTK_EVENT_CONTROLLER(target));
}

static gboolean pressed(
    GtkEventControllerKey *controller, guint key, guint code, GdkModifierType modifiers, listener *self) {
    return self->handler.key(self->user_data, key, modifiers);
}

void gallery_on_key(gallery_ref widget, gallery_key_handler handler, void *user_data) {
    listener *self = listening(user_data);
    GtkEventController *controller = gtk_event_controller_key_new();
    self->handler.key = handler;
    g_signal_connect_data(controller, "key-pressed", G_CALLBACK(pressed), self, forget, 0);
    gtk_widget_add_controller(GTK_WIDGET((gpointer)widget), controller);
}

static gboolean turned(GtkEventControllerScroll *controller, double x, double y, listener *self) {
    GdkModifierType modifiers = gtk_event_controller_get_current_event_state(GTK_EVENT_CONTROLLER(controller));
    return self->handler.wheel(self->user_data, y, modifiers);
}

void gallery_on_wheel(gallery_ref widget, gallery_wheel_handler handler, void *user_data) {
    listener *self = listening(user_data);
    GtkEventController *controller = gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_VERTICAL);
    gtk_event_controller_set_propagation_phase(controller, GTK_PHASE_CAPTURE);
    self->handler.wheel = handler;
    g_signal_connect_data(controller, "scroll", G_CALLBACK(turned), self, forget, 0);
    gtk_widget_add_controller(GTK_WIDGET((gpointer)widget), controller);
}

// GTK 4.10 deprecated GtkFileChooserNative in favor of GtkFileDialog.
#if GTK_CHECK_VERSION(4, 10, 0)
static void chosen(GObject *dialog, GAsyncResult *result, gpointer data) {
    listener *self = data;
    GFile *file = gtk_file_dialog_open_finish(GTK_FILE_DIALOG(dialog), result, NULL);
    char *path = file ? g_file_get_path(file) : NULL;
    if (path) self->handler.text(self->user_data, path);
    g_free(path);
    g_clear_object(&file);
    g_free(self);
}

void gallery_choose_file(gallery_ref window, const char *title, gallery_text_handler handler, void *user_data) {
    listener *self = listening(user_data);
    GtkFileDialog *dialog = gtk_file_dialog_new();
    gtk_file_dialog_set_title(dialog, title);
    self->handler.text = handler;
    gtk_file_dialog_open(dialog, GTK_WINDOW((gpointer)window), NULL, chosen, self);
    g_object_unref(dialog);
}
#else
static void chosen(GtkNativeDialog *dialog, int response, listener *self) {
    if (response == GTK_RESPONSE_ACCEPT) {
        GFile *file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog));
        char *path = file ? g_file_get_path(file) : NULL;
        if (path) self->handler.text(self->user_data, path);
        g_free(path);
        g_clear_object(&file);
    }
    g_object_unref(dialog);
}

void gallery_choose_file(gallery_ref window, const char *title, gallery_text_handler handler, void *user_data) {
    listener *self = listening(user_data);
    GtkFileChooserNative *dialog = gtk_file_chooser_native_new(
        title, GTK_WINDOW((gpointer)window), GTK_FILE_CHOOSER_ACTION_OPEN, "Open", "Cancel");
    self->handler.text = handler;
    g_signal_connect_data(dialog, "response", G_CALLBACK(chosen), self, forget, 0);
    gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}
#endif
