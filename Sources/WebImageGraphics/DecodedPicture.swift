package import WebImageCore

/// What a decoder hands over: pixels as the file stores them, and what remains to be done to them.
package struct DecodedPicture {
    /// Straight or premultiplied as its format says.
    package var pixels: PixelBuffer
    package var orientation: ImageOrientation
    /// nil is sRGB.
    package var profile: ColorProfile?
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

    /// The image the options ask for: scaled to the target size, converted to sRGB, oriented, in the wanted layout.
    ///
    /// Each step is skipped when it would change nothing. `options.thumbnailPixelSize` is compared with the picture as
    /// seen; `fullSize` is its size as stored before any scaling the decoder did already.
    package func finished(options: DecodingOptions, fullSize: PixelSize) throws(WebImageError) -> Image {
        fatalError("being built")
    }
}

extension PixelBuffer {
    /// The same picture at another size, Lanczos filtered by zimg, transparency weighted correctly.
    package func scaled(to size: PixelSize) throws(WebImageError) -> PixelBuffer { fatalError("being built") }
    /// The same picture in another layout (alpha multiplied or divided, channels moved), by libyuv where it can.
    package func converted(to format: PixelFormat) throws(WebImageError) -> PixelBuffer { fatalError("being built") }
    /// The picture upright.
    package func oriented(_ orientation: ImageOrientation) throws(WebImageError) -> PixelBuffer {
        fatalError("being built")
    }
    /// The picture's colours converted from `profile` to sRGB by lcms2; itself when the profile is sRGB or unusable.
    package func convertedToSRGB(from profile: ColorProfile) throws(WebImageError) -> PixelBuffer {
        fatalError("being built")
    }
}
