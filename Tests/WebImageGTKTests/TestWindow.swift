import CWebImageGTK
import WebImageCore

@testable import WebImageGTK

/// A window on screen that contains one widget.
@MainActor final class TestWindow {
    private let window: UnsafeMutablePointer<GtkWindow>
    private var isOpen = true

    /// Shows `widget` at a size in pixels. Returns when GTK has mapped the widget and has set its size.
    init(_ widget: OpaquePointer, width: Int, height: Int) async throws {
        window = UnsafeMutablePointer(OpaquePointer(gtk_window_new()))
        gtk_window_set_decorated(window, 0)
        let child = UnsafeMutablePointer<GtkWidget>(widget)
        gtk_widget_set_size_request(child, gint(width), gint(height))
        gtk_widget_set_halign(child, GTK_ALIGN_CENTER)
        gtk_widget_set_valign(child, GTK_ALIGN_CENTER)
        gtk_window_set_child(window, child)
        gtk_window_present(window)
        _ = try await pump { gtk_widget_get_mapped(child) != 0 && Self.hasSize(child, width: width) }
    }

    /// Whether GTK has set the size of a widget. A view with a fixed size is narrower than the requested width.
    private static func hasSize(_ widget: UnsafeMutablePointer<GtkWidget>, width: Int) -> Bool {
        var minimum: gint = 0
        gtk_widget_measure(widget, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, nil, nil, nil)
        let margins = gtk_widget_get_margin_start(widget) + gtk_widget_get_margin_end(widget)
        let given = outerSize(widget)?.width ?? 0
        return given > 0 && given >= min(width, Int(minimum - margins))
    }

    /// The size of a widget with its padding and its border, such as those of a button. Nil while GTK has not set it.
    static func outerSize(_ widget: UnsafeMutablePointer<GtkWidget>) -> PixelSize? {
        var bounds = graphene_rect_t()
        guard gtk_widget_compute_bounds(widget, widget, &bounds) != 0 else { return nil }
        return PixelSize(width: Int(bounds.size.width), height: Int(bounds.size.height))
    }

    func close() {
        guard isOpen else { return }
        isOpen = false
        gtk_window_destroy(window)
    }

    /// Waits until `isRight` accepts the drawing of the widget, but at most ten seconds. Returns the last drawing.
    static func drawing(of widget: OpaquePointer, until isRight: (Image) -> Bool) async throws -> Image? {
        var latest: Image?
        _ = try await pump {
            latest = WidgetSnapshot.image(of: widget)
            return latest.map(isRight) ?? false
        }
        return latest
    }
}

extension Image {
    /// Returns the blue, green, red and alpha values of a pixel. The image must have the display format.
    func bgra(_ x: Int, _ y: Int) -> [UInt8] {
        pixels.withUnsafeBytes { bytes in
            let place = y * pixels.bytesPerRow + x * 4
            return (0..<4).map { bytes[place + $0] }
        }
    }
}

extension WidgetView {
    /// The paintable that the widget draws.
    var paintable: OpaquePointer? { WidgetKind(of: widget).paintable(of: widget) }
}
