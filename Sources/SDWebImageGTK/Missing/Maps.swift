public import Foundation
import SDWebImage
public import WebImageGTK

// The names of MapKit and Core Animation that image code often uses. They have no counterpart. The members exist so that the
// compiler reports the message of the class, and not that a member is missing.

/// Not available: maps belong to other libraries.
@available(
    *, unavailable, message: "Show the picture in a widget of your map: sd_internalSetImage with a set-image block"
)
@MainActor open class MKAnnotationView: UIView {
    /// The picture.
    public var image: UIImage?
    /// What the view stands for.
    public var annotation: (any MKAnnotation)?
    /// Whether a bubble is shown.
    public var canShowCallout = false
    /// The view at the start of the bubble.
    public var leftCalloutAccessoryView: UIView?
    /// The view at the end of the bubble.
    public var rightCalloutAccessoryView: UIView?
    /// Makes a view.
    public init(annotation: (any MKAnnotation)?, reuseIdentifier: String?) { super.init(frame: .zero) }
    /// Makes a view from a file.
    public required init?(coder: NSCoder) { super.init(frame: .zero) }
    /// Called before the view is used again.
    open func prepareForReuse() {}
    /// Loads an image.
    public func sd_setImage(
        with url: URL?, placeholderImage: UIImage? = nil, options: SDWebImageOptions = [],
        context: SDWebImageContext? = nil, completed: SDExternalCompletionBlock? = nil
    ) {}
}

/// Not available: maps belong to other libraries.
@available(
    *, unavailable, message: "Show the picture in a widget of your map: sd_internalSetImage with a set-image block"
)
@MainActor open class MKMarkerAnnotationView: MKAnnotationView {}

/// Not available: maps belong to other libraries.
@available(*, unavailable, message: "Use a map library for GTK, such as libshumate")
@MainActor open class MKMapView: UIView {
    /// Returns a view that is used again.
    public func dequeueReusableAnnotationView(withIdentifier identifier: String) -> MKAnnotationView? { nil }
}

/// Not available: maps belong to other libraries.
@available(*, unavailable, message: "Use a map library for GTK, such as libshumate")
public protocol MKAnnotation: AnyObject {}

/// Not available: maps belong to other libraries.
@available(*, unavailable, message: "Use a map library for GTK, such as libshumate")
public protocol MKMapViewDelegate: AnyObject {}

/// Not available: GTK has no layers.
@available(*, unavailable, message: "Draw in a GtkDrawingArea, or give the widget a CSS class")
@MainActor open class CALayer {
    /// Makes a layer.
    public init() {}
}

/// Not available: GTK has no layers.
@available(*, unavailable, message: "Give the widget a CSS class with a linear-gradient background")
@MainActor open class CAGradientLayer: CALayer {}

/// Not available: GTK has no layers.
@available(*, unavailable, message: "Draw the path in an image: UIGraphicsImageRenderer")
@MainActor open class CAShapeLayer: CALayer {}

/// Not available: a view animates how its picture appears.
@available(*, unavailable, message: "Set sd_imageTransition")
@MainActor public final class CATransition {
    /// Makes a transition.
    public init() {}
    /// The time in seconds.
    public var duration: TimeInterval = 0
}

/// Not available: a view animates how its picture appears.
@available(*, unavailable, message: "Set sd_imageTransition, or a CSS transition for the widget")
@MainActor public final class CABasicAnimation {
    /// Makes an animation.
    public init(keyPath: String?) {}
    /// The time in seconds.
    public var duration: TimeInterval = 0
}
