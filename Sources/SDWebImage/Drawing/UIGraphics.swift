public import Foundation
public import WebImage
public import WebImageGraphics

/// The scale and the opacity of the images that a ``UIGraphicsImageRenderer`` draws. This type is a class, as in UIKit.
public final class UIGraphicsImageRendererFormat {
    /// Pixels per point. Default: the scale of the main screen.
    public var scale: CGFloat {
        get { value.scale }
        set { value.scale = newValue }
    }
    /// Whether the image has no transparency. Default: false.
    public var opaque: Bool {
        get { value.opaque }
        set { value.opaque = newValue }
    }
    /// The format as a value of this package.
    var value: GraphicsImageRendererFormat

    /// Creates a format for the main screen.
    public init() { value = GraphicsImageRendererFormat() }
    /// Returns a format for the main screen.
    public static func `default`() -> UIGraphicsImageRendererFormat { UIGraphicsImageRendererFormat() }
    /// Returns a format for the main screen.
    public static func preferred() -> UIGraphicsImageRendererFormat { UIGraphicsImageRendererFormat() }
}

/// The argument of the drawing closure of ``UIGraphicsImageRenderer/image(actions:)``.
public struct UIGraphicsImageRendererContext {
    /// The context to draw in.
    public let cgContext: GraphicsContext
    /// Fills a rectangle with the fill colour.
    public func fill(_ rect: CGRect) { cgContext.fill(rect) }
}

/// Draws images. This class wraps ``GraphicsImageRenderer`` and has the name of UIKit's renderer.
public final class UIGraphicsImageRenderer {
    private let renderer: GraphicsImageRenderer

    /// Creates a renderer. `size` is the size of each image in points.
    public init(size: CGSize, format: UIGraphicsImageRendererFormat = .preferred()) {
        renderer = GraphicsImageRenderer(size: size, format: format.value)
    }

    /// Returns the image that `actions` draws. If the size is not positive or is too large, logs a warning and returns
    /// an image of one transparent pixel; UIKit stops the program in these cases.
    public func image(actions: (UIGraphicsImageRendererContext) -> Void) -> UIImage {
        renderer.image { actions(UIGraphicsImageRendererContext(cgContext: $0)) } ?? UIImage.undrawn(renderer.size)
    }
}

/// Starts a drawing. UIKit's name for ``SDGraphicsBeginImageContext(_:)``.
public func UIGraphicsBeginImageContext(_ size: CGSize) { SDGraphicsBeginImageContext(size) }

/// Starts a drawing. UIKit's name for ``SDGraphicsBeginImageContextWithOptions(_:_:_:)``.
public func UIGraphicsBeginImageContextWithOptions(_ size: CGSize, _ opaque: Bool, _ scale: CGFloat) {
    SDGraphicsBeginImageContextWithOptions(size, opaque, scale)
}

/// Returns the context of the current drawing. UIKit's name for ``SDGraphicsGetCurrentContext()``.
public func UIGraphicsGetCurrentContext() -> GraphicsContext? { SDGraphicsGetCurrentContext() }

/// Returns the image of the current drawing. UIKit's name for ``SDGraphicsGetImageFromCurrentImageContext()``.
public func UIGraphicsGetImageFromCurrentImageContext() -> UIImage? { SDGraphicsGetImageFromCurrentImageContext() }

/// Ends the current drawing. UIKit's name for ``SDGraphicsEndImageContext()``.
public func UIGraphicsEndImageContext() { SDGraphicsEndImageContext() }
