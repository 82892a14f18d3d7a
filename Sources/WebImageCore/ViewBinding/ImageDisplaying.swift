package import Foundation

/// Something that shows one picture: a toolkit's image view, seen by the binding.
@MainActor package protocol ImageDisplaying: AnyObject {
    /// The picture shown; nil shows nothing.
    var displayedImage: Image? { get set }
}

/// Shows an image in a way of its own instead of ``ImageDisplaying/displayedImage``.
package typealias ViewSetImageBlock =
    @MainActor (_ image: Image?, _ data: Data?, _ cacheType: ImageCacheType, _ imageURL: URL?) -> Void
