import CGTK
import CGTKShim
import WebImageCore

/// What a widget draws of an animation: one paintable of fixed size whose frame is swapped.
@MainActor final class FramePaintable {
    /// The `GdkPaintable`.
    let pointer: OpaquePointer

    init(_ texture: Texture, width: Int, height: Int) {
        pointer = texture.withPointer { webimage_frame_paintable_new($0, CInt(width), CInt(height)) }
        HandleLedger.opened("frame paintable")
    }

    isolated deinit {
        g_object_unref(UnsafeMutableRawPointer(pointer))
        HandleLedger.closed("frame paintable")
    }

    /// Draws another frame at the same size.
    func show(_ texture: Texture) { texture.withPointer { webimage_frame_paintable_set(pointer, $0) } }
}
