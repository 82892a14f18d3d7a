import Foundation
package import WebImageCore

extension DecodedPicture {
    /// Returns the image that the options ask for: scaled, converted to sRGB, oriented, in the requested pixel format.
    ///
    /// Each step is skipped when it would change nothing, and frees its input when it is done.
    /// `options.thumbnailPixelSize` is compared with the oriented picture. `fullSize` is the stored size, before any
    /// scaling by the decoder.
    package consuming func finished(options: DecodingOptions, fullSize: PixelSize) throws(WebImageError) -> Image {
        let target = options.targetSize(for: fullSize.oriented(orientation)).oriented(orientation)
        let isOpaque = !hasAlpha
        let managesColor = options.colorConversion == .sRGB && profile != nil
        let wanted = options.pixelFormat

        // Scaling first leaves fewer pixels for the other steps. It also premultiplies straight pixels, unless they have
        // alpha and a profile: colours must be converted before they are premultiplied.
        if target != PixelSize(width: pixels.width, height: pixels.height) {
            let multiplies = pixels.format == .rgba8 && wanted == .bgra8Premultiplied && !(managesColor && hasAlpha)
            pixels = try pixels.scaled(
                to: target, as: multiplies ? .bgra8Premultiplied : pixels.format, isOpaque: isOpaque)
        }
        if managesColor, let profile { pixels = try pixels.convertedToSRGB(from: profile, isOpaque: isOpaque) }
        if orientation != .up { pixels = try pixels.oriented(orientation) }
        if pixels.format != wanted { pixels = try pixels.converted(to: wanted, isOpaque: isOpaque) }

        return Image(
            pixels: pixels, scale: options.scaleFactor, colorProfile: managesColor ? nil : profile,
            hasAlpha: hasAlpha && wanted.hasAlpha, format: format)
    }
}
