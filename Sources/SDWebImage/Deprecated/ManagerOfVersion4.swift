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
    @available(*, deprecated, message: "Use SDImageCache.store(_:forKey:completion:) with cacheKey(for:)")
    public func saveImage(toCache image: UIImage?, for url: URL?) {
        guard let image, let url else { return }
        imageCache.storeImage(
            image, imageData: nil, forKey: cacheKey(for: url), options: [], context: nil, cacheType: .all,
            completion: nil)
    }

    /// Keeps a picture in memory and on disk under the key of a URL.
    @available(*, deprecated, message: "Use SDImageCache.store(_:forKey:completion:) with cacheKey(for:)")
    public func saveImageToCache(_ image: UIImage?, for url: URL?) { saveImage(toCache: image, for: url) }

    /// Whether the picture of a URL is in memory or on disk; told on main.
    @available(*, deprecated, message: "Use the cache's containsImage(forKey:cacheType:completion:)")
    @preconcurrency public func cachedImageExists(
        for url: URL?, completion completionBlock: SDImageCacheCheckCompletionBlock? = nil
    ) {
        contains(url, in: .all, completionBlock)
    }

    /// Whether the picture of a URL is on disk; told on main.
    @available(*, deprecated, message: "Use the cache's containsImage(forKey:cacheType:completion:)")
    @preconcurrency public func diskImageExists(
        for url: URL?, completion completionBlock: SDImageCacheCheckCompletionBlock? = nil
    ) {
        contains(url, in: .disk, completionBlock)
    }

    private func contains(_ url: URL?, in cacheType: ImageCacheType, _ completion: SDImageCacheCheckCompletionBlock?) {
        imageCache.containsImage(forKey: url.flatMap { cacheKey(for: $0) }, cacheType: cacheType) { found in
            // Always dispatched, so that the caller's code after the call has run.
            DispatchQueue.main.async { completion?(found != .none) }
        }
    }
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
