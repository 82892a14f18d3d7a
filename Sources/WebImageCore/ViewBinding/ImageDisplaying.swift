package import Foundation

/// Something that shows one picture: a toolkit's image view, seen by the binding.
@MainActor package protocol ImageDisplaying: AnyObject {
    /// The picture shown; nil shows nothing.
    var displayedImage: Image? { get set }
    /// Whether pictures that were waited for come by a transition.
    var hasTransition: Bool { get }
    /// Puts a picture by the view's transition; see ``ViewTransition`` for what is promised.
    func perform(_ transition: ViewTransition)
    /// Tells the view's indicator how the view's loads go.
    func indicate(_ news: ViewIndication)
    /// Calls `body` with the view's size in pixels: at once when it is known, else at the first layout, else with nil at
    /// the deadline or when the view is gone.
    func whenSized(within deadline: Duration, _ body: @escaping @MainActor (CGSize?) -> Void)
    /// The view's own load has ended; nil without an error.
    func loadEnded(with error: WebImageError?)
}

extension ImageDisplaying {
    package var hasTransition: Bool { false }
    package func perform(_ transition: ViewTransition) {
        transition.put()
        transition.ended()
    }
    package func indicate(_ news: ViewIndication) {}
    package func whenSized(within deadline: Duration, _ body: @escaping @MainActor (CGSize?) -> Void) { body(nil) }
    package func loadEnded(with error: WebImageError?) {}
}

/// What an indicator hears.
package enum ViewIndication: Equatable, Sendable {
    /// A load begins.
    case start
    /// How far it is, 0…1.
    case progress(Double)
    /// No load of the view is waited for any more.
    case stop
}

/// A picture on its way onto a view by the view's transition.
///
/// The view calls ``put`` and ``ended`` exactly once each, in this order, also when it has no time for an animation.
@MainActor package struct ViewTransition {
    /// The picture; nil for none.
    package let image: Image?
    /// Its encoded bytes, where the loader delivered them.
    package let data: Data?
    /// Where it came from.
    package let cacheType: ImageCacheType
    /// What was asked for.
    package let url: URL?
    /// Whether the view has not been asked for another picture since; what is overtaken ends without its blocks.
    package let isCurrent: @MainActor () -> Bool
    /// Sets the picture.
    package let put: @MainActor () -> Void
    /// Says that the transition is over.
    package let ended: @MainActor () -> Void
}

/// Shows an image in a way of its own instead of ``ImageDisplaying/displayedImage``.
package typealias ViewSetImageBlock =
    @MainActor (_ image: Image?, _ data: Data?, _ cacheType: ImageCacheType, _ imageURL: URL?) -> Void
