import Foundation
package import WebImageCore

extension DecodedPicture {
    /// Makes the image that the options request: scaled, converted to sRGB, oriented, in the requested layout.
    ///
    /// A step that would change nothing is skipped; an intermediate result is freed after the next step.
    /// `options.thumbnailPixelSize` applies to the oriented image. `fullSize` is the stored size, before any scaling by
    /// the decoder.
    package consuming func finished(options: DecodingOptions, fullSize: PixelSize) throws(WebImageError) -> Image {
        let target = options.targetSize(for: fullSize.oriented(orientation)).oriented(orientation)
        let isOpaque = !hasAlpha
        let managesColor = options.colorConversion == .sRGB && profile != nil
        let wanted = options.pixelFormat

        // Scaling comes first, so that the other steps have fewer pixels. Without a profile, straight pixels are
        // premultiplied with it; with one they stay straight, because colours must be converted before the
        // multiplication.
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
