public import Foundation
public import WebImage
import WebImageGraphics

// SDWebImage's transformers are classes. They can be subclassed, and `preserveImageMetadata` can be set. Each class uses
// the struct of this package with the same name without prefix. Cache keys are the same for both.

/// Rounds the corners of an image.
open class SDImageRoundCornerTransformer: SDImageBaseTransformer, @unchecked Sendable {
    // Unchecked is correct because all stored properties are constants. This applies to all classes in this file.
    /// The radius in points.
    public let cornerRadius: CGFloat
    /// The corners that are rounded.
    public let corners: SDRectCorner
    /// The width of the border in points.
    public let borderWidth: CGFloat
    /// The colour of the border; nil means no border.
    public let borderColor: UIColor?

    /// Creates a transformer.
    public init(radius cornerRadius: CGFloat, corners: SDRectCorner, borderWidth: CGFloat, borderColor: UIColor?) {
        (self.cornerRadius, self.corners) = (cornerRadius, corners)
        (self.borderWidth, self.borderColor) = (borderWidth, borderColor)
        super.init()
        own = ImageRoundCornerTransformer(
            radius: cornerRadius, corners: corners, borderWidth: borderWidth, borderColor: borderColor)
    }
}

/// Resizes an image.
open class SDImageResizingTransformer: SDImageBaseTransformer, @unchecked Sendable {
    // Unchecked is correct because all stored properties are constants.
    /// The size in points.
    public let size: CGSize
    /// How the image is scaled to the size.
    public let scaleMode: SDImageScaleMode

    /// Creates a transformer.
    public init(size: CGSize, scaleMode: SDImageScaleMode) {
        (self.size, self.scaleMode) = (size, scaleMode)
        super.init()
        own = ImageResizingTransformer(size: size, scaleMode: scaleMode)
    }
}

/// Crops an image.
open class SDImageCroppingTransformer: SDImageBaseTransformer, @unchecked Sendable {
    // Unchecked is correct because all stored properties are constants.
    /// The rectangle that remains, in points.
    public let rect: CGRect

    /// Creates a transformer.
    public init(rect: CGRect) {
        self.rect = rect
        super.init()
        own = ImageCroppingTransformer(rect: rect)
    }
}

/// Mirrors an image.
open class SDImageFlippingTransformer: SDImageBaseTransformer, @unchecked Sendable {
    // Unchecked is correct because all stored properties are constants.
    /// Whether the image is mirrored left to right.
    public let horizontal: Bool
    /// Whether the image is mirrored top to bottom.
    public let vertical: Bool

    /// Creates a transformer.
    public init(horizontal: Bool, vertical: Bool) {
        (self.horizontal, self.vertical) = (horizontal, vertical)
        super.init()
        own = ImageFlippingTransformer(horizontal: horizontal, vertical: vertical)
    }
}

/// Rotates an image.
open class SDImageRotationTransformer: SDImageBaseTransformer, @unchecked Sendable {
    // Unchecked is correct because all stored properties are constants.
    /// The angle in radians. Positive angles rotate counter-clockwise.
    public let angle: CGFloat
    /// Whether the result is large enough for the whole rotated image.
    public let fitSize: Bool

    /// Creates a transformer.
    public init(angle: CGFloat, fitSize: Bool) {
        (self.angle, self.fitSize) = (angle, fitSize)
        super.init()
        own = ImageRotationTransformer(angle: angle, fitSize: fitSize)
    }
}

/// Tints an image with a colour.
open class SDImageTintTransformer: SDImageBaseTransformer, @unchecked Sendable {
    // Unchecked is correct because all stored properties are constants.
    /// The colour.
    public let tintColor: UIColor
    /// How the colour is blended with the image.
    public let blendMode: CGBlendMode

    /// Creates a transformer that gives all pixels the colour.
    public convenience init(color tintColor: UIColor) { self.init(color: tintColor, blendMode: .sourceIn) }

    /// Creates a transformer that blends the colour over the image.
    public init(color tintColor: UIColor, blendMode: CGBlendMode) {
        (self.tintColor, self.blendMode) = (tintColor, blendMode)
        super.init()
        own = ImageTintTransformer(color: tintColor, blendMode: blendMode)
    }
}

/// Blurs an image.
open class SDImageBlurTransformer: SDImageBaseTransformer, @unchecked Sendable {
    // Unchecked is correct because all stored properties are constants.
    /// The radius in points.
    public let blurRadius: CGFloat

    /// Creates a transformer.
    public init(radius blurRadius: CGFloat) {
        self.blurRadius = blurRadius
        super.init()
        own = ImageBlurTransformer(radius: blurRadius)
    }
}

/// Applies a filter to an image.
open class SDImageFilterTransformer: SDImageBaseTransformer, @unchecked Sendable {
    // Unchecked is correct because all stored properties are constants.
    /// The filter.
    public let filter: any ImageFilter

    /// Creates a transformer.
    public init(filter: any ImageFilter) {
        self.filter = filter
        super.init()
        own = ImageFilterTransformer(filter: filter)
    }

    /// Unavailable, because Linux has no Core Image.
    @available(*, unavailable, message: "Adopt ImageFilter, or use ColorFilter")
    public init(filter: CIFilter) { fatalError() }
}
