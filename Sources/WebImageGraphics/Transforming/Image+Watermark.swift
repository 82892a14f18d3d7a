import CWebImagePixman
public import Foundation
public import WebImageCore

/// Where in a picture something smaller is put.
public enum ImageAnchor: UInt, Sendable, CaseIterable {
    /// In a corner, at the middle of an edge, or in the middle; row after row.
    case topLeft = 0, top, topRight, left, center, right, bottomLeft, bottom, bottomRight

    /// The top left of what is put, given what is left over beside and above it.
    func place(inWidth width: Double, height: Double, margin: Double) -> (x: Double, y: Double) {
        func along(_ part: UInt, _ rest: Double) -> Double { part == 0 ? margin : part == 1 ? rest / 2 : rest - margin }
        return (along(rawValue % 3, width), along(rawValue / 3, height))
    }
}

extension Image {
    /// The picture with another one over it.
    ///
    /// The result has the layout of the display, eight bits a channel.
    /// - Parameters:
    ///   - watermark: drawn at its size in points; what overhangs is cut off.
    ///   - anchor: where it is put.
    ///   - margin: points it keeps from the edges it is at.
    ///   - opacity: 0…1.
    /// - Returns: nil when a number is not finite or a side passes 32,767 px.
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

/// Puts a picture over; see ``WebImageCore/Image/watermarkedImage(with:anchor:margin:opacity:)``.
public struct ImageWatermarkTransformer: ImageTransformer {
    /// What is put over.
    public let watermark: Image
    /// What tells this watermark from others in cache keys: change it with the picture.
    public let identifier: String
    /// Where it is put.
    public let anchor: ImageAnchor
    /// Points it keeps from the edges it is at.
    public let margin: CGFloat
    /// 0…1.
    public let opacity: Double

    /// Makes the transformer.
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

    /// The identifier and the parameters, written as the original writes its keys.
    public var transformerKey: String {
        "SDImageWatermarkTransformer(\(identifier),"
            + String(plainFormat: "%lu,%f,%f)", anchor.rawValue, margin, opacity)
    }

    /// The image under the watermark.
    public func transformedImage(with image: Image, forKey key: String) -> Image? {
        image.watermarkedImage(with: watermark, anchor: anchor, margin: margin, opacity: opacity)
    }
}
