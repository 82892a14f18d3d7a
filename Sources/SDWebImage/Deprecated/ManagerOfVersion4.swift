public import Foundation
public import WebImage
public import WebImageHTTP

extension WebImageManager {
    /// Version 4's initialiser of a manager.
    @available(*, deprecated, renamed: "init(cache:loader:)")
    public convenience init(cache: ImageCache, downloader: WebImageDownloader) {
        self.init(cache: cache, loader: downloader)
    }

    /// Version 4's name for the manager's downloader. Returns ``imageLoader`` if it is a downloader, and otherwise the
    /// shared downloader.
    @available(*, deprecated, message: "Use imageLoader")
    public var imageDownloader: WebImageDownloader { imageLoader as? WebImageDownloader ?? .shared }

    /// Stores an image in memory and on disk under the key of a URL.
    @available(*, deprecated, renamed: "saveImage(toCache:for:)")
    public func saveImageToCache(_ image: UIImage?, for url: URL?) { saveImage(toCache: image, for: url) }
}

extension WebImageDownloader {
    /// Version 4's method to set a custom class for download operations. Nil restores the built-in class.
    @available(*, deprecated, message: "Set config.operationClass")
    public func setOperationClass(_ operationClass: (any SDWebImageDownloaderOperationProtocol.Type)?) {
        ownConfig.operationClass = operationClass
    }
}

extension WebImageOptions {
    /// Version 4's name for ``progressiveLoad``.
    @available(*, deprecated, renamed: "progressiveLoad")
    public static var progressiveDownload: WebImageOptions { progressiveLoad }
}
