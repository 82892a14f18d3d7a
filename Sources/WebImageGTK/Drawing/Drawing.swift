import CWebImageGTK
import CWebImageGTKShim
import Foundation
import WebImageCore

/// A `GdkPaintable` that Swift draws; it can stand wherever GTK takes a picture.
@MainActor final class Drawing {
    /// The `GdkPaintable`.
    let pointer: OpaquePointer

    /// `draw` gets a `GtkSnapshot` and the area to fill; it is kept as long as GTK keeps the paintable.
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

    /// Says that the drawing looks different; a new natural size lays out those who show it, the same one does not.
    func change(still: Texture?, size: CGSize) {
        func points(_ side: CGFloat) -> CInt { CInt(min(max(side.rounded(), 0), 1e6)) }
        if let still {
            still.withPointer { webimage_drawing_set(pointer, $0, points(size.width), points(size.height)) }
        } else {
            webimage_drawing_set(pointer, nil, points(size.width), points(size.height))
        }
    }

    /// Says that the drawing looks different and is as large as before.
    func redraw() { gdk_paintable_invalidate_contents(pointer) }
}

private final class DrawingCode: Sendable {
    let draw: @MainActor (OpaquePointer, CGRect) -> Void
    init(_ draw: @escaping @MainActor (OpaquePointer, CGRect) -> Void) { self.draw = draw }
}
