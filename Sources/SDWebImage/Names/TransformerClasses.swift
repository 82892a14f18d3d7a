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
    private let own: ImageRoundCornerTransformer

    /// Creates a transformer.
    public init(radius cornerRadius: CGFloat, corners: SDRectCorner, borderWidth: CGFloat, borderColor: UIColor?) {
        own = ImageRoundCornerTransformer(
            radius: cornerRadius, corners: corners, borderWidth: borderWidth, borderColor: borderColor)
        (self.cornerRadius, self.corners) = (cornerRadius, corners)
        (self.borderWidth, self.borderColor) = (borderWidth, borderColor)
    }

    /// The text that identifies the transformation in cache keys.
    open override var transformerKey: String { own.transformerKey }
    /// Returns the image with rounded corners.
    open override func transformedImage(with image: UIImage, forKey key: String) -> UIImage? {
        own.transformedImage(with: image, forKey: key)
    }
}

/// Resizes an image.
open class SDImageResizingTransformer: SDImageBaseTransformer, @unchecked Sendable {
    // Unchecked is correct because all stored properties are constants.
    /// The size in points.
    public let size: CGSize
    /// How the image is scaled to the size.
    public let scaleMode: SDImageScaleMode
    private let own: ImageResizingTransformer

    /// Creates a transformer.
    public init(size: CGSize, scaleMode: SDImageScaleMode) {
        own = ImageResizingTransformer(size: size, scaleMode: scaleMode)
        (self.size, self.scaleMode) = (size, scaleMode)
    }

    /// The text that identifies the transformation in cache keys.
    open override var transformerKey: String { own.transformerKey }
    /// Returns the resized image.
    open override func transformedImage(with image: UIImage, forKey key: String) -> UIImage? {
        own.transformedImage(with: image, forKey: key)
    }
}

/// Crops an image.
open class SDImageCroppingTransformer: SDImageBaseTransformer, @unchecked Sendable {
    // Unchecked is correct because all stored properties are constants.
    /// The rectangle that remains, in points.
    public let rect: CGRect
    private let own: ImageCroppingTransformer

    /// Creates a transformer.
    public init(rect: CGRect) {
        own = ImageCroppingTransformer(rect: rect)
        self.rect = rect
    }

    /// The text that identifies the transformation in cache keys.
    open override var transformerKey: String { own.transformerKey }
    /// Returns the part of the image inside the rectangle.
    open override func transformedImage(with image: UIImage, forKey key: String) -> UIImage? {
        own.transformedImage(with: image, forKey: key)
    }
}

/// Mirrors an image.
open class SDImageFlippingTransformer: SDImageBaseTransformer, @unchecked Sendable {
    // Unchecked is correct because all stored properties are constants.
    /// Whether the image is mirrored left to right.
    public let horizontal: Bool
    /// Whether the image is mirrored top to bottom.
    public let vertical: Bool
    private let own: ImageFlippingTransformer

    /// Creates a transformer.
    public init(horizontal: Bool, vertical: Bool) {
        own = ImageFlippingTransformer(horizontal: horizontal, vertical: vertical)
        (self.horizontal, self.vertical) = (horizontal, vertical)
    }

    /// The text that identifies the transformation in cache keys.
    open override var transformerKey: String { own.transformerKey }
    /// Returns the mirrored image.
    open override func transformedImage(with image: UIImage, forKey key: String) -> UIImage? {
        own.transformedImage(with: image, forKey: key)
    }
}

/// Rotates an image.
open class SDImageRotationTransformer: SDImageBaseTransformer, @unchecked Sendable {
    // Unchecked is correct because all stored properties are constants.
    /// The angle in radians. Positive angles rotate counter-clockwise.
    public let angle: CGFloat
    /// Whether the result is large enough for the whole rotated image.
    public let fitSize: Bool
    private let own: ImageRotationTransformer

    /// Creates a transformer.
    public init(angle: CGFloat, fitSize: Bool) {
        own = ImageRotationTransformer(angle: angle, fitSize: fitSize)
        (self.angle, self.fitSize) = (angle, fitSize)
    }

    /// The text that identifies the transformation in cache keys.
    open override var transformerKey: String { own.transformerKey }
    /// Returns the rotated image.
    open override func transformedImage(with image: UIImage, forKey key: String) -> UIImage? {
        own.transformedImage(with: image, forKey: key)
    }
}

/// Tints an image with a colour.
open class SDImageTintTransformer: SDImageBaseTransformer, @unchecked Sendable {
    // Unchecked is correct because all stored properties are constants.
    /// The colour.
    public let tintColor: UIColor
    /// How the colour is blended with the image.
    public let blendMode: CGBlendMode
    private let own: ImageTintTransformer

    /// Creates a transformer that gives all pixels the colour.
    public convenience init(color tintColor: UIColor) { self.init(color: tintColor, blendMode: .sourceIn) }

    /// Creates a transformer that blends the colour over the image.
    public init(color tintColor: UIColor, blendMode: CGBlendMode) {
        own = ImageTintTransformer(color: tintColor, blendMode: blendMode)
        (self.tintColor, self.blendMode) = (tintColor, blendMode)
    }

    /// The text that identifies the transformation in cache keys.
    open override var transformerKey: String { own.transformerKey }
    /// Returns the tinted image.
    open override func transformedImage(with image: UIImage, forKey key: String) -> UIImage? {
        own.transformedImage(with: image, forKey: key)
    }
}

/// Blurs an image.
open class SDImageBlurTransformer: SDImageBaseTransformer, @unchecked Sendable {
    // Unchecked is correct because all stored properties are constants.
    /// The radius in points.
    public let blurRadius: CGFloat
    private let own: ImageBlurTransformer

    /// Creates a transformer.
    public init(radius blurRadius: CGFloat) {
        own = ImageBlurTransformer(radius: blurRadius)
        self.blurRadius = blurRadius
    }

    /// The text that identifies the transformation in cache keys.
    open override var transformerKey: String { own.transformerKey }
    /// Returns the blurred image.
    open override func transformedImage(with image: UIImage, forKey key: String) -> UIImage? {
        own.transformedImage(with: image, forKey: key)
    }
}

/// Applies a filter to an image.
open class SDImageFilterTransformer: SDImageBaseTransformer, @unchecked Sendable {
    // Unchecked is correct because all stored properties are constants.
    /// The filter.
    public let filter: any ImageFilter
    private let own: ImageFilterTransformer

    /// Creates a transformer.
    public init(filter: any ImageFilter) {
        own = ImageFilterTransformer(filter: filter)
        self.filter = filter
    }

    /// Unavailable, because Linux has no Core Image.
    @available(*, unavailable, message: "Adopt ImageFilter, or use ColorFilter")
    public init(filter: CIFilter) { fatalError() }

    /// The text that identifies the transformation in cache keys.
    open override var transformerKey: String { own.transformerKey }
    /// Returns the filtered image.
    open override func transformedImage(with image: UIImage, forKey key: String) -> UIImage? {
        own.transformedImage(with: image, forKey: key)
    }
}
