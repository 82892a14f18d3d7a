public import Foundation
@_exported public import SDWebImage
@_exported public import WebImageGTK

/// A widget with its own loads: ``WebImageGTK/WidgetView``.
public typealias UIView = WidgetView
/// A widget that shows an image: ``WebImageGTK/ImageView``.
public typealias UIImageView = ImageView
/// A button with images: ``WebImageGTK/Button``.
public typealias UIButton = Button
/// The transition with which an image appears: ``WebImageGTK/WebImageTransition``.
public typealias SDWebImageTransition = WebImageTransition
/// A spinner that does not show progress: ``WebImageGTK/WebImageActivityIndicator``.
public typealias SDWebImageActivityIndicator = WebImageActivityIndicator
/// An indicator that shows progress: ``WebImageGTK/WebImageProgressIndicator``.
public typealias SDWebImageProgressIndicator = WebImageProgressIndicator
/// The stored state of a view's load: ``WebImageCore/WebImageLoadState``.
public typealias SDWebImageLoadState = WebImageLoadState

/// The timing curve and the effect of a transition: ``WebImageGTK/WebImageAnimationOptions``.
public typealias SDWebImageAnimationOptions = WebImageAnimationOptions
/// The widget of a spinner, `GtkSpinner`: ``WebImageGTK/WidgetView``.
public typealias UIActivityIndicatorView = WidgetView
/// The widget of a progress bar, `GtkProgressBar`: ``WebImageGTK/WidgetView``.
public typealias UIProgressView = WidgetView

/// Unavailable, because Linux has no Core Animation.
@available(*, unavailable, message: "timingFunction is a closure: the progress (0…1) after a fraction of the duration")
public final class CAMediaTimingFunction {}

/// The namespace of a control's states.
public enum UIControl {
    /// The state of a button: ``WebImageGTK/ControlState``.
    public typealias State = ControlState
}

/// Called on the main actor to show an image. A load with such a block does not show the image in the view itself.
public typealias SDSetImageBlock =
    @MainActor (
        _ image: UIImage?, _ imageData: Data?, _ cacheType: SDImageCacheType, _ imageURL: URL?
    ) -> Void
/// Called before a transition.
public typealias SDWebImageTransitionPreparesBlock = WebImageTransition.Prepares
/// Called to set the values that a transition animates.
public typealias SDWebImageTransitionAnimationsBlock = WebImageTransition.Animations
/// Called after a transition.
public typealias SDWebImageTransitionCompletionBlock = WebImageTransition.Completion
