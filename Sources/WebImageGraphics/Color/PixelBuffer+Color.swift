import CWebImageLCMS
package import WebImageCore

extension PixelBuffer {
    /// The picture's colours converted from `profile` to sRGB by lcms2, perceptual intent; itself when the profile is
    /// sRGB, unreadable, or of a colour space these pixels cannot be in.
    ///
    /// Grey profiles serve grey pixels and those whose channels were made equal from grey. `isOpaque` promises that
    /// alpha is 255 everywhere.
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
