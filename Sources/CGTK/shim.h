#include <gtk/gtk.h>

// GTK 4.12 replaced the function that takes a length, in bytes or -1, by one that takes none.
static inline void webimage_css_provider_load(GtkCssProvider *_Nonnull provider, const char *_Nonnull sheet) {
#if GTK_CHECK_VERSION(4, 12, 0)
    gtk_css_provider_load_from_string(provider, sheet);
#else
    gtk_css_provider_load_from_data(provider, sheet, -1);
#endif
}
