import CGTK

/// The gallery's look.
enum Style {
    private static let sheet = """
        .gallery { padding: 8px; background: #f4f4f6; }
        .gallery > child { padding: 6px; background: none; }
        .picture-card { padding: 10px; border-radius: 14px; background: #ffffff;
          box-shadow: 0 1px 4px alpha(black, 0.14); }
        .picture { border-radius: 8px; background: #ebebee; }
        .caption { font-weight: 600; font-size: 13px; color: #26262b; margin-top: 4px; }
        .status { font-size: 12px; color: #6c6c74; }
        .status.failed { color: #b3261e; }
        """

    @MainActor static func install() {
        let provider = gtk_css_provider_new()
        gtk_css_provider_load_from_data(provider, sheet, -1)
        gtk_style_context_add_provider_for_display(
            gdk_display_get_default(), provider.map { OpaquePointer($0) },
            guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION))
    }
}
