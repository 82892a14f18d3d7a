/// The timing curve and the effect of a transition. The bits equal those of UIKit. The push and move-in effects are
/// additional.
public struct WebImageAnimationOptions: OptionSet, Sendable, Hashable {
    /// The options as bits: the curve in bits 16 and 17, the effect in bits 20 to 24.
    public let rawValue: UInt
    /// Makes options from bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The animation is slow at its beginning and at its end. This is the default.
    public static let curveEaseInOut = WebImageAnimationOptions([])
    /// The animation is slow at its beginning.
    public static let curveEaseIn = WebImageAnimationOptions(rawValue: 1 << 16)
    /// The animation is slow at its end.
    public static let curveEaseOut = WebImageAnimationOptions(rawValue: 2 << 16)
    /// The animation has a constant speed.
    public static let curveLinear = WebImageAnimationOptions(rawValue: 3 << 16)

    /// The image turns around the vertical axis. Its left edge comes forward.
    public static let transitionFlipFromLeft = WebImageAnimationOptions(rawValue: 1 << 20)
    /// The image turns around the vertical axis. Its right edge comes forward.
    public static let transitionFlipFromRight = WebImageAnimationOptions(rawValue: 2 << 20)
    /// The old image rolls up and disappears.
    public static let transitionCurlUp = WebImageAnimationOptions(rawValue: 3 << 20)
    /// The new image rolls down over the old image.
    public static let transitionCurlDown = WebImageAnimationOptions(rawValue: 4 << 20)
    /// The old image fades into the new image.
    public static let transitionCrossDissolve = WebImageAnimationOptions(rawValue: 5 << 20)
    /// The image turns around the horizontal axis. Its upper edge comes forward.
    public static let transitionFlipFromTop = WebImageAnimationOptions(rawValue: 6 << 20)
    /// The image turns around the horizontal axis. Its lower edge comes forward.
    public static let transitionFlipFromBottom = WebImageAnimationOptions(rawValue: 7 << 20)
    /// The new image comes from the left and pushes the old image out.
    public static let transitionPushFromLeft = WebImageAnimationOptions(rawValue: 8 << 20)
    /// The new image comes from the right and pushes the old image out.
    public static let transitionPushFromRight = WebImageAnimationOptions(rawValue: 9 << 20)
    /// The new image comes from the top and pushes the old image out.
    public static let transitionPushFromTop = WebImageAnimationOptions(rawValue: 10 << 20)
    /// The new image comes from the bottom and pushes the old image out.
    public static let transitionPushFromBottom = WebImageAnimationOptions(rawValue: 11 << 20)
    /// The new image comes from the left and slides over the old image.
    public static let transitionMoveInFromLeft = WebImageAnimationOptions(rawValue: 12 << 20)
    /// The new image comes from the right and slides over the old image.
    public static let transitionMoveInFromRight = WebImageAnimationOptions(rawValue: 13 << 20)
    /// The new image comes from the top and slides over the old image.
    public static let transitionMoveInFromTop = WebImageAnimationOptions(rawValue: 14 << 20)
    /// The new image comes from the bottom and slides over the old image.
    public static let transitionMoveInFromBottom = WebImageAnimationOptions(rawValue: 15 << 20)

    private static let curves: UInt = 3 << 16
    private static let looks: UInt = 31 << 20

    /// Returns the progress of the animation (0…1) after the fraction `time` (0…1) of its duration.
    func eased(_ time: Double) -> Double {
        switch WebImageAnimationOptions(rawValue: rawValue & Self.curves) {
        case .curveEaseIn: time * time
        case .curveEaseOut: 1 - (1 - time) * (1 - time)
        case .curveLinear: time
        default: time * time * (3 - 2 * time)
        }
    }

    /// The effect; nil for no effect. All bits of the effect are compared together, because different effects have bits
    /// in common.
    var effect: TransitionEffect? {
        switch WebImageAnimationOptions(rawValue: rawValue & Self.looks) {
        case .transitionCrossDissolve: .dissolve
        case .transitionFlipFromLeft: .flip(.left)
        case .transitionFlipFromRight: .flip(.right)
        case .transitionFlipFromTop: .flip(.top)
        case .transitionFlipFromBottom: .flip(.bottom)
        case .transitionCurlUp: .curlUp
        case .transitionCurlDown: .curlDown
        case .transitionPushFromLeft: .push(.left)
        case .transitionPushFromRight: .push(.right)
        case .transitionPushFromTop: .push(.top)
        case .transitionPushFromBottom: .push(.bottom)
        case .transitionMoveInFromLeft: .moveIn(.left)
        case .transitionMoveInFromRight: .moveIn(.right)
        case .transitionMoveInFromTop: .moveIn(.top)
        case .transitionMoveInFromBottom: .moveIn(.bottom)
        default: nil
        }
    }
}
