import Foundation
import WebImage
import WebImageCore
import WebImageHTTP
import WebImageLinkPreview
import WebImageLoading
import WebImageS3

/// The cache that `--cache` selects.
enum CommandCache {
    /// Returns a manager whose cache is in `folder`. Nil selects the user's cache. `none` disables the disk cache.
    ///
    /// - Parameters:
    ///   - tiers: The caches that are asked before the network; nil asks none.
    ///   - buckets: Loads `s3:` URLs; nil loads none.
    ///   - readsPages: Whether the URL of a web page loads the picture that the page names.
    static func manager(
        _ folder: String?, tiers: CacheTiers? = nil, buckets: S3ImageLoader? = nil, readsPages: Bool = false
    ) -> WebImageManager {
        guard tiers != nil || buckets != nil || readsPages else {
            return WebImageManager(cache: cache(folder), loader: ImageLoadersManager.shared)
        }
        var loaders = ImageLoadersManager.shared.loaders.map { loader -> any ImageLoader in
            guard let downloader = loader as? WebImageDownloader else { return loader }
            let pages: any ImageLoader = readsPages ? LinkPreviewImageLoader(downloader) : downloader
            return tiers.map { TieredImageLoader(pages, tiers: $0) } ?? pages
        }
        if let buckets { loaders.append(buckets) }
        return WebImageManager(cache: cache(folder), loader: ImageLoadersManager(loaders: loaders))
    }

    static func cache(_ folder: String?) -> ImageCache {
        guard let folder else { return ImageCache.shared }
        guard folder != "none" else {
            var config = ImageCacheConfig()
            config.shouldCacheImagesOnDisk = false
            return ImageCache(namespace: "none", config: config)
        }
        return ImageCache(namespace: "default", diskCacheDirectory: URL(fileURLWithPath: folder).path)
    }

    /// Waits until stored data is on disk.
    static func waitUntilStored(_ manager: WebImageManager) async {
        await (manager.imageCache as? ImageCache)?.flush()
    }
}
