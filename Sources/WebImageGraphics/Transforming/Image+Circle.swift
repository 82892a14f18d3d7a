public import Foundation
public import WebImageCore

extension Image {
    /// Returns the largest circle around the picture's centre, in a square of the shorter side, transparent outside.
    ///
    /// The result has the display format, 8 bits per channel.
    /// - Parameters:
    ///   - borderWidth: in points, drawn inwards; half the side or more gives a transparent image.
    ///   - borderColor: nil draws no border, but still insets the picture.
    /// - Returns: nil when the width is negative or not finite.
    public func circleImage(borderWidth: CGFloat = 0, borderColor: ImageColor? = nil) -> Image? {
        let side = min(pixels.width, pixels.height)
        let area = CGRect(
            x: CGFloat((pixels.width - side) / 2) / scale, y: CGFloat((pixels.height - side) / 2) / scale,
            width: CGFloat(side) / scale, height: CGFloat(side) / scale)
        return croppedImage(with: area)?.roundedCornerImage(
            withRadius: area.width / 2, corners: .allCorners, borderWidth: borderWidth, borderColor: borderColor)
    }
}

/// Cuts a circle from the centre; see ``WebImageCore/Image/circleImage(borderWidth:borderColor:)``.
public struct ImageCircleTransformer: ImageTransformer {
    /// The border's width in points.
    public let borderWidth: CGFloat
    /// The border's colour; nil draws none.
    public let borderColor: ImageColor?

    /// Creates the transformer.
    public init(borderWidth: CGFloat = 0, borderColor: ImageColor? = nil) {
        self.borderWidth = borderWidth
        self.borderColor = borderColor
    }

    /// The border's width and colour, in the form of SDWebImage's keys.
    public var transformerKey: String {
        String(plainFormat: "SDImageCircleTransformer(%f,", borderWidth) + (borderColor?.hexString ?? "(null)") + ")"
    }

    /// The circle.
    public func transformedImage(with image: Image, forKey key: String) -> Image? {
        image.circleImage(borderWidth: borderWidth, borderColor: borderColor)
    }
}
