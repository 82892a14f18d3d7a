import CWebImageGTK
import CWebImageGTKShim
import Foundation
import WebImageCore

/// A `GdkPaintable` whose contents are drawn by Swift code.
@MainActor final class Drawing {
    /// The `GdkPaintable`.
    let pointer: OpaquePointer

    /// Makes a paintable. `draw` receives a `GtkSnapshot` and the area to fill. The paintable retains `draw`.
    init(_ draw: @escaping @MainActor (_ snapshot: OpaquePointer, _ bounds: CGRect) -> Void) {
        pointer = webimage_drawing_new(
            { box, snapshot, width, height in
                // `nonisolated(unsafe)` is safe: GTK draws only on this thread, which is the main actor's thread.
                nonisolated(unsafe) let snapshot = snapshot
                let code = Unmanaged<DrawingCode>.fromOpaque(box).takeUnretainedValue()
                MainActor.assumeIsolated {
                    code.draw(snapshot, CGRect(x: 0, y: 0, width: width, height: height))
                }
            },
            Unmanaged.passRetained(DrawingCode(draw)).toOpaque(),
            { box in Unmanaged<DrawingCode>.fromOpaque(box).release() })
        HandleLedger.opened("drawing")
    }

    isolated deinit {
        g_object_unref(UnsafeMutableRawPointer(pointer))
        HandleLedger.closed("drawing")
    }

    /// Reports to GTK that the content of the drawing has changed. If the natural size changes, GTK lays out the
    /// widgets that show the drawing. Otherwise GTK only redraws them.
    func change(still: Texture?, size: CGSize) {
        func points(_ side: CGFloat) -> CInt { CInt(min(max(side.rounded(), 0), 1e6)) }
        if let still {
            still.withPointer { webimage_drawing_set(pointer, $0, points(size.width), points(size.height)) }
        } else {
            webimage_drawing_set(pointer, nil, points(size.width), points(size.height))
        }
    }

    /// Reports to GTK that the drawing looks different at the same size.
    func redraw() { gdk_paintable_invalidate_contents(pointer) }
}

private final class DrawingCode: Sendable {
    let draw: @MainActor (OpaquePointer, CGRect) -> Void
    init(_ draw: @escaping @MainActor (OpaquePointer, CGRect) -> Void) { self.draw = draw }
}
