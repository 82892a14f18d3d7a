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
        let resampling = options.resampling(of: fullSize, orientation)
        let target = resampling.target
        var region = resampling.region
        if let reduction {
            region = region.scaled(x: 1 / reduction.factor, y: 1 / reduction.factor)
            region.left += reduction.left
            region.top += reduction.top
        } else if pixels.size != fullSize {
            region = region.scaled(
                x: Double(pixels.width) / Double(fullSize.width), y: Double(pixels.height) / Double(fullSize.height))
        }
        let isOpaque = !hasAlpha
        let managesColor = options.colorConversion == .sRGB && profile != nil
        let wanted = options.pixelFormat

        // Scale first, so that the other steps process fewer pixels. If the display format is requested, scaling also
        // premultiplies straight pixels. Exception: pixels with alpha stay straight if their colours are converted
        // below, because the conversion requires straight colours.
        if !isScaled, target != pixels.size || region != PixelRegion(pixels.size) {
            let multiplies = pixels.format == .rgba8 && wanted == .bgra8Premultiplied && !(managesColor && hasAlpha)
            pixels =
                multiplies
                ? try pixels.scaled(to: target, from: region, as: .bgra8Premultiplied, isOpaque: isOpaque)
                : try pixels.scaled(to: target, from: region, isOpaque: isOpaque)
            if reduction?.isMeans == true {
                try pixels.sharpenMeans(
                    ratioX: region.width / Double(target.width), ratioY: region.height / Double(target.height),
                    isOpaque: isOpaque)
            }
        }
        if managesColor, let profile {
            pixels = try pixels.convertedToSRGB(
                from: profile, isOpaque: isOpaque, narrows: wanted.bitsPerComponent == 8)
        }
        if orientation != .up { pixels = try pixels.oriented(orientation) }
        if pixels.format != wanted { pixels = try pixels.converted(to: wanted, isOpaque: isOpaque) }

        let image = Image(
            pixels: pixels, scale: options.scaleFactor, colorProfile: managesColor ? nil : profile?.matching(wanted),
            hasAlpha: hasAlpha && wanted.hasAlpha, format: format)
        if !managesColor { image.hdr = profile?.hdr }
        image.sourcePixelSize = uprightSize
        image.sourceRegion = options.thumbnailPixelSize == nil ? nil : options.sourceRegion
        return image
    }
}
