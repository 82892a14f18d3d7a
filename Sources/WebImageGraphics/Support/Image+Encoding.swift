package import WebImageCore

extension Image {
    /// Returns the pixels to encode: the image's pixels, or scaled pixels if the image exceeds `options.maxPixelSize`.
    package func pixelsToEncode(_ options: EncodingOptions) throws(WebImageError) -> PixelBuffer {
        guard let box = options.maxPixelSize else { return pixels }
        let size = ImageScaling.size(of: pixelSize, in: box, preserveAspectRatio: true, allowsEnlarging: false)
        return size == pixelSize ? pixels : try pixels.scaled(to: size)
    }

    /// Returns the pixels to encode in a format that stores no colour profile. They are converted to sRGB.
    package func sRGBPixelsToEncode(_ options: EncodingOptions) throws(WebImageError) -> PixelBuffer {
        let pixels = try pixelsToEncode(options)
        guard let colorProfile else { return pixels }
        return try pixels.convertedToSRGB(from: colorProfile, isOpaque: !hasAlpha, narrows: true)
    }
}
