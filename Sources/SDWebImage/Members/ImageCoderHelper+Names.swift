public import Foundation
public import WebImage

// Signatures of SDImageCoderHelper that differ from those of its class here.

extension ImageCoderHelper {
    /// Returns the largest size inside `scaleSize`, in pixels.
    ///
    /// - Parameters:
    ///   - preserveAspectRatio: Whether the result has the aspect ratio of `imageSize`.
    ///   - shouldScaleUp: Whether the result can be larger than `imageSize`.
    public static func scaledSize(
        withImageSize imageSize: CGSize, scale scaleSize: CGSize, preserveAspectRatio: Bool, shouldScaleUp: Bool
    ) -> CGSize {
        scaledSize(
            withImageSize: imageSize, scaleSize: scaleSize, preserveAspectRatio: preserveAspectRatio,
            shouldScaleUp: shouldScaleUp)
    }

    /// Converts an orientation of a file to an orientation of an image.
    public static func imageOrientation(from exifOrientation: CGImagePropertyOrientation) -> UIImage.Orientation {
        imageOrientation(fromEXIFOrientation: Int(exifOrientation.rawValue))
    }

    /// Converts an orientation of an image to an orientation of a file.
    public static func exifOrientation(from imageOrientation: UIImage.Orientation) -> CGImagePropertyOrientation {
        let number: Int = exifOrientation(from: imageOrientation)
        return CGImagePropertyOrientation(rawValue: UInt32(number)) ?? .up
    }

    /// The pixel layout of images that are ready for display: rows of blue, green, red and alpha bytes, aligned to 64
    /// bytes.
    public static func preferredPixelFormat(_ containsAlpha: Bool) -> SDImagePixelFormat {
        // The numbers of ``CGBitmapInfo/alphaInfoMask``: 2 is premultiplied alpha, 6 an unused sample.
        let alpha = CGBitmapInfo(rawValue: containsAlpha ? 2 : 6)
        return SDImagePixelFormat(bitmapInfo: [.byteOrder32Little, alpha], alignment: 64)
    }
}

// Unavailable, because Linux has no Core Graphics.
@available(*, unavailable, message: "Pixels are in sRGB; another profile is the colorProfile of an image")
extension ImageCoderHelper {
    /// Unavailable, because Linux has no Core Graphics.
    public static func colorSpaceGetDeviceRGB() -> CGColorSpace? { nil }
}

@available(*, unavailable, message: "Images are decoded and ready for display; read UIImage.pixels and hasAlpha")
extension ImageCoderHelper {
    /// Unavailable, because Linux has no Core Graphics.
    public static func cgImageIsHardwareSupported(_ cgImage: CGImage) -> Bool { false }
    /// Unavailable, because Linux has no Core Graphics.
    public static func cgImageContainsAlpha(_ cgImage: CGImage) -> Bool { false }
    /// Unavailable, because Linux has no Core Graphics.
    public static func cgImageIsLazy(_ cgImage: CGImage) -> Bool { false }
    /// Unavailable, because Linux has no Core Graphics.
    public static func cgImageIsHDR(_ cgImage: CGImage) -> Bool { false }
    /// Unavailable, because Linux has no Core Graphics.
    public static func cgImageCreateDecoded(_ cgImage: CGImage) -> CGImage? { nil }
    /// Unavailable, because Linux has no Core Graphics.
    public static func cgImageCreateDecoded(
        _ cgImage: CGImage, orientation: CGImagePropertyOrientation
    ) -> CGImage? { nil }
    /// Unavailable, because Linux has no Core Graphics.
    public static func cgImageCreateScaled(_ cgImage: CGImage, size: CGSize) -> CGImage? { nil }
}
