package import WebImageCore

/// What a decoder hands over: pixels as the file stores them, and what remains to be done to them.
package struct DecodedPicture {
    /// Straight or premultiplied as its format says.
    package var pixels: PixelBuffer
    package var orientation: ImageOrientation
    /// nil is sRGB.
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
