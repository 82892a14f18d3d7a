public import Foundation

/// The image, its encoded data, the failure, where it came from, whether this is the last call, and the URL asked for.
public typealias ViewImageLoadingCompletedBlock =
    @Sendable (
        _ image: Image?, _ data: Data?, _ error: WebImageError?, _ cacheType: ImageCacheType, _ finished: Bool,
        _ url: URL?
    ) -> Void

/// Whom a view asks for its pictures.
///
/// Called on the main actor. What is in memory is delivered before ``loadImage(with:options:context:progress:completed:)``
/// returns, so that a view never flashes.
@preconcurrency public protocol ViewImageLoading: Sendable {
    /// Starts a load that calls `completed` exactly once with `finished`, also when it is cancelled.
    ///
    /// `completed` runs on ``CallbackQueue/main`` unless the context names another queue: inline when already on main.
    /// With `.refreshCached` a second finished call may follow the first. Letting go of `completed` says that no further
    /// call will come.
    func loadImage(
        with url: URL?, options: WebImageOptions, context: WebImageContext?, progress: ImageLoaderProgressBlock?,
        completed: @escaping ViewImageLoadingCompletedBlock
    ) -> any WebImageOperation

    /// The image in memory that a context asks for, without any work; nil when there is none.
    func imageInMemory(for url: URL, context: WebImageContext?) -> Image?
}

extension ViewImageLoading {
    /// Nil.
    public func imageInMemory(for url: URL, context: WebImageContext?) -> Image? { nil }
}

/// A loader that hands its loads on; which one it is says nothing about what a load would give.
package protocol ForwardingViewLoader: ViewImageLoading {
    /// The loader that the next load goes to.
    var nextLoader: (any ViewImageLoading)? { get }
}

/// The image or the failure of a view's load (neither for a miss of `.fromCacheOnly`), where the image came from, and
/// the URL asked for. Called on the main actor, whatever callback queue the context names.
public typealias ViewImageCompletedBlock =
    @MainActor (_ image: Image?, _ error: WebImageError?, _ cacheType: ImageCacheType, _ imageURL: URL?) -> Void

/// Bytes received, bytes expected (0 when unknown, -1 before anything is known), and the URL asked for.
///
/// Called on the main actor with the newest figures; figures that are overtaken before main has time are left out.
public typealias ViewImageProgressBlock =
    @MainActor (_ receivedSize: Int, _ expectedSize: Int, _ targetURL: URL?) -> Void

/// What the original's internal completion hears: also the encoded data, and whether this is the last call.
public typealias ViewImageInternalCompletedBlock =
    @MainActor (
        _ image: Image?, _ data: Data?, _ error: WebImageError?, _ cacheType: ImageCacheType, _ finished: Bool,
        _ imageURL: URL?
    ) -> Void

/// Answers every load with an error that says what is missing.
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
