public import Foundation
@_exported public import SDWebImage
@_exported public import WebImageGTK

/// A widget with loads of its own; ``WebImageGTK/WidgetView``.
public typealias UIView = WidgetView
/// A widget that shows a picture; ``WebImageGTK/ImageView``.
public typealias UIImageView = ImageView
/// A widget that shows a picture, under its name on the desktop.
public typealias NSImageView = ImageView
/// A button with pictures; ``WebImageGTK/Button``.
public typealias UIButton = Button
/// A widget that plays what is animated; ``WebImageGTK/AnimatedImageView``.
public typealias SDAnimatedImageView = AnimatedImageView
/// How a picture comes onto a view; ``WebImageGTK/WebImageTransition``.
public typealias SDWebImageTransition = WebImageTransition
/// Runs while a view waits; ``WebImageGTK/WebImageIndicator``.
public typealias SDWebImageIndicator = WebImageIndicator
/// A spinner; ``WebImageGTK/WebImageActivityIndicator``.
public typealias SDWebImageActivityIndicator = WebImageActivityIndicator
/// A bar; ``WebImageGTK/WebImageProgressIndicator``.
public typealias SDWebImageProgressIndicator = WebImageProgressIndicator
/// What is remembered of a view's load; ``WebImageCore/WebImageLoadState``.
public typealias SDWebImageLoadState = WebImageLoadState

/// Where the names of a control's states are.
public enum UIControl {
    /// Which of a button's looks is meant; ``WebImageGTK/ControlState``.
    public typealias State = ControlState
}

/// Shows a picture in a way of the caller's.
public typealias SDSetImageBlock =
    @MainActor (
        _ image: UIImage?, _ imageData: Data?, _ cacheType: SDImageCacheType, _ imageURL: URL?
    ) -> Void
/// What comes before a transition.
public typealias SDWebImageTransitionPreparesBlock = WebImageTransition.Prepares
/// What a transition changes.
public typealias SDWebImageTransitionAnimationsBlock = WebImageTransition.Animations
/// What follows a transition.
public typealias SDWebImageTransitionCompletionBlock = WebImageTransition.Completion
