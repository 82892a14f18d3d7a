package import WebImageCore

extension Image {
    /// Returns the pixels to encode: the image's own, or smaller ones that fit `options.maxPixelSize`.
    package func pixelsToEncode(_ options: EncodingOptions) throws(WebImageError) -> PixelBuffer {
        guard let box = options.maxPixelSize else { return pixels }
        let size = ImageScaling.size(of: pixelSize, in: box, preserveAspectRatio: true, allowsEnlarging: false)
        return size == pixelSize ? pixels : try pixels.scaled(to: size)
    }
}
