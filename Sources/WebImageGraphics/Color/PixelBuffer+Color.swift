import CWebImageLCMS
package import WebImageCore

extension PixelBuffer {
    /// Converts the colours from `profile` to sRGB with lcms2 (perceptual intent).
    ///
    /// Returns itself when the profile is sRGB or unreadable, or when its colour space does not fit the pixels. A grey
    /// profile fits grey pixels and RGB pixels that were expanded from grey. `isOpaque` promises that alpha is 255
    /// everywhere.
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
