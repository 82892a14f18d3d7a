public import Foundation

/// The image, its encoded data, the error, the origin, whether this is the last call, and the URL of the load.
public typealias ViewImageLoadingCompletedBlock =
    @Sendable (
        _ image: Image?, _ data: Data?, _ error: WebImageError?, _ cacheType: ImageCacheType, _ finished: Bool,
        _ url: URL?
    ) -> Void

/// The loader of a view's images.
///
/// Called on the main actor. An image in memory is delivered before
/// ``loadImage(with:options:context:progress:completed:)`` returns, so that a view never flashes.
@preconcurrency public protocol ViewImageLoading: Sendable {
    /// Starts a load that calls `completed` exactly once with `finished`, also when it is cancelled.
    ///
    /// `completed` runs on ``CallbackQueue/main`` unless the context names another queue: inline when already on main.
    /// With `.refreshCached` a second finished call may follow the first. Releasing `completed` means that no further call
    /// will come.
    func loadImage(
        with url: URL?, options: WebImageOptions, context: WebImageContext?, progress: ImageLoaderProgressBlock?,
        completed: @escaping ViewImageLoadingCompletedBlock
    ) -> any WebImageOperation

    /// Returns the image in memory that a context describes, without any work; nil when there is none.
    func imageInMemory(for url: URL, context: WebImageContext?) -> Image?
}

extension ViewImageLoading {
    /// Returns nil.
    public func imageInMemory(for url: URL, context: WebImageContext?) -> Image? { nil }
}

/// A loader that forwards its loads. Its identity does not affect the result of a load.
package protocol ForwardingViewLoader: ViewImageLoading {
    /// The loader that receives the next load.
    var nextLoader: (any ViewImageLoading)? { get }
}

/// The image or the error of a view's load (neither for a miss of `.fromCacheOnly`), the origin of the image, and the URL
/// of the load. Called on the main actor, whatever callback queue the context names.
public typealias ViewImageCompletedBlock =
    @MainActor (_ image: Image?, _ error: WebImageError?, _ cacheType: ImageCacheType, _ imageURL: URL?) -> Void

/// Bytes received, bytes expected (0: unknown length, -1: nothing known yet), and the URL of the load.
///
/// Called on the main actor with the newest counts; older counts that main had no time for are skipped.
public typealias ViewImageProgressBlock =
    @MainActor (_ receivedSize: Int, _ expectedSize: Int, _ targetURL: URL?) -> Void

/// The parameters of SDWebImage's internal completion: also the encoded data, and whether this is the last call.
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

/// The operation of a load that ended before it could be returned.
struct EndedOperation: WebImageOperation {
    var isCancelled: Bool { false }
    func cancel() {}
}
