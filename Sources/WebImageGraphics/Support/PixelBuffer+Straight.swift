package import WebImageCore

extension PixelBuffer {
    /// Width and height.
    package var size: PixelSize { PixelSize(width: width, height: height) }

    /// Returns pixels of four bytes that an encoder can read as straight: RGBA, or the display format of an opaque image.
    package func straight(hasAlpha: Bool) throws(WebImageError) -> PixelBuffer {
        switch format {
        case .rgba8: self
        case .bgra8Premultiplied: hasAlpha ? try converted(to: .rgba8) : self
        case .rgb8, .gray8, .rgba16, .rgbaHalf: try converted(to: .rgba8)
        }
    }
}
