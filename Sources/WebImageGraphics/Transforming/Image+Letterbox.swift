import CWebImagePixman
public import Foundation
public import WebImageCore

extension Image {
    /// Fits the whole picture into `size` points, centred, and fills the rest with its mean colour.
    ///
    /// The result has the layout of the display, eight bits a channel.
    /// - Returns: nil for a size that is not positive and finite, or whose pixel count exceeds the default limit.
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

    /// Makes the transformer.
    public init(size: CGSize) { self.size = size }

    /// The size, in the format of SDWebImage's keys.
    public var transformerKey: String {
        String(plainFormat: "SDImageLetterboxTransformer({%f,%f})", size.width, size.height)
    }

    /// The filled image.
    public func transformedImage(with image: Image, forKey key: String) -> Image? { image.letterboxedImage(with: size) }
}
