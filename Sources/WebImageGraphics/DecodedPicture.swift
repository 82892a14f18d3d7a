package import WebImageCore

/// The result of a decoder: pixels as the file stores them, with the properties that are needed to make the final
/// image.
package struct DecodedPicture {
    /// The pixels. Their format determines whether they are straight or premultiplied.
    package var pixels: PixelBuffer
    package var orientation: ImageOrientation
    /// The colour profile of the pixels; nil means sRGB.
    package var profile: ColorProfile?
    /// Whether pixels can be transparent. False guarantees that an alpha channel, if present, is 255 everywhere.
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
