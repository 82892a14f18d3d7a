#if !__has_include(<gtk/gtk.h>)
#error "The headers of GTK 4 are missing: run Scripts/setup of swift-web-image, or install libgtk-4-dev"
#else

#include <gtk/gtk.h>

// GTK 4.12 replaced the function that takes a length (bytes, or -1) by one without a length.
static inline void webimage_css_provider_load(GtkCssProvider *_Nonnull provider, const char *_Nonnull sheet) {
#if GTK_CHECK_VERSION(4, 12, 0)
    gtk_css_provider_load_from_string(provider, sheet);
#else
    gtk_css_provider_load_from_data(provider, sheet, -1);
#endif
}

#endif
