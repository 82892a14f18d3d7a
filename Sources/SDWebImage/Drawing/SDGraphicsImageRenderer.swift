public import Foundation
public import WebImage
public import WebImageGraphics

/// Draws into the context. A type for the closure of ``SDGraphicsImageRenderer/image(actions:)``.
public typealias SDGraphicsImageDrawingActions = (CGContext) -> Void

/// The scale, the opacity and the colour range of drawn images. This type is a class, as in SDWebImage.
///
/// Use a format on one thread at a time.
open class SDGraphicsImageRendererFormat {
    /// Pixels per point. Default: the scale of the main screen.
    open var scale: CGFloat {
        get { value.scale }
        set { value.scale = newValue }
    }
    /// Whether the images have no transparency. Default: false.
    open var opaque: Bool {
        get { value.opaque }
        set { value.opaque = newValue }
    }
    /// The colour range. Images of this package are drawn in the standard range.
    open var preferredRange: SDGraphicsImageRendererFormatRange {
        get { value.preferredRange }
        set { value.preferredRange = newValue }
    }
    /// The same format under UIKit's name. Its changes do not change this format, except by setting this property.
    open var uiformat: UIGraphicsImageRendererFormat {
        get {
            let format = UIGraphicsImageRendererFormat()
            format.value = value
            return format
        }
        set { value = newValue.value }
    }
    fileprivate var value = GraphicsImageRendererFormat()

    /// Creates a format with the scale of the main screen.
    public required init() {}

    /// Returns a format for the main screen.
    open class func preferred() -> Self {
        let format = Self()
        format.value = .preferred
        return format
    }

    /// The scale of the main screen, in pixels per point, for formats and drawings without a scale of their own. 1
    /// until a program sets it.
    public static var mainScreenScale: CGFloat {
        get { GraphicsImageRendererFormat.mainScreenScale }
        set { GraphicsImageRendererFormat.mainScreenScale = newValue }
    }
}

/// Draws images. SDWebImage's name for ``WebImageGraphics/GraphicsImageRenderer``, with its signatures.
open class SDGraphicsImageRenderer {
    private let renderer: GraphicsImageRenderer

    /// Creates a renderer with the preferred format. `size` is the size of each image in points.
    public init(size: CGSize) { renderer = GraphicsImageRenderer(size: size) }

    /// Creates a renderer. `size` is the size of each image in points. Later changes of `format` have no effect.
    public init(size: CGSize, format: SDGraphicsImageRendererFormat) {
        renderer = GraphicsImageRenderer(size: size, format: format.value)
    }

    /// Returns the image that `actions` draws. If the size is not positive or is too large, logs a warning and returns
    /// an image of one transparent pixel, because the result is not optional in SDWebImage.
    open func image(actions: (CGContext) -> Void) -> UIImage {
        renderer.image(actions) ?? UIImage.undrawn(renderer.size)
    }
}

extension Image {
    /// The image in place of a drawing that failed.
    static func undrawn(_ size: CGSize) -> UIImage {
        WebImageLog.shared.log(.warning, "nothing is drawn: the size \(size) is not allowed", metadata: [:])
        return UIImage()
    }
}
