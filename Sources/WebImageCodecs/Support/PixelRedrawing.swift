package import WebImageCore
import WebImageGraphics

/// Scales and converts pixels for functions in WebImageCore. WebImageCore cannot import this module. Therefore another
/// target, which imports both modules, passes ``redraw(_:size:isOpaque:)`` to WebImageCore.
package enum PixelRedrawing {
    /// Returns the pixels scaled to `size` in the display layout (`bgra8Premultiplied`).
    package static func redraw(
        _ pixels: PixelBuffer, size: PixelSize, isOpaque: Bool
    ) throws(WebImageError) -> PixelBuffer {
        try pixels.scaled(to: size, isOpaque: isOpaque).converted(to: .bgra8Premultiplied, isOpaque: isOpaque)
    }
}
