import CWebImagePixman
public import Foundation
public import WebImageCore

extension Image {
    /// Returns an image of `size` points that contains the whole picture, scaled to fit and centred. The picture's mean
    /// colour fills the bars around the picture and is behind its transparent pixels.
    ///
    /// The result has the display format (`bgra8Premultiplied`, 8 bits per channel).
    /// - Returns: nil if the size is not positive, is not finite, or exceeds the default pixel limit.
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

/// Fits a picture into a size and fills the bars around the picture; see
/// ``WebImageCore/Image/letterboxedImage(with:)``.
public struct ImageLetterboxTransformer: ImageTransformer {
    /// ``ImageTransformerExecution/computing``, because the transformer only changes pixels.
    public var execution: ImageTransformerExecution { .computing }

    /// The size of the result in points.
    public let size: CGSize

    /// Creates the transformer.
    public init(size: CGSize) { self.size = size }

    /// The transformer's name with the size, in the format of SDWebImage's keys.
    public var transformerKey: String {
        String(plainFormat: "SDImageLetterboxTransformer({%f,%f})", size.width, size.height)
    }

    /// Returns the picture, fitted into the size, with filled bars around the picture.
    public func transformedImage(with image: Image, forKey key: String) -> Image? { image.letterboxedImage(with: size) }
}
