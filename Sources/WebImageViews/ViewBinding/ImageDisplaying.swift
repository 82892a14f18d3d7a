package import Foundation
package import WebImageCore
package import WebImageLoading

/// The functions of a toolkit's image view that ``ImageViewBinding`` calls.
@MainActor package protocol ImageDisplaying: AnyObject {
    /// The image that the view shows; nil if the view shows no image.
    var displayedImage: Image? { get set }
    /// Whether the view has a transition for images that were not in memory.
    var hasTransition: Bool { get }
    /// Shows an image with the view's transition; see ``ViewTransition`` for the contract.
    func perform(_ transition: ViewTransition)
    /// Passes an event of the view's loads to the view's indicator.
    func updateIndicator(_ indication: ViewIndication)
    /// Calls `body` with the view's size in pixels: immediately if the size is known, otherwise at the first layout.
    /// If the view has no layout within `deadline`, or no longer exists, calls `body` with nil.
    func whenSized(within deadline: Duration, _ body: @escaping @MainActor (CGSize?) -> Void)
    /// Called when a load of the view has ended. `error` is the error of a failed load of the view; nil if no load of
    /// the view has failed. If several loads have failed, a transport error takes precedence.
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
/// The view calls ``put`` at most once, then ``ended`` exactly once, even if the view skips the animation. The view
/// omits ``put`` only if a newer image was requested or if the user's transition sets the image itself.
@MainActor package struct ViewTransition {
    /// The image; nil shows no image.
    package let image: Image?
    /// The encoded bytes, if the loader delivered them.
    package let data: Data?
    /// The origin of the image.
    package let cacheType: ImageCacheType
    /// The URL of the load.
    package let url: URL?
    /// Returns whether no newer image was requested for the view. If false, the view ends the transition: the view
    /// calls ``ended``, and calls no further block of the user's transition.
    package let isCurrent: @MainActor () -> Bool
    /// Sets the image in the view.
    package let put: @MainActor () -> Void
    /// Reports the end of the transition.
    package let ended: @MainActor () -> Void
}

/// A block of the caller that shows the image. The binding calls this block instead of setting
/// ``ImageDisplaying/displayedImage``.
package typealias ViewSetImageBlock =
    @MainActor (_ image: Image?, _ data: Data?, _ cacheType: ImageCacheType, _ imageURL: URL?) -> Void
