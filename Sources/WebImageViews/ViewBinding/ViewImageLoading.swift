public import Foundation
public import WebImageCore
public import WebImageLoading

/// Receives the image, its encoded data, the error, the origin, whether this is the last call, and the URL of the load.
public typealias ViewImageLoadingCompletedBlock =
    @Sendable (
        _ image: Image?, _ data: Data?, _ error: WebImageError?, _ cacheType: ImageCacheType, _ finished: Bool,
        _ url: URL?
    ) -> Void

/// Loads the images of a view.
///
/// A view calls the loader on the main actor. The loader must deliver an image in memory before
/// ``loadImage(with:options:context:progress:completed:)`` returns, so that the view does not flicker.
@preconcurrency public protocol ViewImageLoading: Sendable {
    /// Starts a load. The loader calls `completed` exactly once with `finished` = true, even after a cancel. With
    /// `.refreshCached`, a second call with `finished` = true may follow.
    ///
    /// `completed` runs on the callback queue of the context (default ``CallbackQueue/main``). If the queue is
    /// ``CallbackQueue/main`` and the caller is on the main thread, `completed` runs inline. The loader releases
    /// `completed` after the last call. The view treats the release as the end of the load.
    func loadImage(
        with url: URL?, options: WebImageOptions, context: WebImageContext?, progress: ImageLoaderProgressBlock?,
        completed: @escaping ViewImageLoadingCompletedBlock
    ) -> any WebImageOperation

    /// Returns the image in memory that a URL and a context describe; nil if memory has no such image. Does not start a
    /// load.
    func imageInMemory(for url: URL, context: WebImageContext?) -> Image?

    /// The loader to which this one forwards the next load, if the forwarding does not affect the result; otherwise nil.
    var nextLoader: (any ViewImageLoading)? { get }
}

extension ViewImageLoading {
    /// Nil by default.
    public var nextLoader: (any ViewImageLoading)? { nil }
    /// Returns nil by default.
    public func imageInMemory(for url: URL, context: WebImageContext?) -> Image? { nil }
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

/// The operation of a load that has already ended. A cancel does nothing.
struct EndedOperation: WebImageOperation {
    var isCancelled: Bool { false }
    func cancel() {}
}

extension WebImageManager: ViewImageLoading {
    /// Starts a load for callers that use the manager as a ``ViewImageLoading``.
    @_disfavoredOverload
    public func loadImage(
        with url: URL?, options: WebImageOptions, context: WebImageContext?, progress: ImageLoaderProgressBlock?,
        completed: @escaping ViewImageLoadingCompletedBlock
    ) -> any WebImageOperation {
        let operation: WebImageCombinedOperation = loadImage(
            with: url, options: options, context: context, progress: progress, completed: completed)
        return operation
    }
}

extension WebImageManager {
    /// Returns the image in memory that a URL and a context describe; nil for a miss. Costs one lock and one dictionary
    /// lookup.
    public func imageInMemory(for url: URL, context: WebImageContext?) -> Image? {
        imageInMemory(for: ImageRequest(url: url, context: context))
    }

    func imageInMemory(for request: ImageRequest) -> Image? {
        MemoryStage.entry(of: LoadKeys(request, settings).variant, in: settings.roles.cache.layers)
    }
}
