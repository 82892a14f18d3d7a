package import WebImageCore
import WebImageGraphics

/// The pixel work behind Core's helper functions, for the composition root to register.
package enum PixelRedrawing {
    /// The picture at `size` in the display's layout.
    package static func redraw(
        _ pixels: PixelBuffer, size: PixelSize, isOpaque: Bool
    ) throws(WebImageError) -> PixelBuffer {
        try pixels.scaled(to: size, isOpaque: isOpaque).converted(to: .bgra8Premultiplied, isOpaque: isOpaque)
    }
}
