package import WebImageCore

/// The result of a decoder: pixels as the file stores them, and the information needed to finish them.
package struct DecodedPicture {
    /// Straight or premultiplied, according to their format.
    package var pixels: PixelBuffer
    package var orientation: ImageOrientation
    /// nil means sRGB.
    package var profile: ColorProfile?
    /// False promises that the alpha channel, if there is one, is 255 everywhere.
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
