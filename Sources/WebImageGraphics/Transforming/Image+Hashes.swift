public import WebImageCore

extension Image {
    /// Returns the ``BlurHash`` of this picture. Transparent parts are treated as white.
    ///
    /// Do not call this method on the main thread, because it scales the whole picture.
    /// - Parameters:
    ///   - horizontalComponents: The number of components from left to right, 1…9. More components store more detail
    ///     in a longer hash.
    ///   - verticalComponents: The number of components from top to bottom, 1…9.
    /// - Returns: nil if `horizontalComponents` or `verticalComponents` is out of range, or if memory is short.
    public func blurHash(horizontalComponents: Int = 4, verticalComponents: Int = 3) -> BlurHash? {
        guard let pixels = try? reduced(toFit: 64, from: hasAlpha ? self.pixels.composited(over: .white) : self.pixels)
        else { return nil }
        return BlurHash(
            pixels: pixels, horizontalComponents: horizontalComponents, verticalComponents: verticalComponents)
    }

    /// Returns the ``ThumbHash`` of this picture, including its transparency.
    ///
    /// Do not call this method on the main thread, because it scales the whole picture.
    public func thumbHash() -> ThumbHash? {
        (try? reduced(toFit: 100, from: pixels)).flatMap { ThumbHash(pixels: $0) }
    }

    /// Returns the picture as straight RGBA pixels, reduced to at most `side` px per side. The aspect ratio is
    /// unchanged.
    func reduced(toFit side: Int, from pixels: PixelBuffer) throws(WebImageError) -> PixelBuffer {
        let box = PixelSize(width: side, height: side)
        let size = ImageScaling.size(of: pixels.size, in: box, preserveAspectRatio: true, allowsEnlarging: false)
        return try pixels.scaled(to: size, isOpaque: !hasAlpha).converted(to: .rgba8, isOpaque: !hasAlpha)
    }
}
