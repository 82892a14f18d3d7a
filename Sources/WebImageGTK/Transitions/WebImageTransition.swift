public import Foundation
public import WebImageCore

/// The transition to an image that was not available at once.
///
/// Runs for images from the network and the disk, and for others with `.forceTransition`. If the view is not mapped or
/// animations are disabled on the desktop, the image is set and the blocks run at once. All blocks run on the main
/// actor. They are skipped if another image is requested for the view meanwhile.
@MainActor public final class WebImageTransition {
    /// Prepares the view before the image is set.
    public typealias Prepares =
        @MainActor (
            _ view: WidgetView, _ image: Image?, _ imageData: Data?, _ cacheType: ImageCacheType, _ imageURL: URL?
        ) -> Void
    /// Sets the view's `transform` and `alpha` to their final values, which the animation reaches at its end.
    public typealias Animations = @MainActor (_ view: WidgetView, _ image: Image?) -> Void
    /// Runs at the end; `finished` is false if the view was destroyed before.
    public typealias Completion = @MainActor (_ finished: Bool) -> Void

    /// Whether ``animations`` sets the image instead of the transition; false by default.
    public var avoidAutoSetImage = false
    /// The duration in seconds; 0.5 by default.
    public var duration: TimeInterval = 0.5
    /// The timing curve and the effect; by default slow at both ends, without an effect.
    public var animationOptions: WebImageAnimationOptions = []
    /// Replaces the timing curve of ``animationOptions``: returns the progress after a fraction of the duration, both
    /// 0…1.
    public var timingFunction: (@MainActor (_ time: Double) -> Double)?
    /// Runs first.
    public var prepares: Prepares?
    /// Runs after the image was set; the values that it sets are reached after ``duration``.
    public var animations: Animations?
    /// Runs last.
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

// The built-in effects. Each call makes a new transition, which the caller may change.
extension WebImageTransition {
    /// The old image fades into the new one.
    public static var fade: WebImageTransition { fade(duration: 0.5) }
    /// The image turns like a card, its left edge coming forward.
    public static var flipFromLeft: WebImageTransition { flipFromLeft(duration: 0.5) }
    /// The image turns like a card, its right edge coming forward.
    public static var flipFromRight: WebImageTransition { flipFromRight(duration: 0.5) }
    /// The image turns like a card, its upper edge coming forward.
    public static var flipFromTop: WebImageTransition { flipFromTop(duration: 0.5) }
    /// The image turns like a card, its lower edge coming forward.
    public static var flipFromBottom: WebImageTransition { flipFromBottom(duration: 0.5) }
    /// The old image rolls up and off.
    public static var curlUp: WebImageTransition { curlUp(duration: 0.5) }
    /// The new image rolls down.
    public static var curlDown: WebImageTransition { curlDown(duration: 0.5) }

    /// The old image fades into the new one; `duration` in seconds.
    public static func fade(duration: TimeInterval) -> WebImageTransition {
        WebImageTransition(.transitionCrossDissolve, duration)
    }
    /// The image turns like a card, its left edge coming forward; `duration` in seconds.
    public static func flipFromLeft(duration: TimeInterval) -> WebImageTransition {
        WebImageTransition(.transitionFlipFromLeft, duration)
    }
    /// The image turns like a card, its right edge coming forward; `duration` in seconds.
    public static func flipFromRight(duration: TimeInterval) -> WebImageTransition {
        WebImageTransition(.transitionFlipFromRight, duration)
    }
    /// The image turns like a card, its upper edge coming forward; `duration` in seconds.
    public static func flipFromTop(duration: TimeInterval) -> WebImageTransition {
        WebImageTransition(.transitionFlipFromTop, duration)
    }
    /// The image turns like a card, its lower edge coming forward; `duration` in seconds.
    public static func flipFromBottom(duration: TimeInterval) -> WebImageTransition {
        WebImageTransition(.transitionFlipFromBottom, duration)
    }
    /// The old image rolls up and off; `duration` in seconds.
    public static func curlUp(duration: TimeInterval) -> WebImageTransition {
        WebImageTransition(.transitionCurlUp, duration)
    }
    /// The new image rolls down; `duration` in seconds.
    public static func curlDown(duration: TimeInterval) -> WebImageTransition {
        WebImageTransition(.transitionCurlDown, duration)
    }
    /// Makes a transition with any effect: `.look(.transitionPushFromLeft, duration: 0.3)`; `duration` in seconds.
    public static func look(_ options: WebImageAnimationOptions, duration: TimeInterval = 0.5) -> WebImageTransition {
        WebImageTransition(options, duration)
    }
}
