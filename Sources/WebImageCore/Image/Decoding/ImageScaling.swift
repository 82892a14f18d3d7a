import Foundation

/// Calculates the sizes of scaled images, with SDWebImage's rounding.
public enum ImageScaling {
    /// Returns the size of an image that is scaled to fit into a box.
    ///
    /// If the aspect ratio is kept and the image does not fill one side of the box, this side of the result is rounded
    /// up. If enlarging is not allowed, neither the width nor the height of the result exceeds that of the image. If a
    /// side of the box is not positive, returns the image's size.
    public static func size(
        of size: PixelSize, in box: PixelSize, preserveAspectRatio: Bool, allowsEnlarging: Bool
    ) -> PixelSize {
        guard size.width > 0, size.height > 0, box.width > 0, box.height > 0 else { return size }
        var result = box
        if preserveAspectRatio {
            // The products come first: they are exact, but a ratio is rounded, and a whole side could become one pixel more.
            let (width, height) = (Double(size.width), Double(size.height))
            if width * Double(box.height) > height * Double(box.width) {
                result.height = whole(height * Double(box.width) / width)
            } else {
                result.width = whole(width * Double(box.height) / height)
            }
        }
        if !allowsEnlarging {
            result.width = min(result.width, size.width)
            result.height = min(result.height, size.height)
        }
        return PixelSize(width: max(result.width, 1), height: max(result.height, 1))
    }

    /// Returns a side that is scaled as the other side of its picture is scaled from `whole` to `box`: the nearest whole
    /// number, at least 1. An exact half is rounded up; a factor in place of the two numbers would often miss it.
    package static func nearest(_ side: Int, scaledFrom whole: Int, to box: Int) -> Int {
        max(Int((Double(side) * Double(box) / Double(whole)).rounded()), 1)
    }

    /// Rounds a side up. Limits the result to 10¹⁵ pixels, so that the conversion to `Int` cannot trap. Every real
    /// image is smaller.
    private static func whole(_ side: Double) -> Int { Int(min(side.rounded(.up), 1e15)) }

    /// Returns the largest size with the image's aspect ratio at which all frames together fit into `limitBytes`. The
    /// result can be larger than the image.
    public static func size(
        of size: PixelSize, limitBytes: Int, bytesPerPixel: Int, frameCount: Int
    ) -> PixelSize {
        guard size.width > 0, size.height > 0 else { return PixelSize(width: 1, height: 1) }
        let pixels = max(limitBytes, 0) / max(bytesPerPixel, 1) / max(frameCount, 1)
        let ratio = Double(size.height) / Double(size.width)
        let width = (Double(pixels) / ratio).squareRoot()
        return PixelSize(width: max(Int(width), 1), height: max(Int(width * ratio), 1))
    }
}

extension ImageScaling {
    /// The maximum size in bytes of a decoded image. It applies to a load that has the option `.scaleDownLargeImages`
    /// and sets no other limit. Initially 60 MiB. A new value under 4 (the bytes of one pixel) is ignored.
    public static var defaultScaleDownLimitBytes: Int {
        get { scaleDownLimit.withLock { $0 } }
        set { if newValue >= 4 { scaleDownLimit.withLock { $0 = newValue } } }
    }

    private static let scaleDownLimit = Locked(60 << 20)
}
