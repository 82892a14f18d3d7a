import CWebImageGTK
package import WebImageCore

/// Reads the drawing of a widget or paintable as pixels, for screenshots and tests. A widget must be in a window that
/// GTK has drawn. No screenshot program is required.
@MainActor package enum WidgetSnapshot {
    /// Returns the current drawing of a widget; nil if the widget is in no window or has drawn nothing yet.
    static func texture(of widget: OpaquePointer) -> Texture? {
        let widget = UnsafeMutablePointer<GtkWidget>(widget)
        let (width, height) = (gtk_widget_get_width(widget), gtk_widget_get_height(widget))
        guard width > 0, height > 0, let native = gtk_widget_get_native(widget),
            let renderer = gtk_native_get_renderer(native), let paintable = gtk_widget_paintable_new(widget)
        else { return nil }
        defer { g_object_unref(UnsafeMutableRawPointer(paintable)) }
        let snapshot = gtk_snapshot_new()
        gdk_paintable_snapshot(paintable, snapshot, Double(width), Double(height))
        guard let node = gtk_snapshot_free_to_node(snapshot) else { return nil }
        defer { gsk_render_node_unref(node) }
        var bounds = graphene_rect_t()
        graphene_rect_init(&bounds, 0, 0, Float(width), Float(height))
        return gsk_renderer_render_texture(renderer, node, &bounds).map(Texture.init(owning:))
    }

    /// Returns the drawing of a paintable at a size in pixels. No window is required.
    package static func drawn(_ paintable: OpaquePointer, width: Int, height: Int) throws(WebImageError) -> Image {
        try drawn(width: width, height: height) {
            gdk_paintable_snapshot(paintable, $0, Double(width), Double(height))
        }
    }

    /// Returns the drawing that a closure adds to a `GtkSnapshot`.
    static func drawn(
        width: Int, height: Int, _ draw: (_ snapshot: OpaquePointer?) -> Void
    ) throws(WebImageError) -> Image {
        let snapshot = gtk_snapshot_new()
        draw(snapshot)
        let buffer = try PixelBuffer(width: width, height: height, format: .bgra8Premultiplied)
        buffer.withUnsafeMutableBytes { bytes in
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
            guard let node = gtk_snapshot_free_to_node(snapshot) else { return }
            let surface = cairo_image_surface_create_for_data(
                bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), CAIRO_FORMAT_ARGB32, Int32(width),
                Int32(height), Int32(buffer.bytesPerRow))
            let context = cairo_create(surface)
            gsk_render_node_draw(node, context)
            cairo_surface_flush(surface)
            cairo_destroy(context)
            cairo_surface_destroy(surface)
            gsk_render_node_unref(node)
        }
        return Image(pixels: buffer)
    }

    /// Returns the current drawing of a widget, as an image in the display format.
    package static func image(of widget: OpaquePointer) -> Image? {
        texture(of: widget)?.downloaded()
    }

    /// Writes the current drawing of a widget to a PNG file. Returns false if this fails.
    package static func save(_ widget: OpaquePointer, toPNG path: String) -> Bool {
        texture(of: widget)?.withPointer { gdk_texture_save_to_png($0, path) != 0 } ?? false
    }
}

extension Texture {
    /// Returns a copy of the texture's pixels in the display format.
    func downloaded() -> Image? {
        withPointer { texture in
            guard
                let buffer = try? PixelBuffer(
                    width: Int(gdk_texture_get_width(texture)), height: Int(gdk_texture_get_height(texture)),
                    format: .bgra8Premultiplied)
            else { return nil }
            buffer.withUnsafeMutableBytes { bytes in
                gdk_texture_download(
                    texture, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), gsize(buffer.bytesPerRow))
            }
            return Image(pixels: buffer)
        }
    }
}
