public import Foundation
public import WebImage
import WebImageCompatibility

/// Fetches images for a manager. Has SDWebImage's signatures, in which a failure can be of any `Error` type.
///
/// Its methods are called on any thread and must not block that thread. Each load must call `completed` exactly once
/// with `finished` true.
@preconcurrency public protocol SDImageLoader: ImageLoader {
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
    /// Starts a load. ``WebImageCore/ImageLoader`` requires this overload.
    public func requestImage(
        with url: URL?, options: WebImageOptions, context: WebImageContext?,
        progress: ImageLoaderProgressBlock?, completed: ImageLoaderCompletedBlock?
    ) -> (any WebImageOperation)? {
        let bridged: SDImageLoaderCompletedBlock = { image, data, error, finished in
            completed?(image, data, error.map(WebImageError.init(original:)), finished)
        }
        return requestImage(with: url, options: options, context: context, progress: progress, completed: bridged)
    }

    /// The default implementation. Returns the result of `shouldBlockFailedURL(with:error:)`.
    public func shouldBlockFailedURL(
        with url: URL, error: any Error, options: SDWebImageOptions, context: SDWebImageContext?
    ) -> Bool {
        shouldBlockFailedURL(with: url, error: error)
    }

    /// Whether a failed URL is blocked. ``WebImageCore/ImageLoader`` requires this overload.
    public func shouldBlockFailedURL(
        with url: URL, error: WebImageError, options: WebImageOptions, context: WebImageContext?
    ) -> Bool {
        let bridged: any Error = SDWebImageError(error)
        return shouldBlockFailedURL(with: url, error: bridged, options: options, context: context)
    }

    /// Whether a failed URL is blocked. ``WebImageCore/ImageLoader`` requires this overload.
    public func shouldBlockFailedURL(with url: URL, error: WebImageError) -> Bool {
        let bridged: any Error = SDWebImageError(error)
        return shouldBlockFailedURL(with: url, error: bridged)
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
        shouldBlockFailedURL(with: url, error: WebImageError(original: error))
    }
}

extension ImageLoadersManager: SDImageLoader {
    /// Starts a load with the loader that accepts the URL. The failure is an ``SDWebImageError``.
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
        shouldBlockFailedURL(with: url, error: WebImageError(original: error))
    }

    /// Asks the loader that accepts the URL whether a URL that failed with `error` is blocked.
    public func shouldBlockFailedURL(
        with url: URL, error: any Error, options: SDWebImageOptions, context: SDWebImageContext?
    ) -> Bool {
        shouldBlockFailedURL(with: url, error: WebImageError(original: error), options: options, context: context)
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

    func canRequestImage(for url: URL?) -> Bool { own.canRequestImage(for: url) }

    func canRequestImage(for url: URL?, options: WebImageOptions, context: WebImageContext?) -> Bool {
        own.canRequestImage(for: url, options: options, context: context)
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
        own.shouldBlockFailedURL(with: url, error: WebImageError(original: error))
    }

    func shouldBlockFailedURL(
        with url: URL, error: any Error, options: SDWebImageOptions, context: SDWebImageContext?
    ) -> Bool {
        own.shouldBlockFailedURL(with: url, error: WebImageError(original: error), options: options, context: context)
    }
}
