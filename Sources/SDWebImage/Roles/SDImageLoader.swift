public import Foundation
public import WebImage

/// Fetches images for a manager, with SDWebImage's signatures: failures are any `Error`.
///
/// Called on any thread; must not block it. `completed` must be called exactly once with `finished`.
@preconcurrency public protocol SDImageLoader: ImageLoader {
    /// Starts a load.
    func requestImage(
        with url: URL?, options: SDWebImageOptions, context: SDWebImageContext?,
        progress progressBlock: SDImageLoaderProgressBlock?, completed completedBlock: SDImageLoaderCompletedBlock?
    ) -> (any SDWebImageOperation)?
    /// Whether a URL that failed with this error is not tried again.
    func shouldBlockFailedURL(with url: URL, error: any Error) -> Bool
    /// Whether a URL that failed with this error is not tried again; called by the manager.
    ///
    /// Unless implemented, calls `shouldBlockFailedURL(with:error:)`.
    func shouldBlockFailedURL(
        with url: URL, error: any Error, options: SDWebImageOptions, context: SDWebImageContext?
    ) -> Bool
}

extension SDImageLoader {
    /// The same load, for callers that use ``WebImageCore/ImageLoader``.
    public func requestImage(
        with url: URL?, options: WebImageOptions, context: WebImageContext?,
        progress: ImageLoaderProgressBlock?, completed: ImageLoaderCompletedBlock?
    ) -> (any WebImageOperation)? {
        let bridged: SDImageLoaderCompletedBlock = { image, data, error, finished in
            completed?(image, data, error.map(WebImageError.init(original:)), finished)
        }
        return requestImage(with: url, options: options, context: context, progress: progress, completed: bridged)
    }

    /// The result of `shouldBlockFailedURL(with:error:)`.
    public func shouldBlockFailedURL(
        with url: URL, error: any Error, options: SDWebImageOptions, context: SDWebImageContext?
    ) -> Bool {
        shouldBlockFailedURL(with: url, error: error)
    }

    /// The same question, for callers that use ``WebImageCore/ImageLoader``.
    public func shouldBlockFailedURL(
        with url: URL, error: WebImageError, options: WebImageOptions, context: WebImageContext?
    ) -> Bool {
        let bridged: any Error = SDWebImageError(error)
        return shouldBlockFailedURL(with: url, error: bridged, options: options, context: context)
    }

    /// The same question, for callers that use ``WebImageCore/ImageLoader``.
    public func shouldBlockFailedURL(with url: URL, error: WebImageError) -> Bool {
        let bridged: any Error = SDWebImageError(error)
        return shouldBlockFailedURL(with: url, error: bridged)
    }
}
