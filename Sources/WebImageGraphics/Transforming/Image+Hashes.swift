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

    /// Returns the mean of the stored colours, weighted by alpha. The alpha of the result is the mean alpha.
    ///
    /// Do not call this method on the main thread, because it scales the whole picture. Returns nil if memory is short.
    public func averageColor() -> ImageColor? {
        guard let pixels = try? reduced(toFit: 32, from: pixels) else { return nil }
        var (red, green, blue, weight) = (0, 0, 0, 0)
        for y in 0..<pixels.height {
            let line = pixels.bytes(ofRow: y)
            for x in stride(from: 0, to: pixels.width * 4, by: 4) {
                let alpha = Int(line[x + 3])
                red += Int(line[x]) * alpha
                green += Int(line[x + 1]) * alpha
                blue += Int(line[x + 2]) * alpha
                weight += alpha
            }
        }
        guard weight > 0 else { return .clear }
        let full = Double(weight) * 255
        return ImageColor(
            red: Double(red) / full, green: Double(green) / full, blue: Double(blue) / full,
            alpha: Double(weight) / Double(pixels.width * pixels.height * 255))
    }

    /// Returns the picture as straight RGBA pixels, reduced to at most `side` px per side. The aspect ratio is
    /// unchanged.
    private func reduced(toFit side: Int, from pixels: PixelBuffer) throws(WebImageError) -> PixelBuffer {
        let box = PixelSize(width: side, height: side)
        let size = ImageScaling.size(of: pixels.size, in: box, preserveAspectRatio: true, allowsEnlarging: false)
        return try pixels.scaled(to: size, isOpaque: !hasAlpha).converted(to: .rgba8, isOpaque: !hasAlpha)
    }
}
