import Foundation
package import WebImageCore

extension DecodedPicture {
    /// Returns the image that the options request: scaled, converted to sRGB, oriented, and in the requested pixel
    /// format.
    ///
    /// A step that would change nothing is skipped. Each step frees its input as soon as the step is done.
    /// `options.thumbnailPixelSize` refers to the oriented picture.
    ///
    /// - Parameter fullSize: The size of the picture in the file. The decoder may have scaled the picture down already,
    ///   so `pixels` may be smaller.
    package consuming func finished(options: DecodingOptions, fullSize: PixelSize) throws(WebImageError) -> Image {
        let uprightSize = fullSize.oriented(orientation)
        let target = options.targetSize(for: uprightSize).oriented(orientation)
        let isOpaque = !hasAlpha
        let managesColor = options.colorConversion == .sRGB && profile != nil
        let wanted = options.pixelFormat

        // Scale first, so that the other steps process fewer pixels. If the display format is requested, scaling also
        // premultiplies straight pixels. Exception: pixels with alpha stay straight if their colours are converted
        // below, because the conversion requires straight colours.
        if target != PixelSize(width: pixels.width, height: pixels.height) {
            let multiplies = pixels.format == .rgba8 && wanted == .bgra8Premultiplied && !(managesColor && hasAlpha)
            pixels = try pixels.scaled(
                to: target, as: multiplies ? .bgra8Premultiplied : pixels.format, isOpaque: isOpaque)
        }
        if managesColor, let profile { pixels = try pixels.convertedToSRGB(from: profile, isOpaque: isOpaque) }
        if orientation != .up { pixels = try pixels.oriented(orientation) }
        if pixels.format != wanted { pixels = try pixels.converted(to: wanted, isOpaque: isOpaque) }

        let image = Image(
            pixels: pixels, scale: options.scaleFactor, colorProfile: managesColor ? nil : profile,
            hasAlpha: hasAlpha && wanted.hasAlpha, format: format)
        image.sourcePixelSize = uprightSize
        return image
    }
}
