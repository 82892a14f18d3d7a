public import Foundation
public import WebImageCore
public import WebImageLoading

/// The transition to an image that was not available immediately.
///
/// The transition runs for images from the network and the disk. With `.forceTransition`, it runs for all images. If
/// the view is not mapped, the image is set immediately, and the completion runs after the duration. If animations are
/// disabled on the desktop, the image is set and the blocks run immediately.
/// All blocks run on the main actor. The remaining blocks do not run if another image is requested for the view during
/// the transition.
@MainActor public final class WebImageTransition {
    /// Prepares the view before the image is set.
    public typealias Prepares =
        @MainActor (
            _ view: WidgetView, _ image: Image?, _ imageData: Data?, _ cacheType: ImageCacheType, _ imageURL: URL?
        ) -> Void
    /// Sets the view's `transform` and `alpha` to their final values, which the animation reaches at its end.
    public typealias Animations = @MainActor (_ view: WidgetView, _ image: Image?) -> Void
    /// Runs at the end of the transition. `finished` is false if the view was destroyed before the end.
    public typealias Completion = @MainActor (_ finished: Bool) -> Void

    /// Whether the ``animations`` block sets the image. If false, the default, the transition sets the image.
    public var avoidAutoSetImage = false
    /// The duration in seconds; 0.5 by default.
    public var duration: TimeInterval = 0.5
    /// The timing curve and the effect. By default, the animation is slow at its beginning and at its end, and has no
    /// effect.
    public var animationOptions: WebImageAnimationOptions = []
    /// Replaces the timing curve of ``animationOptions``. Returns the progress (0…1) after the fraction `time` (0…1) of
    /// the duration.
    public var timingFunction: (@MainActor (_ time: Double) -> Double)?
    /// The block that runs first.
    public var prepares: Prepares?
    /// The block that runs after the image was set. After ``duration``, the view reaches the values that this block
    /// sets.
    public var animations: Animations?
    /// The block that runs last.
    public var completion: Completion?

    /// Makes a transition that sets the image and animates the changes of ``animations``.
    public init() {}

    private convenience init(_ options: WebImageAnimationOptions, _ duration: TimeInterval) {
        self.init()
        animationOptions = options
        self.duration = duration
    }

    func eased(_ time: Double) -> Double { timingFunction?(time) ?? animationOptions.eased(time) }
}

// The built-in effects. Each call makes a new transition, so the caller can change the transition.
extension WebImageTransition {
    /// The old image fades into the new image.
    public static var fade: WebImageTransition { fade(duration: 0.5) }
    /// The image turns like a card. Its left edge comes forward.
    public static var flipFromLeft: WebImageTransition { flipFromLeft(duration: 0.5) }
    /// The image turns like a card. Its right edge comes forward.
    public static var flipFromRight: WebImageTransition { flipFromRight(duration: 0.5) }
    /// The image turns like a card. Its upper edge comes forward.
    public static var flipFromTop: WebImageTransition { flipFromTop(duration: 0.5) }
    /// The image turns like a card. Its lower edge comes forward.
    public static var flipFromBottom: WebImageTransition { flipFromBottom(duration: 0.5) }
    /// The old image rolls up and disappears.
    public static var curlUp: WebImageTransition { curlUp(duration: 0.5) }
    /// The new image rolls down over the old image.
    public static var curlDown: WebImageTransition { curlDown(duration: 0.5) }

    /// The old image fades into the new image. `duration` is in seconds.
    public static func fade(duration: TimeInterval) -> WebImageTransition {
        WebImageTransition(.transitionCrossDissolve, duration)
    }
    /// The image turns like a card. Its left edge comes forward. `duration` is in seconds.
    public static func flipFromLeft(duration: TimeInterval) -> WebImageTransition {
        WebImageTransition(.transitionFlipFromLeft, duration)
    }
    /// The image turns like a card. Its right edge comes forward. `duration` is in seconds.
    public static func flipFromRight(duration: TimeInterval) -> WebImageTransition {
        WebImageTransition(.transitionFlipFromRight, duration)
    }
    /// The image turns like a card. Its upper edge comes forward. `duration` is in seconds.
    public static func flipFromTop(duration: TimeInterval) -> WebImageTransition {
        WebImageTransition(.transitionFlipFromTop, duration)
    }
    /// The image turns like a card. Its lower edge comes forward. `duration` is in seconds.
    public static func flipFromBottom(duration: TimeInterval) -> WebImageTransition {
        WebImageTransition(.transitionFlipFromBottom, duration)
    }
    /// The old image rolls up and disappears. `duration` is in seconds.
    public static func curlUp(duration: TimeInterval) -> WebImageTransition {
        WebImageTransition(.transitionCurlUp, duration)
    }
    /// The new image rolls down over the old image. `duration` is in seconds.
    public static func curlDown(duration: TimeInterval) -> WebImageTransition {
        WebImageTransition(.transitionCurlDown, duration)
    }
    /// Makes a transition with any effect, for example `.look(.transitionPushFromLeft, duration: 0.3)`. `duration` is
    /// in seconds.
    public static func look(_ options: WebImageAnimationOptions, duration: TimeInterval = 0.5) -> WebImageTransition {
        WebImageTransition(options, duration)
    }
}
