/// The rotation or mirroring that makes stored pixels upright, with EXIF's numbers (EXIF 2.32, tag 0x0112).
public enum ImageOrientation: Int, Sendable, Hashable, CaseIterable {
    /// As stored.
    case up = 1
    /// Mirrored left to right.
    case upMirrored = 2
    /// Rotated by 180°.
    case down = 3
    /// Mirrored top to bottom.
    case downMirrored = 4
    /// Transposed: mirrored along the diagonal from the top left.
    case leftMirrored = 5
    /// To be rotated by 90° clockwise.
    case right = 6
    /// Transversed: mirrored along the diagonal from the top right.
    case rightMirrored = 7
    /// To be rotated by 90° counter-clockwise.
    case left = 8

    /// Whether width and height are exchanged.
    public var swapsSides: Bool { rawValue >= 5 }
}

/// A width and a height in pixels.
public struct PixelSize: Sendable, Hashable, CustomStringConvertible {
    /// Width in pixels.
    public var width: Int
    /// Height in pixels.
    public var height: Int

    /// Makes a size of the given sides in pixels.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The number of pixels; saturates instead of overflowing.
    public var pixelCount: Int {
        let (product, overflow) = width.multipliedReportingOverflow(by: height)
        return overflow ? .max : product
    }

    /// Returns the size after `orientation` was applied.
    public func oriented(_ orientation: ImageOrientation) -> PixelSize {
        orientation.swapsSides ? PixelSize(width: height, height: width) : self
    }

    /// `640x480`.
    public var description: String { "\(width)x\(height)" }
}
