import CWebImageGTK
import Foundation
import SDWebImageGTK
import Testing
import WebImageTestTraits
import WebImageTesting

/// Shows one view in a window on screen, and runs GTK's main loop.
@MainActor final class Stage {
    private let window: UnsafeMutablePointer<GtkWindow>

    nonisolated static var hasDisplay: Bool {
        let environment = ProcessInfo.processInfo.environment
        return environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil
    }

    init(_ view: UIView, width: Int = 80, height: Int = 80) async {
        window = UnsafeMutablePointer(OpaquePointer(gtk_window_new()))
        let child = UnsafeMutablePointer<GtkWidget>(view.widget)
        gtk_widget_set_size_request(child, gint(width), gint(height))
        gtk_window_set_child(window, child)
        gtk_window_present(window)
        _ = await Stage.pump {
            gtk_widget_get_mapped(child) != 0 && gtk_widget_get_width(child) >= width
        }
    }

    func close() { gtk_window_destroy(window) }

    /// Runs GTK's main loop and the main queue until `condition` returns true. Returns false after 20 s.
    static func pump(until condition: () -> Bool) async -> Bool {
        if condition() { return true }
        return await eventually(within: 20) {
            while g_main_context_iteration(nil, 0) != 0 {}
            return condition()
        }
    }

    /// Returns the natural width and height of a view.
    static func naturalSize(of view: UIView) -> (width: Int, height: Int) {
        let child = UnsafeMutablePointer<GtkWidget>(view.widget)
        var (width, height): (gint, gint) = (0, 0)
        gtk_widget_measure(child, GTK_ORIENTATION_HORIZONTAL, -1, nil, &width, nil, nil)
        gtk_widget_measure(child, GTK_ORIENTATION_VERTICAL, -1, nil, &height, nil, nil)
        return (Int(width), Int(height))
    }
}

/// Contains all tests that need a display. The tests run one at a time, because GTK is limited to one thread.
@Suite(
    "Documents' views", .serialized, .timeLimit(minutes: 2),
    .enabled(if: Stage.hasDisplay, "no display: set DISPLAY, or run the tests under xvfb-run"))
@MainActor struct ViewDocuments {}
