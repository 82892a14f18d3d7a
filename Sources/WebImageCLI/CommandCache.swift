import Foundation
import WebImage

/// The cache that `--cache` means.
enum CommandCache {
    /// A manager over the cache in a folder, the user's own without one, none for `none`.
    static func manager(_ folder: String?) -> WebImageManager {
        WebImageManager(cache: cache(folder), loader: ImageLoadersManager.shared)
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

    /// Waits until what was stored outlives the process.
    static func settle(_ manager: WebImageManager) async {
        await (manager.imageCache as? ImageCache)?.flush()
    }
}
