public import Foundation
@_exported public import SDWebImage
@_exported public import WebImageGTK

/// A widget with its own loads; ``WebImageGTK/WidgetView``.
public typealias UIView = WidgetView
/// A widget that shows an image: ``WebImageGTK/ImageView``.
public typealias UIImageView = ImageView
/// A widget that shows a picture, under its AppKit name.
public typealias NSImageView = ImageView
/// A button with images: ``WebImageGTK/Button``.
public typealias UIButton = Button
/// A widget that plays animations; ``WebImageGTK/AnimatedImageView``.
public typealias SDAnimatedImageView = AnimatedImageView
/// The transition with which a picture appears; ``WebImageGTK/WebImageTransition``.
public typealias SDWebImageTransition = WebImageTransition
/// Shows that a view waits for a picture; ``WebImageGTK/WebImageIndicator``.
public typealias SDWebImageIndicator = WebImageIndicator
/// A spinner without progress; ``WebImageGTK/WebImageActivityIndicator``.
public typealias SDWebImageActivityIndicator = WebImageActivityIndicator
/// An indicator of progress; ``WebImageGTK/WebImageProgressIndicator``.
public typealias SDWebImageProgressIndicator = WebImageProgressIndicator
/// The stored state of a view's load; ``WebImageCore/WebImageLoadState``.
public typealias SDWebImageLoadState = WebImageLoadState

/// The namespace of a control's states.
public enum UIControl {
    /// The state of a button; ``WebImageGTK/ControlState``.
    public typealias State = ControlState
}

/// Shows a picture instead of the view.
public typealias SDSetImageBlock =
    @MainActor (
        _ image: UIImage?, _ imageData: Data?, _ cacheType: SDImageCacheType, _ imageURL: URL?
    ) -> Void
/// Runs before a transition.
public typealias SDWebImageTransitionPreparesBlock = WebImageTransition.Prepares
/// Sets the values that a transition animates.
public typealias SDWebImageTransitionAnimationsBlock = WebImageTransition.Animations
/// Runs after a transition.
public typealias SDWebImageTransitionCompletionBlock = WebImageTransition.Completion
