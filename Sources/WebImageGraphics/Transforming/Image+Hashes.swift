public import WebImageCore

extension Image {
    /// This picture's ``BlurHash``; transparent parts count as white.
    ///
    /// Takes a scaling of the whole picture: not for the main thread.
    /// - Parameters:
    ///   - horizontalComponents: waves from left to right, 1…9.
    ///   - verticalComponents: waves from top to bottom, 1…9.
    /// - Returns: nil for other numbers of waves.
    public func blurHash(horizontalComponents: Int = 4, verticalComponents: Int = 3) -> BlurHash? {
        guard let pixels = try? reduced(toFit: 64, from: hasAlpha ? self.pixels.composited(over: .white) : self.pixels)
        else { return nil }
        return BlurHash(
            pixels: pixels, horizontalComponents: horizontalComponents, verticalComponents: verticalComponents)
    }

    /// This picture's ``ThumbHash``, its transparency included; takes a scaling of the whole picture.
    public func thumbHash() -> ThumbHash? {
        (try? reduced(toFit: 100, from: pixels)).flatMap { ThumbHash(pixels: $0) }
    }

    /// The mean of all colours as they are stored, each weighted by its alpha; the result's alpha is the mean alpha.
    ///
    /// Takes a scaling of the whole picture: not for the main thread. Nil when memory is short.
    public func averageColor() -> ImageColor? {
        guard let pixels = try? reduced(toFit: 32, from: pixels) else { return nil }
        var sum = SIMD4<Double>()
        for y in 0..<pixels.height {
            for x in 0..<pixels.width {
                let color = pixels.color(x, y)
                sum += SIMD4(color.red, color.green, color.blue, 1) * color.alpha
            }
        }
        guard sum.w > 0 else { return .clear }
        return ImageColor(
            red: sum.x / sum.w, green: sum.y / sum.w, blue: sum.z / sum.w,
            alpha: sum.w / Double(pixels.width * pixels.height))
    }

    /// Straight RGBA pixels of at most `side` px a side, in the picture's proportion.
    private func reduced(toFit side: Int, from pixels: PixelBuffer) throws(WebImageError) -> PixelBuffer {
        let box = PixelSize(width: side, height: side)
        let size = ImageScaling.size(of: pixels.size, in: box, preserveAspectRatio: true, allowsEnlarging: false)
        return try pixels.scaled(to: size, isOpaque: !hasAlpha).converted(to: .rgba8, isOpaque: !hasAlpha)
    }
}
