public import Foundation
public import WebImageCore

extension Image {
    /// Returns the picture cut to the largest circle around its centre. The result is a square whose side is the
    /// shorter side of the picture. Pixels outside the circle are transparent.
    ///
    /// The result has the display format (`bgra8Premultiplied`, 8 bits per channel).
    /// - Parameters:
    ///   - borderWidth: The width of the border in points. The border is drawn inwards. If the border is at
    ///     least as wide as the circle's radius, the image is transparent.
    ///   - borderColor: The colour of the border. nil draws no border; the picture is still inset by the border's
    ///     width.
    /// - Returns: nil if the border's width is negative or not finite.
    public func circleImage(borderWidth: CGFloat = 0, borderColor: ImageColor? = nil) -> Image? {
        let side = min(pixels.width, pixels.height)
        let area = CGRect(
            x: CGFloat((pixels.width - side) / 2) / scale, y: CGFloat((pixels.height - side) / 2) / scale,
            width: CGFloat(side) / scale, height: CGFloat(side) / scale)
        return croppedImage(with: area)?.roundedCornerImage(
            withRadius: area.width / 2, corners: .allCorners, borderWidth: borderWidth, borderColor: borderColor)
    }
}

/// Cuts the picture to a circle; see ``WebImageCore/Image/circleImage(borderWidth:borderColor:)``.
public struct ImageCircleTransformer: ImageTransformer {
    /// ``ImageTransformerExecution/computing``, because the transformer only changes pixels.
    public var execution: ImageTransformerExecution { .computing }

    /// The border's width in points.
    public let borderWidth: CGFloat
    /// The border's colour; nil draws no border.
    public let borderColor: ImageColor?

    /// Creates the transformer.
    public init(borderWidth: CGFloat = 0, borderColor: ImageColor? = nil) {
        self.borderWidth = borderWidth
        self.borderColor = borderColor
    }

    /// The transformer's name with the border's width and colour, in the format of SDWebImage's keys.
    public var transformerKey: String {
        String(plainFormat: "SDImageCircleTransformer(%f,", borderWidth) + (borderColor?.hexString ?? "(null)") + ")"
    }

    /// Returns the picture cut to a circle; nil if the border's width is negative or not finite.
    public func transformedImage(with image: Image, forKey key: String) -> Image? {
        image.circleImage(borderWidth: borderWidth, borderColor: borderColor)
    }
}
