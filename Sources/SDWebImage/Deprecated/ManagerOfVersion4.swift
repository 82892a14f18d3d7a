public import Foundation
public import WebImage
public import WebImageHTTP

extension WebImageManager {
    /// Creates a manager. SDWebImage 4 has this initialiser.
    @available(*, deprecated, renamed: "init(cache:loader:)")
    public convenience init(cache: ImageCache, downloader: WebImageDownloader) {
        self.init(cache: cache, loader: downloader)
    }

    /// SDWebImage 4's name for the manager's downloader. Returns ``imageLoader`` if it is a `WebImageDownloader`, and
    /// otherwise the shared downloader.
    @available(*, deprecated, message: "Use imageLoader")
    public var imageDownloader: WebImageDownloader { imageLoader as? WebImageDownloader ?? .shared }

    /// Stores an image in memory and on disk. The manager creates the cache key from the URL.
    @available(*, deprecated, renamed: "saveImage(toCache:for:)")
    public func saveImageToCache(_ image: UIImage?, for url: URL?) { saveImage(toCache: image, for: url) }
}

extension WebImageDownloader {
    /// Sets a custom class for download operations. SDWebImage 4 has this method. Nil restores the built-in class.
    @available(*, deprecated, message: "Set config.operationClass")
    public func setOperationClass(_ operationClass: (any SDWebImageDownloaderOperationProtocol.Type)?) {
        ownConfig.operationClass = operationClass
    }
}

extension WebImageOptions {
    /// SDWebImage 4's name for ``progressiveLoad``.
    @available(*, deprecated, renamed: "progressiveLoad")
    public static var progressiveDownload: WebImageOptions { progressiveLoad }
}
