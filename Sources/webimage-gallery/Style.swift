import CWebImageGTK

/// The gallery's style sheet. It uses the theme's colours, so that it fits both the light and the dark style.
@MainActor enum Style {
    private static let sheet = """
        .gallery { padding: 8px; background: none; }
        .gallery > child { padding: 6px; background: none; border-radius: 16px; }
        .picture-card { padding: 10px; border-radius: 14px; background: @card_bg_color;
          box-shadow: 0 1px 4px alpha(black, 0.14); }
        .picture { background: alpha(currentColor, 0.06); border-radius: 8px; }
        .panel { padding: 18px; }
        """

    static func install() {
        guard let provider = gtk_css_provider_new() else { return }
        webimage_css_provider_load(provider, sheet)
        gtk_style_context_add_provider_for_display(
            gdk_display_get_default(), OpaquePointer(provider), guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION))
        g_object_unref(UnsafeMutableRawPointer(provider))
    }
}
