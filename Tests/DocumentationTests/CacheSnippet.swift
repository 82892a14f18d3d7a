// snippet: cache
import Foundation
import WebImage

/// A memory cache that stores nothing, so every load reads from disk.
struct NoMemory: MemoryCaching {
    init(config: ImageCacheConfig) {}
    func object(forKey key: String) -> Image? { nil }
    func setObject(_ object: Image?, forKey key: String, cost: Int) {}
    func removeObject(forKey key: String) {}
    func removeAllObjects() {}
}

func makeManager(cacheFolder: String) -> WebImageManager {
    var config = ImageCacheConfig()
    config.memoryCacheClass = NoMemory.self
    config.maxDiskSize = 200_000_000
    config.maxDiskAge = 30 * 24 * 60 * 60
    let cache = ImageCache(namespace: "previews", diskCacheDirectory: cacheFolder, config: config)
    return WebImageManager(cache: cache, loader: ImageLoadersManager.shared)
}
// end
