public import Foundation
public import WebImage
public import WebImageHTTP

extension WebImageManager {
    /// Version 4's way to make a manager.
    @available(*, deprecated, renamed: "init(cache:loader:)")
    public convenience init(cache: ImageCache, downloader: WebImageDownloader) {
        self.init(cache: cache, loader: downloader)
    }

    /// Version 4's downloader: the shared one, which is behind the loaders of every manager made without others.
    @available(*, deprecated, message: "Use imageLoader")
    public var imageDownloader: WebImageDownloader { imageLoader as? WebImageDownloader ?? .shared }

    /// Keeps a picture in memory and on disk under the key of a URL.
    @available(*, deprecated, renamed: "saveImage(toCache:for:)")
    public func saveImageToCache(_ image: UIImage?, for url: URL?) { saveImage(toCache: image, for: url) }
}

extension WebImageDownloader {
    /// Version 4's way to have transfers made by a class of one's own; nil is the built-in one.
    @available(*, deprecated, message: "Set config.operationClass")
    public func setOperationClass(_ operationClass: (any SDWebImageDownloaderOperationProtocol.Type)?) {
        ownConfig.operationClass = operationClass
    }
}

extension WebImageOptions {
    /// Version 4's name of ``progressiveLoad``.
    @available(*, deprecated, renamed: "progressiveLoad")
    public static var progressiveDownload: WebImageOptions { progressiveLoad }
}
