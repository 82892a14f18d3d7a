package import WebImageCore

extension PixelBuffer {
    /// The size in pixels.
    package var size: PixelSize { PixelSize(width: width, height: height) }

    /// Returns pixels of four bytes that an encoder can read as straight alpha: RGBA pixels, or pixels in the display
    /// format if the image is opaque.
    package func straight(hasAlpha: Bool) throws(WebImageError) -> PixelBuffer {
        switch format {
        case .rgba8: self
        case .bgra8Premultiplied: hasAlpha ? try converted(to: .rgba8) : self
        case .rgb8, .gray8, .rgba16, .rgbaHalf: try converted(to: .rgba8)
        }
    }
}
