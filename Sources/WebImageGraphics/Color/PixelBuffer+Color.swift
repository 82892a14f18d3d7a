import CWebImageLCMS
package import WebImageCore

extension PixelBuffer {
    /// Returns the picture with its colours converted from `profile` to sRGB by lcms2, with perceptual intent.
    ///
    /// Returns the receiver when the profile is sRGB, unreadable, or of a colour space that these pixels cannot have. Grey
    /// profiles apply to grey pixels, and to colour pixels whose equal channels were made from grey. `isOpaque` promises
    /// that alpha is 255 everywhere.
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
