import CWebImageLCMS
package import WebImageCore

extension PixelBuffer {
    /// Returns the picture with its colours converted from `profile` to sRGB. lcms2 converts them with perceptual
    /// intent.
    ///
    /// Returns the receiver if the profile is sRGB, cannot be read, or is for another colour space than the pixels. A
    /// grey profile applies to grey pixels, and to RGB pixels that were expanded from grey (with three equal channels).
    ///
    /// - Parameter isOpaque: Whether the caller guarantees that alpha is 255 for all pixels.
    package func convertedToSRGB(
        from profile: ColorProfile, isOpaque: Bool = false
    ) throws(WebImageError) -> PixelBuffer {
        guard let transform = ColorTransformCache.transform(from: profile, format: format) else { return self }
        if format.isPremultiplied, !isOpaque {
            let straight = try converted(to: .rgba8).convertedToSRGB(from: profile)
            return try straight.converted(to: format)
        }
        let result = try PixelBuffer(width: width, height: height, format: format)
        transform.apply(from: self, to: result)
        return result
    }
}
