import CWebImagePixman
public import Foundation
public import WebImageCore

extension Image {
    /// Returns the whole image centred in `size` points; the rest is filled with its mean colour.
    ///
    /// The result has the display layout with 8 bits per channel.
    /// - Returns: nil for a size that is not positive and finite, or exceeds the default pixel limit.
    public func letterboxedImage(with size: CGSize) -> Image? {
        guard let fitted = resizedImage(with: size, scaleMode: .aspectFit), var color = averageColor() else {
            return nil
        }
        color.alpha = 1
        return fitted.made {
            () throws(WebImageError) in
            let canvas = try fitted.displayPixelsToDrawOn()
            try PixmanImage(color).composite(PIXMAN_OP_OVER_REVERSE, onto: canvas)
            return (canvas, false)
        }
    }
}

/// Fits an image into a size and fills the rest; see ``WebImageCore/Image/letterboxedImage(with:)``.
public struct ImageLetterboxTransformer: ImageTransformer {
    /// The target size in points.
    public let size: CGSize

    /// Makes the transformer.
    public init(size: CGSize) { self.size = size }

    /// The size, in the form of SDWebImage's keys.
    public var transformerKey: String {
        String(plainFormat: "SDImageLetterboxTransformer({%f,%f})", size.width, size.height)
    }

    /// Returns the filled image.
    public func transformedImage(with image: Image, forKey key: String) -> Image? { image.letterboxedImage(with: size) }
}
