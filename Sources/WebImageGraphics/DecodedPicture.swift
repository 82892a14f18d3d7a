package import WebImageCore

/// A decoder's result: pixels as stored in the file, and what is left to do with them.
package struct DecodedPicture {
    /// Straight or premultiplied, according to the format.
    package var pixels: PixelBuffer
    package var orientation: ImageOrientation
    /// nil is sRGB.
    package var profile: ColorProfile?
    /// False means that the alpha channel, if there is one, is 255 everywhere.
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
