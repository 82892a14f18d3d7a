package import WebImageCore
import WebImageGraphics

/// The pixel operations of WebImageCore's helper functions, which the composition root registers.
package enum PixelRedrawing {
    /// The picture at `size` in the display's layout.
    package static func redraw(
        _ pixels: PixelBuffer, size: PixelSize, isOpaque: Bool
    ) throws(WebImageError) -> PixelBuffer {
        try pixels.scaled(to: size, isOpaque: isOpaque).converted(to: .bgra8Premultiplied, isOpaque: isOpaque)
    }
}
