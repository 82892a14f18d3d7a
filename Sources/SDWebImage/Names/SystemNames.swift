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
