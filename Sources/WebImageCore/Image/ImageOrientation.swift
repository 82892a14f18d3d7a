/// The rotation or mirroring that makes stored pixels upright. The raw values are the numbers of EXIF (EXIF 2.32,
/// tag 0x0112).
public enum ImageOrientation: Int, Sendable, Hashable, CaseIterable {
    /// The stored pixels are upright.
    case up = 1
    /// The stored pixels must be mirrored left to right.
    case upMirrored = 2
    /// The stored pixels must be rotated by 180°.
    case down = 3
    /// The stored pixels must be mirrored top to bottom.
    case downMirrored = 4
    /// The stored pixels must be transposed: mirrored along the diagonal from the top left.
    case leftMirrored = 5
    /// The stored pixels must be rotated by 90° clockwise.
    case right = 6
    /// The stored pixels must be transversed: mirrored along the diagonal from the top right.
    case rightMirrored = 7
    /// The stored pixels must be rotated by 90° counter-clockwise.
    case left = 8

    /// Whether making the image upright exchanges its width and height.
    public var swapsSides: Bool { rawValue >= 5 }
}

/// A width and a height in pixels.
public struct PixelSize: Sendable, Hashable, CustomStringConvertible {
    /// Width in pixels.
    public var width: Int
    /// Height in pixels.
    public var height: Int

    /// Makes a size from a width and a height in pixels.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The number of pixels; `Int.max` if the product overflows.
    public var pixelCount: Int {
        let (product, overflow) = width.multipliedReportingOverflow(by: height)
        return overflow ? .max : product
    }

    /// Returns the size that an image of this size has after `orientation` is applied to the image.
    public func oriented(_ orientation: ImageOrientation) -> PixelSize {
        orientation.swapsSides ? PixelSize(width: height, height: width) : self
    }

    /// The size as text, such as `640x480`.
    public var description: String { "\(width)x\(height)" }
}
