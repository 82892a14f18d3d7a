import CWebImageGTK
import CWebImageGTKShim
import Foundation
import WebImageCore

/// A `GdkPaintable` that Swift code draws, for every place where GTK takes a paintable.
@MainActor final class Drawing {
    /// The `GdkPaintable`.
    let pointer: OpaquePointer

    /// `draw` gets a `GtkSnapshot` and the area to fill. It is retained as long as GTK retains the paintable.
    init(_ draw: @escaping @MainActor (_ snapshot: OpaquePointer, _ bounds: CGRect) -> Void) {
        pointer = webimage_drawing_new(
            { box, snapshot, width, height in
                // Unsafe is right because GTK draws on this thread alone, which is the main actor's.
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

    /// Tells GTK that the content changed. A new natural size makes the widgets that show it lay out again.
    func change(still: Texture?, size: CGSize) {
        func points(_ side: CGFloat) -> CInt { CInt(min(max(side.rounded(), 0), 1e6)) }
        if let still {
            still.withPointer { webimage_drawing_set(pointer, $0, points(size.width), points(size.height)) }
        } else {
            webimage_drawing_set(pointer, nil, points(size.width), points(size.height))
        }
    }

    /// Tells GTK that the content changed and the size did not.
    func redraw() { gdk_paintable_invalidate_contents(pointer) }
}

private final class DrawingCode: Sendable {
    let draw: @MainActor (OpaquePointer, CGRect) -> Void
    init(_ draw: @escaping @MainActor (OpaquePointer, CGRect) -> Void) { self.draw = draw }
}
