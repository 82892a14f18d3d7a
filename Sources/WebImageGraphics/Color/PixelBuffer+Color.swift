import CWebImageLCMS
package import WebImageCore

extension PixelBuffer {
    /// Returns the picture with its colours converted from `profile` to sRGB. lcms2 converts them with perceptual
    /// intent.
    ///
    /// Returns the receiver if the profile is sRGB, cannot be read, or is neither for grey nor for RGB. A grey profile
    /// applies to grey pixels, and to RGB pixels that were expanded from grey (with three equal channels). An RGB profile
    /// applies to grey pixels as to RGB pixels with three equal channels.
    ///
    /// - Parameters:
    ///   - isOpaque: Whether the caller guarantees that alpha is 255 for all pixels.
    ///   - narrows: Whether the result of `rgba16` pixels has the format `rgba8`, correctly rounded.
    package func convertedToSRGB(
        from profile: ColorProfile, isOpaque: Bool = false, narrows: Bool = false
    ) throws(WebImageError) -> PixelBuffer {
        if format == .rgbaHalf, profile.isHDR {
            // The tables have an entry for each value of 16 bits.
            return try converted(to: .rgba16).convertedToSRGB(from: profile).converted(to: .rgbaHalf)
        }
        let target = narrows && format == .rgba16 ? .rgba8 : format
        guard let transform = ColorTransformCache.transform(from: profile, format: format, to: target) else {
            return self
        }
        if format.isPremultiplied, !isOpaque {
            let straight = try converted(to: .rgba8).convertedToSRGB(from: profile)
            return try straight.converted(to: format)
        }
        let result = try PixelBuffer(width: width, height: height, format: target)
        transform.apply(from: self, to: result)
        return result
    }
}
