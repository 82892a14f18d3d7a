import Foundation
import WebImage
import WebImageHTTP
import WebImageLinkPreview
import WebImageLoading
import WebImageS3
import WebImageVideoLoading

/// The cache that `--cache` selects.
enum CommandCache {
    /// Returns a manager whose cache is in `folder`. Nil selects the user's cache. `none` disables the disk cache.
    ///
    /// - Parameters:
    ///   - tiers: The caches that are asked before the network; nil asks none.
    ///   - buckets: Loads `s3:` URLs; nil loads none.
    ///   - readsPages: Whether the URL of a web page loads the picture that the page names.
    ///   - readsPosters: Whether the URL of a video loads only what its poster needs.
    static func manager(
        _ cache: ImageCache, tiers: CacheTiers? = nil, buckets: S3ImageLoader? = nil, readsPages: Bool = false,
        readsPosters: Bool = false
    ) -> WebImageManager {
        func tiered(_ loader: any ImageLoader) -> any ImageLoader {
            tiers.map { TieredImageLoader(loader, tiers: $0) } ?? loader
        }
        var loaders = ImageLoadersManager.shared.loaders.map { loader -> any ImageLoader in
            guard let downloader = loader as? WebImageDownloader else { return loader }
            return tiered(readsPages ? LinkPreviewImageLoader(downloader) : downloader)
        }
        if let buckets { loaders.append(buckets) }
        if readsPosters {
            // A page at a URL without a known extension must reach the loader of pages.
            loaders.append(tiered(readsPages ? VideoPosterLoader.shared : VideoOnServer.loader))
            if let buckets { loaders.append(VideoPosterLoader(parts: buckets, schemes: ["s3"])) }
        }
        return WebImageManager(cache: cache, loader: ImageLoadersManager(loaders: loaders))
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
}
