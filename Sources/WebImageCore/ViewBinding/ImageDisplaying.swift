package import Foundation

/// The interface of a toolkit's image view to ``ImageViewBinding``.
@MainActor package protocol ImageDisplaying: AnyObject {
    /// The image that the view shows; nil shows nothing.
    var displayedImage: Image? { get set }
    /// Whether the view has a transition for images that were not in memory.
    var hasTransition: Bool { get }
    /// Shows an image with the view's transition; see ``ViewTransition`` for the contract.
    func perform(_ transition: ViewTransition)
    /// Informs the view's indicator about the view's loads.
    func updateIndicator(_ indication: ViewIndication)
    /// Calls `body` with the view's size in pixels: immediately if the size is known, otherwise at the first layout.
    /// Calls it with nil at the deadline, or if the view no longer exists.
    func whenSized(within deadline: Duration, _ body: @escaping @MainActor (CGSize?) -> Void)
    /// Reports the end of a load of the view; `error` is nil if no load of the view has failed.
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
    /// The received part of the load's bytes, 0…1.
    case progress(Double)
    /// All loads of the view have delivered their result.
    case stop
}

/// An image that the view must show with its transition.
///
/// The view calls ``put`` and ``ended`` exactly once each, in this order, even if it skips the animation.
@MainActor package struct ViewTransition {
    /// The image; nil shows no image.
    package let image: Image?
    /// The encoded bytes, if the loader delivered them.
    package let data: Data?
    /// The origin of the image.
    package let cacheType: ImageCacheType
    /// The URL of the load.
    package let url: URL?
    /// Whether no newer image was requested for the view. A transition that is no longer current ends without calling
    /// its blocks.
    package let isCurrent: @MainActor () -> Bool
    /// Sets the image in the view.
    package let put: @MainActor () -> Void
    /// Reports the end of the transition.
    package let ended: @MainActor () -> Void
}

/// A block of the caller that shows the image. It is called instead of setting ``ImageDisplaying/displayedImage``.
package typealias ViewSetImageBlock =
    @MainActor (_ image: Image?, _ data: Data?, _ cacheType: ImageCacheType, _ imageURL: URL?) -> Void
