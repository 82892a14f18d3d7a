import Foundation
package import WebImageCore

extension DecodedPicture {
    /// The image the options ask for: scaled to the target size, converted to sRGB, oriented, in the wanted layout.
    ///
    /// Each step is skipped when it would change nothing, and an intermediate is freed as soon as the next step is
    /// done. `options.thumbnailPixelSize` is compared with the picture as seen; `fullSize` is its size as stored before
    /// any scaling the decoder did already.
    package consuming func finished(options: DecodingOptions, fullSize: PixelSize) throws(WebImageError) -> Image {
        let target = options.targetSize(for: fullSize.oriented(orientation)).oriented(orientation)
        let isOpaque = !hasAlpha
        let managesColor = options.colorConversion == .sRGB && profile != nil
        let wanted = options.pixelFormat

        // Scaling first leaves the other steps fewer pixels. Straight pixels without a profile are multiplied on the
        // way; with one they stay straight, since colours must be converted before they are multiplied.
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
