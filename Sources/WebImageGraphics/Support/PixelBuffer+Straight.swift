package import WebImageCore

extension PixelBuffer {
    /// The size in pixels.
    package var size: PixelSize { PixelSize(width: width, height: height) }

    /// Returns pixels of four bytes that an encoder can read as pixels with straight alpha. The format is `rgba8` or,
    /// for an opaque image in the display format, the display format.
    package func straight(hasAlpha: Bool) throws(WebImageError) -> PixelBuffer {
        switch format {
        case .rgba8: self
        case .bgra8Premultiplied: hasAlpha ? try converted(to: .rgba8) : self
        case .rgb8, .gray8, .rgba16, .rgbaHalf: try converted(to: .rgba8)
        }
    }
}
