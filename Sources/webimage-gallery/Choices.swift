import Foundation
import WebImage
import WebImageGTK

/// The transitions and indicators that the user can choose.
@MainActor enum Choices {
    static let transitions: [(name: String, make: @MainActor () -> WebImageTransition?)] = [
        ("Fade", { .fade(duration: 0.35) }), ("None", { nil }),
        ("Flip from left", { .flipFromLeft }), ("Flip from right", { .flipFromRight }),
        ("Flip from top", { .flipFromTop }), ("Flip from bottom", { .flipFromBottom }),
        ("Curl up", { .curlUp }), ("Curl down", { .curlDown }),
        ("Push from left", { .look(.transitionPushFromLeft) }),
        ("Push from right", { .look(.transitionPushFromRight) }),
        ("Push from top", { .look(.transitionPushFromTop) }),
        ("Push from bottom", { .look(.transitionPushFromBottom) }),
        ("Move in from left", { .look(.transitionMoveInFromLeft) }),
        ("Move in from bottom", { .look(.transitionMoveInFromBottom) }),
        ("Grow", { grow() }),
    ]

    static let indicators: [(name: String, make: @MainActor () -> (any WebImageIndicator)?)] = [
        ("Spinner", { WebImageActivityIndicator.gray }), ("Large spinner", { WebImageActivityIndicator.grayLarge }),
        ("Bar", { WebImageProgressIndicator.bar }), ("Ring", { WebImageProgressIndicator.ring }),
        ("Veil", { WebImageProgressIndicator.overlay }), ("None", { nil }),
    ]

    /// Returns an example of a custom transition, in which the picture grows to its size.
    private static func grow() -> WebImageTransition {
        let transition = WebImageTransition.look(.curveEaseOut, duration: 0.4)
        transition.prepares = { view, _, _, _, _ in
            view.alpha = 0
            view.transform = .init(scaleX: 0.6, y: 0.6)
        }
        transition.animations = { view, _ in
            view.alpha = 1
            view.transform = .identity
        }
        return transition
    }

    private(set) static var transition = 0
    private(set) static var indicator = 0

    static func chooseTransition(_ number: Int) { if transitions.indices.contains(number) { transition = number } }
    static func chooseIndicator(_ number: Int) { if indicators.indices.contains(number) { indicator = number } }
    /// Returns the index of a name from the command line. Nil if `names` does not contain the name.
    static func number(of name: String, in names: [String]) -> Int? {
        names.firstIndex { $0.lowercased().replacingOccurrences(of: " ", with: "-") == name.lowercased() }
    }

    /// Sets the chosen transition and indicator of a view. `last` contains the index of the view's current indicator,
    /// and this function updates `last`. If `last` already equals the chosen index, the view keeps its indicator.
    static func apply(to view: ImageView, last: inout Int?) {
        view.imageTransition = transitions[transition].make()
        guard last != indicator else { return }
        last = indicator
        view.imageIndicator = indicators[indicator].make()
    }
}
