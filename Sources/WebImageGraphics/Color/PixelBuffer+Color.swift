import CWebImageLCMS
package import WebImageCore

extension PixelBuffer {
    /// Converts the colours from `profile` to sRGB with lcms2 and perceptual intent. Returns self if the profile is
    /// sRGB, unreadable, or of a colour space that does not suit the pixels.
    ///
    /// Grey profiles apply to grey pixels and to pixels whose equal channels were made from grey. With `isOpaque` the
    /// caller promises that alpha is 255 everywhere.
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
