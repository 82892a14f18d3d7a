package import Foundation

/// A view that shows one image: the binding's interface to a toolkit's image view.
@MainActor package protocol ImageDisplaying: AnyObject {
    /// The image shown; nil shows nothing.
    var displayedImage: Image? { get set }
    /// Whether an image that needed a wait appears with a transition.
    var hasTransition: Bool { get }
    /// Shows an image with the view's transition; see ``ViewTransition`` for the contract.
    func perform(_ transition: ViewTransition)
    /// Informs the view's indicator about the view's loads.
    func updateIndicator(_ indication: ViewIndication)
    /// Calls `body` with the view's size in pixels: at once if it is known, otherwise at the first layout. Calls it with
    /// nil at the deadline or when the view is gone.
    func whenSized(within deadline: Duration, _ body: @escaping @MainActor (CGSize?) -> Void)
    /// Reports the end of the view's own load; nil without an error.
    func loadEnded(with error: WebImageError?)
}

extension ImageDisplaying {
    package var hasTransition: Bool { false }
    package func perform(_ transition: ViewTransition) {
        transition.put()
        transition.ended()
    }
    package func updateIndicator(_ indication: ViewIndication) {}
    package func whenSized(within deadline: Duration, _ body: @escaping @MainActor (CGSize?) -> Void) { body(nil) }
    package func loadEnded(with error: WebImageError?) {}
}

/// An event that an indicator receives.
package enum ViewIndication: Equatable, Sendable {
    /// A load begins.
    case start
    /// The progress of the load, 0…1.
    case progress(Double)
    /// No load of the view is waited for any longer.
    case stop
}

/// An image that the view shows with its transition.
///
/// The view calls ``put`` and ``ended`` exactly once each, in this order, even when it skips the animation.
@MainActor package struct ViewTransition {
    /// The image; nil for none.
    package let image: Image?
    /// The encoded bytes, if the loader delivered them.
    package let data: Data?
    /// The origin of the image.
    package let cacheType: ImageCacheType
    /// The URL of the load.
    package let url: URL?
    /// Whether no newer image was requested for the view; a transition that is no longer current ends without its
    /// blocks.
    package let isCurrent: @MainActor () -> Bool
    /// Sets the image.
    package let put: @MainActor () -> Void
    /// Reports that the transition is over.
    package let ended: @MainActor () -> Void
}

/// A block that shows an image instead of ``ImageDisplaying/displayedImage``.
package typealias ViewSetImageBlock =
    @MainActor (_ image: Image?, _ data: Data?, _ cacheType: ImageCacheType, _ imageURL: URL?) -> Void
