public import Foundation
public import WebImage
public import WebImageGraphics

/// How a ``UIGraphicsImageRenderer`` makes its image; a reference, as the system's.
public final class UIGraphicsImageRendererFormat {
    /// Pixels per point; the main screen's at first.
    public var scale: CGFloat {
        get { value.scale }
        set { value.scale = newValue }
    }
    /// Whether the image has no transparency; false at first.
    public var opaque: Bool {
        get { value.opaque }
        set { value.opaque = newValue }
    }
    fileprivate var value: GraphicsImageRendererFormat

    /// A format for the main screen.
    public init() { value = GraphicsImageRendererFormat() }
    /// A format for the main screen.
    public static func `default`() -> UIGraphicsImageRendererFormat { UIGraphicsImageRendererFormat() }
    /// A format for the main screen.
    public static func preferred() -> UIGraphicsImageRendererFormat { UIGraphicsImageRendererFormat() }
}

/// What a ``UIGraphicsImageRenderer`` passes to its closure.
public struct UIGraphicsImageRendererContext {
    /// The context to draw on.
    public let cgContext: GraphicsContext
    /// Fills a rectangle with the fill colour.
    public func fill(_ rect: CGRect) { cgContext.fill(rect) }
}

/// Draws images, under the system's names; ``GraphicsImageRenderer``.
public final class UIGraphicsImageRenderer {
    private let renderer: GraphicsImageRenderer

    /// A renderer of a size in points.
    public init(size: CGSize, format: UIGraphicsImageRendererFormat = .preferred()) {
        renderer = GraphicsImageRenderer(size: size, format: format.value)
    }

    /// The image that `actions` draws; nil, where the system traps, for a size that is not positive or too large.
    public func image(actions: (UIGraphicsImageRendererContext) -> Void) -> UIImage? {
        renderer.image { actions(UIGraphicsImageRendererContext(cgContext: $0)) }
    }
}

/// Opens a drawing, as ``SDGraphicsBeginImageContext(_:)``.
public func UIGraphicsBeginImageContext(_ size: CGSize) { SDGraphicsBeginImageContext(size) }

/// Opens a drawing, as ``SDGraphicsBeginImageContextWithOptions(_:_:_:)``.
public func UIGraphicsBeginImageContextWithOptions(_ size: CGSize, _ opaque: Bool, _ scale: CGFloat) {
    SDGraphicsBeginImageContextWithOptions(size, opaque, scale)
}

/// The context that is drawn on, as ``SDGraphicsGetCurrentContext()``.
public func UIGraphicsGetCurrentContext() -> GraphicsContext? { SDGraphicsGetCurrentContext() }

/// The image of the open drawing, as ``SDGraphicsGetImageFromCurrentImageContext()``.
public func UIGraphicsGetImageFromCurrentImageContext() -> UIImage? { SDGraphicsGetImageFromCurrentImageContext() }

/// Ends the open drawing, as ``SDGraphicsEndImageContext()``.
public func UIGraphicsEndImageContext() { SDGraphicsEndImageContext() }
