package import WebImageCore

/// The result of a decoder: pixels as the file stores them, and the values for the remaining steps.
package struct DecodedPicture {
    /// Straight or premultiplied, depending on the buffer's format.
    package var pixels: PixelBuffer
    package var orientation: ImageOrientation
    /// nil means sRGB.
    package var profile: ColorProfile?
    /// False promises that the alpha channel, if any, is 255 everywhere.
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
