public import Foundation
@_exported public import SDWebImage
@_exported public import WebImageGTK

/// A widget with its own loads: ``WebImageGTK/WidgetView``.
public typealias UIView = WidgetView
/// A widget that shows an image: ``WebImageGTK/ImageView``.
public typealias UIImageView = ImageView
/// A widget that shows an image, under the name from AppKit: ``WebImageGTK/ImageView``.
public typealias NSImageView = ImageView
/// A button with images: ``WebImageGTK/Button``.
public typealias UIButton = Button
/// A widget that plays animations: ``WebImageGTK/AnimatedImageView``.
public typealias SDAnimatedImageView = AnimatedImageView
/// The transition with which an image appears: ``WebImageGTK/WebImageTransition``.
public typealias SDWebImageTransition = WebImageTransition
/// An indicator that shows that a view loads an image: ``WebImageGTK/WebImageIndicator``.
public typealias SDWebImageIndicator = WebImageIndicator
/// A spinner that does not show progress: ``WebImageGTK/WebImageActivityIndicator``.
public typealias SDWebImageActivityIndicator = WebImageActivityIndicator
/// An indicator that shows progress: ``WebImageGTK/WebImageProgressIndicator``.
public typealias SDWebImageProgressIndicator = WebImageProgressIndicator
/// The stored state of a view's load: ``WebImageCore/WebImageLoadState``.
public typealias SDWebImageLoadState = WebImageLoadState

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
