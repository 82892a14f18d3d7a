public import Foundation
public import WebImage
import WebImageCompatibility

/// Fetches images for a manager. Has SDWebImage's signatures, in which a failure can be of any `Error` type.
///
/// Its methods are called on any thread and must not block that thread. Each load must call `completed` exactly once
/// with `finished` true. The library calls it as an ``WebImageLoading/ImageLoader`` that returns images.
@preconcurrency public protocol SDImageLoader: ImageLoader {
    /// Whether this loader accepts the URL.
    func canRequestImage(for url: URL?) -> Bool
    /// Whether this loader accepts the load. The manager calls this method, not `canRequestImage(for:)`. The default
    /// implementation returns the result of `canRequestImage(for:)`.
    func canRequestImage(for url: URL?, options: SDWebImageOptions, context: SDWebImageContext?) -> Bool
    /// Starts a load.
    func requestImage(
        with url: URL?, options: SDWebImageOptions, context: SDWebImageContext?,
        progress progressBlock: SDImageLoaderProgressBlock?, completed completedBlock: SDImageLoaderCompletedBlock?
    ) -> (any SDWebImageOperation)?
    /// Whether a URL that failed with `error` is blocked. A blocked URL is not tried again.
    func shouldBlockFailedURL(with url: URL, error: any Error) -> Bool
    /// Whether a URL that failed with `error` is blocked. A blocked URL is not tried again. The manager calls this
    /// method, not `shouldBlockFailedURL(with:error:)`. The default implementation returns the result of
    /// `shouldBlockFailedURL(with:error:)`.
    func shouldBlockFailedURL(
        with url: URL, error: any Error, options: SDWebImageOptions, context: SDWebImageContext?
    ) -> Bool
}

extension SDImageLoader {
    /// The default implementation. Returns the result of `canRequestImage(for:)`.
    public func canRequestImage(for url: URL?, options: SDWebImageOptions, context: SDWebImageContext?) -> Bool {
        canRequestImage(for: url)
    }

    /// The default implementation. Returns the result of `shouldBlockFailedURL(with:error:)`.
    public func shouldBlockFailedURL(
        with url: URL, error: any Error, options: SDWebImageOptions, context: SDWebImageContext?
    ) -> Bool {
        shouldBlockFailedURL(with: url, error: error)
    }
}

// What the library calls.
extension SDImageLoader {
    /// The loader returns images.
    public var capabilities: LoaderCapabilities { LoaderCapabilities(returnsImages: true) }

    /// Asks `canRequestImage(for:options:context:)`.
    public func canLoad(_ load: ImageDataLoad) -> Bool {
        canRequestImage(for: load.url, options: load.options, context: load.context)
    }

    /// Asks `shouldBlockFailedURL(with:error:options:context:)`.
    public func shouldBlock(_ load: ImageDataLoad, after error: WebImageError) -> Bool {
        shouldBlockFailedURL(
            with: load.url, error: SDWebImageError(error), options: load.options, context: load.context)
    }

    /// Calls `requestImage(with:options:context:progress:completed:)` and waits for its last completion.
    public func loadData(
        for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult {
        let call = Completion<Result<ImageDataResult, WebImageError>>()
        let outcome = await withTaskCancellationHandler {
            await withValueContinuation { continuation in
                call.whenCompleted { continuation.resume(returning: $0) }
                guard !call.isCompleted else { return }
                let completed: SDImageLoaderCompletedBlock = { image, data, error, finished in
                    if finished {
                        call.complete(with: Self.result(image, data, error: error, of: load.url))
                    } else if let image, !call.isCompleted {
                        load.receivedImage?(image)
                    }
                }
                let operation = requestImage(
                    with: load.url, options: load.options, context: load.context, progress: progress,
                    completed: completed)
                if let operation { call.whenCancelled { operation.cancel() } }
            }
        } onCancel: {
            call.cancel(with: .failure(.cancelled))
        }
        return try outcome.get()
    }

    private static func result(
        _ image: Image?, _ data: Data?, error: (any Error)?, of url: URL
    ) -> Result<ImageDataResult, WebImageError> {
        guard let image else {
            return .failure(
                error.map(WebImageError.init(original:))
                    ?? .badData("loader", "returned neither an image nor an error"))
        }
        return .success(ImageDataResult(image: image, data: data ?? Data(), url: url))
    }
}

// Calls without the arguments that have defaults in SDWebImage.
extension SDImageLoader {
    /// Starts a load without options.
    @discardableResult
    public func requestImage(
        with url: URL?, context: SDWebImageContext?, progress progressBlock: SDImageLoaderProgressBlock?,
        completed completedBlock: SDImageLoaderCompletedBlock?
    ) -> (any SDWebImageOperation)? {
        requestImage(with: url, options: [], context: context, progress: progressBlock, completed: completedBlock)
    }

    /// Starts a load without a completion.
    @discardableResult
    public func requestImage(
        with url: URL?, options: SDWebImageOptions = [], context: SDWebImageContext?,
        progress progressBlock: SDImageLoaderProgressBlock?
    ) -> (any SDWebImageOperation)? {
        let completed: SDImageLoaderCompletedBlock? = nil
        return requestImage(
            with: url, options: options, context: context, progress: progressBlock, completed: completed)
    }
}

extension WebImageDownloader: SDImageLoader {
    /// Whether the URL's scheme is `http`, `https` or `file`.
    public func canRequestImage(for url: URL?) -> Bool { url.map { canLoad(ImageDataLoad(url: $0)) } ?? false }

