public import Foundation
public import WebImageCore

/// How a picture that was waited for comes onto its view.
///
/// Runs for pictures from the network and the disk, and for others with `.forceTransition`. A view that cannot be seen,
/// and a desktop that wants no animations, get the picture and the blocks at once. All blocks run on the main actor and
/// are left out when the view is asked for another picture meanwhile.
@MainActor public final class WebImageTransition {
    /// What is done to the view at once, before the picture is set.
    public typealias Prepares =
        @MainActor (
            _ view: WidgetView, _ image: Image?, _ imageData: Data?, _ cacheType: ImageCacheType, _ imageURL: URL?
        ) -> Void
    /// What changes with time: sets the view's `transform` and `alpha` to what they are in the end.
    public typealias Animations = @MainActor (_ view: WidgetView, _ image: Image?) -> Void
    /// The end; `finished` is false when the view went away before.
    public typealias Completion = @MainActor (_ finished: Bool) -> Void

    /// Leaves setting the picture to ``animations``; false at first.
    public var avoidAutoSetImage = false
    /// Seconds; 0.5 at first.
    public var duration: TimeInterval = 0.5
    /// Curve and look; slow at both ends and no look of its own at first.
    public var animationOptions: WebImageAnimationOptions = []
    /// The curve instead of that of ``animationOptions``: where the animation is after a share of its time, 0…1.
    public var timingFunction: (@MainActor (_ time: Double) -> Double)?
    /// Runs first.
    public var prepares: Prepares?
    /// Runs when the picture was set; what it sets is reached after ``duration``.
    public var animations: Animations?
    /// Runs last.
    public var completion: Completion?

    /// A transition that sets the picture and animates what ``animations`` changes.
    public init() {}

    private convenience init(_ options: WebImageAnimationOptions, _ duration: TimeInterval) {
        self.init()
        animationOptions = options
        self.duration = duration
    }

    func eased(_ time: Double) -> Double { timingFunction?(time) ?? animationOptions.eased(time) }
}

// The looks there are; each call makes a new one, which the caller may change.
extension WebImageTransition {
    /// The pictures dissolve into each other.
    public static var fade: WebImageTransition { fade(duration: 0.5) }
    /// The card turns, its left edge coming forward.
    public static var flipFromLeft: WebImageTransition { flipFromLeft(duration: 0.5) }
    /// The card turns, its right edge coming forward.
    public static var flipFromRight: WebImageTransition { flipFromRight(duration: 0.5) }
    /// The card turns, its upper edge coming forward.
    public static var flipFromTop: WebImageTransition { flipFromTop(duration: 0.5) }
    /// The card turns, its lower edge coming forward.
    public static var flipFromBottom: WebImageTransition { flipFromBottom(duration: 0.5) }
    /// The old picture rolls up and off.
    public static var curlUp: WebImageTransition { curlUp(duration: 0.5) }
    /// The new picture rolls down.
    public static var curlDown: WebImageTransition { curlDown(duration: 0.5) }

    /// The pictures dissolve into each other in so many seconds.
    public static func fade(duration: TimeInterval) -> WebImageTransition {
        WebImageTransition(.transitionCrossDissolve, duration)
    }
    /// The card turns, its left edge coming forward, in so many seconds.
    public static func flipFromLeft(duration: TimeInterval) -> WebImageTransition {
        WebImageTransition(.transitionFlipFromLeft, duration)
    }
    /// The card turns, its right edge coming forward, in so many seconds.
    public static func flipFromRight(duration: TimeInterval) -> WebImageTransition {
        WebImageTransition(.transitionFlipFromRight, duration)
    }
    /// The card turns, its upper edge coming forward, in so many seconds.
    public static func flipFromTop(duration: TimeInterval) -> WebImageTransition {
        WebImageTransition(.transitionFlipFromTop, duration)
    }
    /// The card turns, its lower edge coming forward, in so many seconds.
    public static func flipFromBottom(duration: TimeInterval) -> WebImageTransition {
        WebImageTransition(.transitionFlipFromBottom, duration)
    }
    /// The old picture rolls up and off in so many seconds.
    public static func curlUp(duration: TimeInterval) -> WebImageTransition {
        WebImageTransition(.transitionCurlUp, duration)
    }
    /// The new picture rolls down in so many seconds.
    public static func curlDown(duration: TimeInterval) -> WebImageTransition {
        WebImageTransition(.transitionCurlDown, duration)
    }
    /// Any look in so many seconds: `.look(.transitionPushFromLeft, duration: 0.3)`.
    public static func look(_ options: WebImageAnimationOptions, duration: TimeInterval = 0.5) -> WebImageTransition {
        WebImageTransition(options, duration)
    }
}
