package import WebImageCore

/// The result of a decoder: pixels, and the properties that later steps need to make the final image. The pixels are
/// not yet oriented or converted to sRGB.
package struct DecodedPicture {
    /// The pixels. Their format determines whether their colours are straight or premultiplied.
    package var pixels: PixelBuffer
    /// What ``pixels`` show of the picture if a decoder has reduced them; nil if they show the picture from edge to edge.
    package var reduction: Reduction?
    /// Whether the decoder has already scaled the requested part to the requested size.
    package var isScaled = false
    package var orientation: ImageOrientation
    /// The colour profile of the pixels; nil means sRGB.
    package var profile: ColorProfile?
    /// Whether pixels can be transparent. If false, either the pixels have no alpha channel or every alpha value is
    /// 255.
    package var hasAlpha: Bool
    package var format: ImageFormat

    /// Where the picture lies in pixels that show it, or a part of it, reduced.
    package struct Reduction: Sendable, Hashable {
        /// The side of a pixel in pixels of the picture.
        package let factor: Double
        /// Where the left edge of the picture is, in pixels from the left edge of the first one.
        package let left: Double
        /// Where the top edge of the picture is.
        package let top: Double
        /// Whether the pixels are means of square blocks of the picture. The last block of a row or column can be
        /// incomplete, so the picture can end inside the last pixel.
        package let isMeans: Bool

        /// The means of blocks from the top left of the picture on.
        package init(factor: Double) { (self.factor, left, top, isMeans) = (factor, 0, 0, true) }

        /// Samples of the picture after a filter, from any place on.
        package init(factor: Double, left: Double, top: Double) {
            (self.factor, self.left, self.top, isMeans) = (factor, left, top, false)
        }
    }

    package init(
        pixels: PixelBuffer, orientation: ImageOrientation, profile: ColorProfile?, hasAlpha: Bool, format: ImageFormat
    ) {
        self.pixels = pixels
        self.orientation = orientation
        self.profile = profile
        self.hasAlpha = hasAlpha
        self.format = format
    }
}

extension DecodedPicture {
    /// The image of pixels that a coder has drawn at the requested size: no option scales or cuts them again.
    ///
    /// - Parameter own: The size of the document.
    package static func drawn(
        _ pixels: PixelBuffer, hasAlpha: Bool, format: ImageFormat, of own: PixelSize, options: DecodingOptions
    ) throws(WebImageError) -> Image {
        var finishing = options
        finishing.thumbnailPixelSize = nil
        finishing.sourceRegion = nil
        finishing.scaleDownLimitBytes = nil
        let image = try DecodedPicture(
            pixels: pixels, orientation: .up, profile: nil, hasAlpha: hasAlpha, format: format
        ).finished(options: finishing, fullSize: PixelSize(width: pixels.width, height: pixels.height))
        image.sourcePixelSize = own
        return image
    }
}
