public import Foundation
public import WebImage

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
