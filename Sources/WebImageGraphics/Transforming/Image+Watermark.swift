import CWebImagePixman
public import Foundation
public import WebImageCore

/// The position of a smaller picture in a larger picture.
public enum ImageAnchor: UInt, Sendable, CaseIterable {
    /// A corner, the middle of an edge, or the centre. The cases are ordered row by row.
    case topLeft = 0, top, topRight, left, center, right, bottomLeft, bottom, bottomRight

    /// Returns the position of the smaller picture's top left corner.
    ///
    /// - Parameters:
    ///   - width: The width of the larger picture minus the width of the smaller picture.
    ///   - height: The height of the larger picture minus the height of the smaller picture.
    func place(inWidth width: Double, height: Double, margin: Double) -> (x: Double, y: Double) {
        func along(_ part: UInt, _ rest: Double) -> Double { part == 0 ? margin : part == 1 ? rest / 2 : rest - margin }
        return (along(rawValue % 3, width), along(rawValue / 3, height))
    }
}

extension Image {
    /// Returns the picture with a watermark drawn over it.
    ///
    /// The result has the display format (`bgra8Premultiplied`, 8 bits per channel).
    /// - Parameters:
    ///   - watermark: The picture to draw, at its size in points. Parts of the watermark outside this picture are cut
    ///     off.
    ///   - anchor: The position of the watermark.
    ///   - margin: The distance between the watermark and the edges at the anchor, in points.
    ///   - opacity: The opacity of the watermark, 0…1.
    /// - Returns: nil if `margin` or `opacity` is not finite, if `margin` is 1,000,000 or more in magnitude, or if a
    ///   side of a picture exceeds 32,767 px.
    public func watermarkedImage(
        with watermark: Image, anchor: ImageAnchor = .bottomRight, margin: CGFloat = 0, opacity: Double = 1
    ) -> Image? {
        guard margin.isFinite, opacity.isFinite, abs(margin) < 1e6,
            let size = PixelSize(points: watermark.size, scale: scale)
        else { return nil }
        return made {
            () throws(WebImageError) in
            let mark = try watermark.displayPixels().scaled(to: size, isOpaque: !watermark.hasAlpha)
            let canvas = try displayPixelsToDrawOn()
            let place = anchor.place(
                inWidth: Double(pixels.width - size.width), height: Double(pixels.height - size.height),
                margin: Double(margin * scale))
            let shade = try PixmanImage(ImageColor(white: 0, alpha: opacity))
            try PixmanImage(mark).composite(
                PIXMAN_OP_OVER, mask: shade, onto: canvas, x: Int(place.x.rounded()), y: Int(place.y.rounded()))
            return (canvas, hasAlpha)
        }
    }
}

/// Draws a watermark over the picture; see ``WebImageCore/Image/watermarkedImage(with:anchor:margin:opacity:)``.
public struct ImageWatermarkTransformer: ImageTransformer {
    /// ``ImageTransformerExecution/computing``, because the transformer only changes pixels.
    public var execution: ImageTransformerExecution { .computing }

    /// The picture that is drawn over other pictures.
    public let watermark: Image
    /// The watermark's name in cache keys. Change this name whenever the watermark changes; otherwise caches return
    /// images with the old watermark.
    public let identifier: String
    /// The position of the watermark.
    public let anchor: ImageAnchor
    /// The distance between the watermark and the edges at the anchor, in points.
    public let margin: CGFloat
    /// The opacity of the watermark, 0…1.
    public let opacity: Double

    /// Creates the transformer.
    public init(
        watermark: Image, identifier: String, anchor: ImageAnchor = .bottomRight, margin: CGFloat = 0,
        opacity: Double = 1
    ) {
        self.watermark = watermark
        self.identifier = identifier
        self.anchor = anchor
        self.margin = margin
        self.opacity = opacity
    }

    /// The transformer's name with the identifier and the parameters, in the format of SDWebImage's keys.
    public var transformerKey: String {
        "SDImageWatermarkTransformer(\(identifier),"
            + String(plainFormat: "%lu,%f,%f)", anchor.rawValue, margin, opacity)
    }

    /// Returns the image with the watermark drawn over it.
    public func transformedImage(with image: Image, forKey key: String) -> Image? {
        image.watermarkedImage(with: watermark, anchor: anchor, margin: margin, opacity: opacity)
    }
}