    /// Starts a download. The failure is an ``SDWebImageError``.
    @preconcurrency @discardableResult
    public func requestImage(
        with url: URL?, options: SDWebImageOptions = [], context: SDWebImageContext?,
        progress progressBlock: SDImageLoaderProgressBlock?, completed completedBlock: SDImageLoaderCompletedBlock?
    ) -> (any SDWebImageOperation)? {
        requestImage(
            with: url, options: options, context: context, progress: progressBlock,
            completed: NativeLoad.completed(completedBlock))
    }

    /// Whether a URL that failed with `error` is blocked. A blocked URL is not tried again.
    public func shouldBlockFailedURL(with url: URL, error: any Error) -> Bool {
        shouldBlock(ImageDataLoad(url: url), after: WebImageError(original: error))
    }
}

extension ImageLoadersManager: SDImageLoader {
    /// Whether at least one loader accepts the URL.
    public func canRequestImage(for url: URL?) -> Bool { loader(for: url) != nil }

    /// Whether at least one loader accepts the load.
    public func canRequestImage(for url: URL?, options: SDWebImageOptions, context: SDWebImageContext?) -> Bool {
        url.map { canLoad(ImageDataLoad(url: $0, options: options, context: context)) } ?? false
    }

    /// Starts a load with the loader that accepts the URL. If no loader accepts the URL, completes at once with
    /// `.invalidURL`. The failure is an ``SDWebImageError``.
    @preconcurrency @discardableResult
    public func requestImage(
        with url: URL?, options: SDWebImageOptions = [], context: SDWebImageContext?,
        progress progressBlock: SDImageLoaderProgressBlock?, completed completedBlock: SDImageLoaderCompletedBlock?
    ) -> (any SDWebImageOperation)? {
        do throws(WebImageError) {
            guard let url else { throw .missingURL }
            let loader = try acceptingLoader(of: ImageDataLoad(url: url, options: options, context: context))
            return AdoptedLoader.adopting(loader).requestImage(
                with: url, options: options, context: context, progress: progressBlock, completed: completedBlock)
        } catch {
            completedBlock?(nil, nil, SDWebImageError(error), true)
            return nil
        }
    }

    /// Whether a URL that failed with `error` is blocked. A blocked URL is not tried again.
    public func shouldBlockFailedURL(with url: URL, error: any Error) -> Bool {
        shouldBlock(ImageDataLoad(url: url), after: WebImageError(original: error))
    }

    /// Asks the loader that accepts the URL whether a URL that failed with `error` is blocked.
    public func shouldBlockFailedURL(
        with url: URL, error: any Error, options: SDWebImageOptions, context: SDWebImageContext?
    ) -> Bool {
        shouldBlock(
            ImageDataLoad(url: url, options: options, context: context), after: WebImageError(original: error))
    }

    /// The loaders. The loader that was added last is asked first. Setting nil removes all loaders.
    public var loaders: [any SDImageLoader]? {
        get { ownLoaders.map(AdoptedLoader.adopting) }
        set { ownLoaders = (newValue ?? []).map(AdoptedLoader.native) }
    }

    /// Adds a loader. It is asked first.
    public func addLoader(_ loader: any SDImageLoader) { addLoader(AdoptedLoader.native(loader)) }

    /// Removes a loader. Does nothing if the manager does not have it.
    public func removeLoader(_ loader: any SDImageLoader) { removeLoader(AdoptedLoader.native(loader)) }
}

extension WebImageManager {
    /// The loader of the manager.
    public var imageLoader: any SDImageLoader { AdoptedLoader.adopting(ownImageLoader) }

    /// The loader of ``shared``. Nil means the registered loaders. Has no effect after the first use of ``shared``.
    public static var defaultImageLoader: (any SDImageLoader)? {
        get { ownDefaultImageLoader.map(AdoptedLoader.adopting) }
        set { ownDefaultImageLoader = newValue.map(AdoptedLoader.native) }
    }
}

private enum NativeLoad {
    static func completed(_ block: SDImageLoaderCompletedBlock?) -> ImageLoaderCompletedBlock? {
        guard let block else { return nil }
        return { image, data, error, finished in block(image, data, error.map(SDWebImageError.init), finished) }
    }
}

/// Gives SDWebImage's signatures to a loader that was written for `WebImage`.
private final class AdoptedLoader: SDImageLoader {
    private let own: any ImageLoader

    private init(_ own: any ImageLoader) { self.own = own }

    static func adopting(_ loader: any ImageLoader) -> any SDImageLoader {
        loader as? any SDImageLoader ?? AdoptedLoader(loader)
    }

    static func native(_ loader: any SDImageLoader) -> any ImageLoader { (loader as? AdoptedLoader)?.own ?? loader }

    func canRequestImage(for url: URL?) -> Bool { url.map { own.canLoad(ImageDataLoad(url: $0)) } ?? false }

    func canRequestImage(for url: URL?, options: SDWebImageOptions, context: SDWebImageContext?) -> Bool {
        url.map { own.canLoad(ImageDataLoad(url: $0, options: options, context: context)) } ?? false
    }

    func requestImage(
        with url: URL?, options: SDWebImageOptions, context: SDWebImageContext?,
        progress progressBlock: SDImageLoaderProgressBlock?, completed completedBlock: SDImageLoaderCompletedBlock?
    ) -> (any SDWebImageOperation)? {
        own.requestImage(
            with: url, options: options, context: context, progress: progressBlock,
            completed: NativeLoad.completed(completedBlock))
    }

    func shouldBlockFailedURL(with url: URL, error: any Error) -> Bool {
        own.shouldBlock(ImageDataLoad(url: url), after: WebImageError(original: error))
    }

    func shouldBlockFailedURL(
        with url: URL, error: any Error, options: SDWebImageOptions, context: SDWebImageContext?
    ) -> Bool {
        own.shouldBlock(
            ImageDataLoad(url: url, options: options, context: context), after: WebImageError(original: error))
    }
}
