package import WebImageCore

extension PixelBuffer {
    /// Width and height.
    package var size: PixelSize { PixelSize(width: width, height: height) }

    /// Four-byte pixels that an encoder can read as straight: RGBA, or the display layout when nothing is transparent.
    package func straight(hasAlpha: Bool) throws(WebImageError) -> PixelBuffer {
        switch format {
        case .rgba8: self
        case .bgra8Premultiplied: hasAlpha ? try converted(to: .rgba8) : self
        case .rgb8, .gray8, .rgba16, .rgbaHalf: try converted(to: .rgba8)
        }
    }
}
