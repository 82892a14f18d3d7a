public import Foundation
public import WebImageCore

/// Rounds corners and draws a border; see
/// ``WebImageCore/Image/roundedCornerImage(withRadius:corners:borderWidth:borderColor:)``.
public struct ImageRoundCornerTransformer: ImageTransformer {
    /// ``ImageTransformerExecution/computing``, because the transformer only changes pixels.
    public var execution: ImageTransformerExecution { .computing }

    /// The radius in points.
    public let cornerRadius: CGFloat
    /// The corners to round.
    public let corners: RectCorner
    /// The border's width in points.
    public let borderWidth: CGFloat
    /// The border's colour; nil draws no border.
    public let borderColor: ImageColor?

    /// Creates the transformer.
    public init(radius: CGFloat, corners: RectCorner, borderWidth: CGFloat, borderColor: ImageColor?) {
        cornerRadius = radius
        self.corners = corners
        self.borderWidth = borderWidth
        self.borderColor = borderColor
    }

    /// The transformer's key. The key equals SDWebImage's key for the same transformer.
    public var transformerKey: String {
        let color = borderColor?.hexString ?? "(null)"
        return String(
            plainFormat: "SDImageRoundCornerTransformer(%f,%lu,%f,", cornerRadius, corners.rawValue, borderWidth)
            + color + ")"
    }

    /// Returns the image with rounded corners.
    public func transformedImage(with image: Image, forKey key: String) -> Image? {
        image.roundedCornerImage(
            withRadius: cornerRadius, corners: corners, borderWidth: borderWidth, borderColor: borderColor)
    }
}

/// Scales the picture to a size; see ``WebImageCore/Image/resizedImage(with:scaleMode:)``.
public struct ImageResizingTransformer: ImageTransformer {
    /// ``ImageTransformerExecution/computing``, because the transformer only changes pixels.
    public var execution: ImageTransformerExecution { .computing }

    /// The size of the result in points.
    public let size: CGSize
    /// How the picture is fitted into the size.
    public let scaleMode: ImageScaleMode

    /// Creates the transformer.
    public init(size: CGSize, scaleMode: ImageScaleMode) {
        self.size = size
        self.scaleMode = scaleMode
    }

    /// The transformer's key. The key equals SDWebImage's key for the same transformer.
    public var transformerKey: String {
        String(plainFormat: "SDImageResizingTransformer({%f,%f},%lu)", size.width, size.height, scaleMode.rawValue)
    }

    /// Returns the scaled image.
    public func transformedImage(with image: Image, forKey key: String) -> Image? {
        image.resizedImage(with: size, scaleMode: scaleMode)
    }
}

/// Crops the picture; see ``WebImageCore/Image/croppedImage(with:)``.
public struct ImageCroppingTransformer: ImageTransformer {
    /// ``ImageTransformerExecution/computing``, because the transformer only changes pixels.
    public var execution: ImageTransformerExecution { .computing }

    /// The part of the picture to keep, in points from the top left.
    public let rect: CGRect

    /// Creates the transformer.
    public init(rect: CGRect) { self.rect = rect }

    /// The transformer's key. The key equals SDWebImage's key for the same transformer.
    public var transformerKey: String {
        String(
            plainFormat: "SDImageCroppingTransformer({%f,%f,%f,%f})", rect.origin.x, rect.origin.y, rect.size.width,
            rect.size.height)
    }

    /// Returns the cropped image.
    public func transformedImage(with image: Image, forKey key: String) -> Image? { image.croppedImage(with: rect) }
}

/// Mirrors the picture; see ``WebImageCore/Image/flippedImage(withHorizontal:vertical:)``.
public struct ImageFlippingTransformer: ImageTransformer {
    /// ``ImageTransformerExecution/computing``, because the transformer only changes pixels.
    public var execution: ImageTransformerExecution { .computing }

    /// Whether the picture is mirrored left to right.
    public let horizontal: Bool
    /// Whether the picture is mirrored top to bottom.
    public let vertical: Bool

    /// Creates the transformer.
    public init(horizontal: Bool, vertical: Bool) {
        self.horizontal = horizontal
        self.vertical = vertical
    }

    /// The transformer's key. The key equals SDWebImage's key for the same transformer.
    public var transformerKey: String { "SDImageFlippingTransformer(\(horizontal ? 1 : 0),\(vertical ? 1 : 0))" }

    /// Returns the mirrored image.
    public func transformedImage(with image: Image, forKey key: String) -> Image? {
        image.flippedImage(withHorizontal: horizontal, vertical: vertical)
    }
}

/// Rotates the picture; see ``WebImageCore/Image/rotatedImage(withAngle:fitSize:)``.
public struct ImageRotationTransformer: ImageTransformer {
    /// ``ImageTransformerExecution/computing``, because the transformer only changes pixels.
    public var execution: ImageTransformerExecution { .computing }

    /// The angle in radians; positive angles are counter-clockwise.
    public let angle: CGFloat
    /// Whether the result is large enough for the whole rotated picture.
    public let fitSize: Bool

    /// Creates the transformer.
    public init(angle: CGFloat, fitSize: Bool) {
        self.angle = angle
        self.fitSize = fitSize
    }

    /// The transformer's key. The key equals SDWebImage's key for the same transformer.
    public var transformerKey: String {
        String(plainFormat: "SDImageRotationTransformer(%f,%d)", angle, fitSize ? 1 : 0)
    }

    /// Returns the rotated image.
    public func transformedImage(with image: Image, forKey key: String) -> Image? {
        image.rotatedImage(withAngle: angle, fitSize: fitSize)
    }
}

/// Draws a colour over the picture; see ``WebImageCore/Image/tintedImage(with:blendMode:)``.
public struct ImageTintTransformer: ImageTransformer {
    /// ``ImageTransformerExecution/computing``, because the transformer only changes pixels.
    public var execution: ImageTransformerExecution { .computing }

    /// The colour.
    public let tintColor: ImageColor
    /// How the colour is blended with the picture.
    public let blendMode: BlendMode

    /// Creates the transformer. The default mode fills the picture's shape with the colour.
    public init(color: ImageColor, blendMode: BlendMode = .sourceIn) {
        tintColor = color
        self.blendMode = blendMode
    }

    /// The transformer's key. The key equals SDWebImage's key for the same transformer.
    public var transformerKey: String { "SDImageTintTransformer(\(tintColor.hexString),\(blendMode.rawValue))" }

    /// Returns the tinted image.
    public func transformedImage(with image: Image, forKey key: String) -> Image? {
        image.tintedImage(with: tintColor, blendMode: blendMode)
    }
}

/// Blurs the picture; see ``WebImageCore/Image/blurredImage(withRadius:)``.
public struct ImageBlurTransformer: ImageTransformer {
    /// ``ImageTransformerExecution/computing``, because the transformer only changes pixels.
    public var execution: ImageTransformerExecution { .computing }

    /// The standard deviation of the blur, in points.
    public let blurRadius: CGFloat

    /// Creates the transformer.
    public init(radius: CGFloat) { blurRadius = radius }

    /// The transformer's key. The key equals SDWebImage's key for the same transformer.
    public var transformerKey: String { String(plainFormat: "SDImageBlurTransformer(%f)", blurRadius) }

    /// Returns the blurred image.
    public func transformedImage(with image: Image, forKey key: String) -> Image? {
        image.blurredImage(withRadius: blurRadius)
    }
}
