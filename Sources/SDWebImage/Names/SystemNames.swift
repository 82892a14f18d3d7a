public import Foundation
public import WebImage
public import WebImageGraphics

// Names of Apple's libraries that SDWebImage's signatures contain.

/// The context of a drawing. Core Graphics' name for ``WebImageGraphics/GraphicsContext``.
public typealias CGContext = GraphicsContext
/// How a colour or image is blended with the content below. Core Graphics' name for ``WebImageGraphics/BlendMode``.
public typealias CGBlendMode = BlendMode
/// A text, such as a type identifier. Core Foundation's name for `String`.
public typealias CFString = String

/// The orientation that the metadata of a file declares, with the numbers of EXIF. Core Graphics' name.
public enum CGImagePropertyOrientation: UInt32, Sendable {
    /// The first row is at the top, the first column at the left.
    case up = 1
    /// Mirrored left to right.
    case upMirrored
    /// Rotated by 180°.
    case down
    /// Mirrored top to bottom.
    case downMirrored
    /// Mirrored and rotated by 90° to the left.
    case leftMirrored
    /// Rotated by 90° to the right.
    case right
    /// Mirrored and rotated by 90° to the right.
    case rightMirrored
    /// Rotated by 90° to the left.
    case left
}

/// The layout of a pixel: the position of the alpha sample, and the byte order. Core Graphics' name.
public struct CGBitmapInfo: OptionSet, Sendable, Hashable {
    /// The bits of Core Graphics.
    public let rawValue: UInt32
    /// Creates a layout from the bits of Core Graphics.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Each pixel is a 32-bit number in the byte order of the machine: blue, green, red and alpha in memory.
    public static let byteOrder32Little = CGBitmapInfo(rawValue: 2 << 12)
    /// The bits for the position of alpha: 2 for premultiplied alpha, 6 for an unused sample.
    public static let alphaInfoMask = CGBitmapInfo(rawValue: 31)
}

/// The pixel layout that needs no conversion for display, and the alignment of its rows.
public struct SDImagePixelFormat: Sendable {
    /// The layout of a pixel.
    public var bitmapInfo = CGBitmapInfo()
    /// The alignment of rows in bytes.
    public var alignment = 0

    /// Creates a format without a layout.
    public init() {}
    /// Creates a format.
    public init(bitmapInfo: CGBitmapInfo, alignment: Int) {
        (self.bitmapInfo, self.alignment) = (bitmapInfo, alignment)
    }
}

/// Rounds a size up to a multiple of `alignment`. Returns `size` if `alignment` is not positive or the result would
/// overflow.
public func SDByteAlign(_ size: Int, _ alignment: Int) -> Int {
    guard alignment > 0 else { return size }
    let rest = size % alignment
    guard rest != 0 else { return size }
    let (sum, overflow) = size.addingReportingOverflow(rest < 0 ? -rest : alignment - rest)
    return overflow ? size : sum
}

/// Unavailable, because Linux has no Core Graphics.
@available(*, unavailable, message: "Use the pixels of an image: UIImage.pixels, or sd_color(at:)")
public final class CGImage {}

/// Unavailable, because Linux has no Core Graphics.
@available(*, unavailable, message: "Pixels are in sRGB; another profile is the colorProfile of an image")
public final class CGColorSpace {}

/// Unavailable, because Linux has no Core Image.
@available(*, unavailable, message: "Adopt ImageFilter, or use ColorFilter")
public final class CIFilter {}

/// Unavailable, because its image library belongs to another module.
@available(*, unavailable, message: "Add the product SDWebImageHEIFCoder and import SDWebImageHEIFCoder")
open class SDImageHEICCoder: SDImageIOAnimatedCoder, @unchecked Sendable {
    // Unchecked is correct as for the base class.
    /// Unavailable, like the class.
    open class var shared: SDImageHEICCoder { SDImageHEICCoder() }
}

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

// The initialisers of the string and number types have no argument label in SDWebImage.

extension ImageFormat {
    /// Makes a format from its number.
    public init(_ rawValue: Int) { self.init(rawValue: rawValue) }
}

extension ImageCoderOption {
    /// Makes a key from its text.
    public init(_ rawValue: String) { self.init(rawValue: rawValue) }
}

extension WebImageContextOption {
    /// Makes a key from its text.
    public init(_ rawValue: String) { self.init(rawValue: rawValue) }
}

// SDWebImage's enumerations have unsigned numbers.

extension CallbackQueue.Policy {
    /// The number of the policy.
    public var rawValue: UInt { UInt(ownNumber) }
    /// Makes a policy from its number. Nil for an unknown number.
    public init?(rawValue: UInt) { self.init(ownNumber: Int(clamping: rawValue)) }
}

extension ImageForceDecodePolicy {
    /// The number of the policy.
    public var rawValue: UInt { UInt(ownNumber) }
    /// Makes a policy from its number. Nil for an unknown number.
    public init?(rawValue: UInt) { self.init(ownNumber: Int(clamping: rawValue)) }
}

extension ImageCacheConfig.ExpireType {
    /// The number of the type.
    public var rawValue: UInt { UInt(ownNumber) }
    /// Makes a type from its number. Nil for an unknown number.
    public init?(rawValue: UInt) { self.init(ownNumber: Int(clamping: rawValue)) }
}

extension ImageCachesManagerOperationPolicy {
    /// The number of the policy.
    public var rawValue: UInt { UInt(ownNumber) }
    /// Makes a policy from its number. Nil for an unknown number.
    public init?(rawValue: UInt) { self.init(ownNumber: Int(clamping: rawValue)) }
}
