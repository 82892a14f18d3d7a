import CWebImagePixman
public import Foundation
public import WebImageCore

extension Image {
    /// Returns the whole picture centred in `size` points; its mean colour fills the rest.
    ///
    /// The result has the display format, 8 bits per channel.
    /// - Returns: nil for a size that is not positive and finite, or that exceeds the default pixel limit.
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

/// Fits a picture into a size and fills the rest; see ``WebImageCore/Image/letterboxedImage(with:)``.
public struct ImageLetterboxTransformer: ImageTransformer {
    /// The wanted size in points.
    public let size: CGSize

    /// Creates the transformer.
    public init(size: CGSize) { self.size = size }

    /// The size, in the form of SDWebImage's keys.
    public var transformerKey: String {
        String(plainFormat: "SDImageLetterboxTransformer({%f,%f})", size.width, size.height)
    }

    /// The filled image.
    public func transformedImage(with image: Image, forKey key: String) -> Image? { image.letterboxedImage(with: size) }
}
