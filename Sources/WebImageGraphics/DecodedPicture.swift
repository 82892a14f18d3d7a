package import WebImageCore

/// The result of a decoder: pixels, and the properties that later steps need to make the final image. The pixels are
/// not yet oriented or converted to sRGB.
package struct DecodedPicture {
    /// The pixels. Their format determines whether their colours are straight or premultiplied.
    package var pixels: PixelBuffer
    package var orientation: ImageOrientation
    /// The colour profile of the pixels; nil means sRGB.
    package var profile: ColorProfile?
    /// Whether pixels can be transparent. If false, either the pixels have no alpha channel or every alpha value is
    /// 255.
    package var hasAlpha: Bool
    package var format: ImageFormat

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
