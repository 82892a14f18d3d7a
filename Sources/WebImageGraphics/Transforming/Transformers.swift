public import Foundation
public import WebImageCore

/// Rounds corners and draws a border; see ``WebImageCore/Image/roundedCornerImage(withRadius:corners:borderWidth:borderColor:)``.
public struct ImageRoundCornerTransformer: ImageTransformer {
    /// The radius in points.
    public let cornerRadius: CGFloat
    /// Which corners are round.
    public let corners: RectCorner
    /// The border's width in points.
    public let borderWidth: CGFloat
    /// The border's colour; nil draws none.
    public let borderColor: ImageColor?

    /// Creates the transformer.
    public init(radius: CGFloat, corners: RectCorner, borderWidth: CGFloat, borderColor: ImageColor?) {
        cornerRadius = radius
        self.corners = corners
        self.borderWidth = borderWidth
        self.borderColor = borderColor
    }

    /// SDWebImage's key for the same transformer.
    public var transformerKey: String {
        let color = borderColor?.hexString ?? "(null)"
        return String(
            plainFormat: "SDImageRoundCornerTransformer(%f,%lu,%f,", cornerRadius, corners.rawValue, borderWidth)
            + color + ")"
    }

    /// The rounded image.
    public func transformedImage(with image: Image, forKey key: String) -> Image? {
        image.roundedCornerImage(
            withRadius: cornerRadius, corners: corners, borderWidth: borderWidth, borderColor: borderColor)
    }
}

/// Resizes; see ``WebImageCore/Image/resizedImage(with:scaleMode:)``.
public struct ImageResizingTransformer: ImageTransformer {
    /// The wanted size in points.
    public let size: CGSize
    /// How the picture fits the size.
    public let scaleMode: ImageScaleMode

    /// Creates the transformer.
    public init(size: CGSize, scaleMode: ImageScaleMode) {
        self.size = size
        self.scaleMode = scaleMode
    }

    /// SDWebImage's key for the same transformer.
    public var transformerKey: String {
        String(plainFormat: "SDImageResizingTransformer({%f,%f},%lu)", size.width, size.height, scaleMode.rawValue)
    }

    /// The resized image.
    public func transformedImage(with image: Image, forKey key: String) -> Image? {
        image.resizedImage(with: size, scaleMode: scaleMode)
    }
}

/// Crops; see ``WebImageCore/Image/croppedImage(with:)``.
public struct ImageCroppingTransformer: ImageTransformer {
    /// The part to keep, in points from the top left.
    public let rect: CGRect

    /// Creates the transformer.
    public init(rect: CGRect) { self.rect = rect }

    /// SDWebImage's key for the same transformer.
    public var transformerKey: String {
        String(
            plainFormat: "SDImageCroppingTransformer({%f,%f,%f,%f})", rect.origin.x, rect.origin.y, rect.size.width,
            rect.size.height)
    }

    /// The cropped image.
    public func transformedImage(with image: Image, forKey key: String) -> Image? { image.croppedImage(with: rect) }
}

/// Mirrors; see ``WebImageCore/Image/flippedImage(withHorizontal:vertical:)``.
public struct ImageFlippingTransformer: ImageTransformer {
    /// Left to right.
    public let horizontal: Bool
    /// Top to bottom.
    public let vertical: Bool

    /// Creates the transformer.
    public init(horizontal: Bool, vertical: Bool) {
        self.horizontal = horizontal
        self.vertical = vertical
    }

    /// SDWebImage's key for the same transformer.
    public var transformerKey: String { "SDImageFlippingTransformer(\(horizontal ? 1 : 0),\(vertical ? 1 : 0))" }

    /// The mirrored image.
    public func transformedImage(with image: Image, forKey key: String) -> Image? {
        image.flippedImage(withHorizontal: horizontal, vertical: vertical)
    }
}

/// Rotates; see ``WebImageCore/Image/rotatedImage(withAngle:fitSize:)``.
public struct ImageRotationTransformer: ImageTransformer {
    /// Radians, counter-clockwise.
    public let angle: CGFloat
    /// Whether the result grows to hold the whole picture.
    public let fitSize: Bool

    /// Creates the transformer.
    public init(angle: CGFloat, fitSize: Bool) {
        self.angle = angle
        self.fitSize = fitSize
    }

    /// SDWebImage's key for the same transformer.
    public var transformerKey: String {
        String(plainFormat: "SDImageRotationTransformer(%f,%d)", angle, fitSize ? 1 : 0)
    }

    /// The turned image.
    public func transformedImage(with image: Image, forKey key: String) -> Image? {
        image.rotatedImage(withAngle: angle, fitSize: fitSize)
    }
}

/// Draws a colour over the picture; see ``WebImageCore/Image/tintedImage(with:blendMode:)``.
public struct ImageTintTransformer: ImageTransformer {
    /// The colour.
    public let tintColor: ImageColor
    /// How the colour mixes with the picture.
    public let blendMode: BlendMode

    /// Makes the transformer; the default mode fills the picture's shape.
    public init(color: ImageColor, blendMode: BlendMode = .sourceIn) {
        tintColor = color
        self.blendMode = blendMode
    }

    /// SDWebImage's key for the same transformer.
    public var transformerKey: String { "SDImageTintTransformer(\(tintColor.hexString),\(blendMode.rawValue))" }

    /// The tinted image.
    public func transformedImage(with image: Image, forKey key: String) -> Image? {
        image.tintedImage(with: tintColor, blendMode: blendMode)
    }
}

/// Blurs; see ``WebImageCore/Image/blurredImage(withRadius:)``.
public struct ImageBlurTransformer: ImageTransformer {
    /// The standard deviation in points.
    public let blurRadius: CGFloat

    /// Creates the transformer.
    public init(radius: CGFloat) { blurRadius = radius }

    /// SDWebImage's key for the same transformer.
    public var transformerKey: String { String(plainFormat: "SDImageBlurTransformer(%f)", blurRadius) }

    /// The blurred image.
    public func transformedImage(with image: Image, forKey key: String) -> Image? {
        image.blurredImage(withRadius: blurRadius)
    }
}
