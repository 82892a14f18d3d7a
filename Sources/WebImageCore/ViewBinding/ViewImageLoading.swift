public import Foundation

/// Receives the image, its encoded data, the error, the origin, whether this is the last call, and the URL of the load.
public typealias ViewImageLoadingCompletedBlock =
    @Sendable (
        _ image: Image?, _ data: Data?, _ error: WebImageError?, _ cacheType: ImageCacheType, _ finished: Bool,
        _ url: URL?
    ) -> Void

/// Loads the images of a view.
///
/// Called on the main actor. An image in memory is delivered before
/// ``loadImage(with:options:context:progress:completed:)`` returns, so that the view does not flicker.
@preconcurrency public protocol ViewImageLoading: Sendable {
    /// Starts a load. It calls `completed` exactly once with `finished` = true, also after a cancel.
    ///
    /// `completed` runs on ``CallbackQueue/main``, inline if the caller is already on main, unless the context names
    /// another queue. With `.refreshCached` a second call with `finished` = true may follow. When the loader releases
    /// `completed`, it makes no further call.
    func loadImage(
        with url: URL?, options: WebImageOptions, context: WebImageContext?, progress: ImageLoaderProgressBlock?,
        completed: @escaping ViewImageLoadingCompletedBlock
    ) -> any WebImageOperation

    /// Returns the image in memory that a context describes, without starting a load; nil if there is none.
    func imageInMemory(for url: URL, context: WebImageContext?) -> Image?
}

extension ViewImageLoading {
    /// Returns nil by default.
    public func imageInMemory(for url: URL, context: WebImageContext?) -> Image? { nil }
}

/// A loader that forwards its loads to another loader. The forwarding itself does not affect the result of a load.
package protocol ForwardingViewLoader: ViewImageLoading {
    /// The loader that receives the next load.
    var nextLoader: (any ViewImageLoading)? { get }
}

/// Receives the image or the error of a view's load, the origin of the image, and the URL of the load. A cache miss
/// with `.fromCacheOnly` has neither image nor error. Called on the main actor, even if the context names another
/// callback queue.
public typealias ViewImageCompletedBlock =
    @MainActor (_ image: Image?, _ error: WebImageError?, _ cacheType: ImageCacheType, _ imageURL: URL?) -> Void

/// Receives the number of bytes received, the number of bytes expected (0: the length is unknown, -1: no response
/// yet), and the URL of the load.
///
/// Called on the main actor with the newest counts. Counts that were replaced before the main actor could run are
/// skipped.
public typealias ViewImageProgressBlock =
    @MainActor (_ receivedSize: Int, _ expectedSize: Int, _ targetURL: URL?) -> Void

/// Receives the same values as ``ViewImageCompletedBlock``, and also the encoded data and whether this is the last
/// call. Corresponds to the internal completion block of SDWebImage.
public typealias ViewImageInternalCompletedBlock =
    @MainActor (
        _ image: Image?, _ data: Data?, _ error: WebImageError?, _ cacheType: ImageCacheType, _ finished: Bool,
        _ imageURL: URL?
    ) -> Void

/// Fails every load with an error that names the missing component.
struct MissingViewLoader: ViewImageLoading {
    func loadImage(
        with url: URL?, options: WebImageOptions, context: WebImageContext?, progress: ImageLoaderProgressBlock?,
        completed: @escaping ViewImageLoadingCompletedBlock
    ) -> any WebImageOperation {
        let error = WebImageError(
            .invalidDownloadOperation, stage: .request, url: url,
            underlying: .message("no manager is registered for views"),
            hint: "Link the product WebImage, or set .customManager in the context.")
        completed(nil, nil, error, .none, true, url)
        return EndedOperation()
    }
}

/// The operation of a load that ended before the function that started it returned.
struct EndedOperation: WebImageOperation {
    var isCancelled: Bool { false }
    func cancel() {}
}
