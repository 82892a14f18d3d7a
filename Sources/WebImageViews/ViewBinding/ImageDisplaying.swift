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
    /// Shows another version of the shown image, for example one with more pixels. An animation continues.
    func refine(_ image: Image)
    /// Calls `body` with the view's size: immediately if the size is known, otherwise with `expected` if this is not nil,
    /// otherwise at the first layout. ``ViewSize/unknown`` means that the view has no layout within `deadline`, or no
    /// longer exists.
    func whenSized(
        expected: ViewSize?, within deadline: Duration, _ body: @escaping @MainActor (ViewSize) -> Void)
    /// Whether pictures that are requested without a size are decoded at the size of the view.
    var decodesAtViewSize: Bool { get }
    /// Calls `body` with the size that the layout gives the view independently of its picture: immediately if it is
    /// known, otherwise after the first layout, or with `expected` if this is not nil. ``ViewSize/unknown`` means that
    /// the view has no layout within `deadline`, or is in no window.
    func whenGivenSize(
        expected: ViewSize?, within deadline: Duration, _ body: @escaping @MainActor (ViewSize) -> Void)
    /// The size at which the view draws its picture.
    var drawnSize: ViewSize { get }
    /// Makes the view call ``ImageViewBinding/resizePictures()`` when its picture needs another size. A view that has called
    /// a block with its size does so anyway.
    func followSize()
    /// Called when a load of the view has ended. `error` is the error of a failed load of the view; nil if no load of
    /// the view has failed. If several loads have failed, a transport error takes precedence.
    func loadEnded(with error: WebImageError?)
    /// Called when the load of a partial image that the view shows has failed or was cancelled, so that no more frames of
    /// the image arrive.
    func partialImageEnded(_ image: Image)
}

extension ImageDisplaying {
    package var hasTransition: Bool { false }
    package func perform(_ transition: ViewTransition) {
        transition.put()
        transition.ended()
    }
    package func updateIndicator(_ indication: ViewIndication) {}
    package func refine(_ image: Image) { displayedImage = image }
    package func whenSized(
        expected: ViewSize?, within deadline: Duration, _ body: @escaping @MainActor (ViewSize) -> Void
    ) { body(.unknown) }
    package var decodesAtViewSize: Bool { false }
    package func whenGivenSize(
        expected: ViewSize?, within deadline: Duration, _ body: @escaping @MainActor (ViewSize) -> Void
    ) { body(.unknown) }
    package var drawnSize: ViewSize { .unknown }
    package func followSize() {}
    package func loadEnded(with error: WebImageError?) {}
    package func partialImageEnded(_ image: Image) {}
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

/// Decides whether an image appears with the view's transition. This type only decides and has no side effects.
///
/// Images that were loaded asynchronously appear with the transition. Images that were available immediately appear
/// without a transition. Partial images always appear without a transition.
package enum ViewTransitionPolicy {
    /// Returns whether the image of one delivery appears with the transition.
    package static func runs(for cacheType: ImageCacheType, finished: Bool, options: WebImageOptions) -> Bool {
        guard finished else { return false }
        if options.contains(.forceTransition) { return true }
        switch cacheType {
        case .none: return true
        case .disk: return options.isDisjoint(with: [.queryMemoryDataSync, .queryDiskDataSync])
        default: return false
        }
    }
}
