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

    /// Pixels that are the means of square blocks of the picture. The last block of a row or column can be incomplete, so the
    /// picture can end inside the last pixel.
    package struct Reduction: Sendable, Hashable {
        /// The side of a block in pixels of the picture.
        package let factor: Double

        package init(factor: Double) { self.factor = factor }
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
