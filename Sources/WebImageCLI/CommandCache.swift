import Foundation
import WebImage

/// The cache that `--cache` selects.
enum CommandCache {
    /// Returns a manager whose cache is in `folder`. Nil selects the user's cache. `none` disables the disk cache.
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

    /// Waits until stored data is on disk.
    static func waitUntilStored(_ manager: WebImageManager) async {
        await (manager.imageCache as? ImageCache)?.flush()
    }
}
