import Foundation
import WebImageCore

/// The layers of the caches of an ``ImageCachesManager``, as the layers of one cache. Loads can then use the memory of
/// the caches without a queue, and decode their bytes themselves.
///
/// The policies of the manager select the caches, as for its other operations.
struct CacheLayers: ImageCacheLayers {
    /// The caches that a query uses, the highest first.
    private let queried: [RegisteredCache]
    /// The caches that store images.
    private let stored: [RegisteredCache]

    /// Returns nil if a cache has no separate layers: then only the cache itself can answer. Also returns nil if
    /// queries copy hits to higher caches, because only a query of the manager makes these copies.
    init?(_ manager: ImageCachesManager) {
        guard !manager.fillsHigherCaches else { return nil }
        (queried, stored) = (manager.queriedCaches, manager.storingCaches)
        guard !queried.isEmpty, (queried + stored).allSatisfy({ $0.layers != nil }) else { return nil }
    }

    /// The cache that records the versions of originals: the highest cache that can.
    var versioned: ImageCache? { queried.lazy.compactMap(\.versioned).first }

    private func first<Value>(_ value: (any ImageCacheLayers) -> Value?) -> Value? {
        for cache in queried {
            if let found = cache.layers.flatMap(value) { return found }
        }
        return nil
    }

    // MARK: Memory

    func imageFromMemoryCache(forKey key: String?) -> Image? { first { $0.imageFromMemoryCache(forKey: key) } }

    func storeImageToMemory(_ image: Image?, forKey key: String?) {
        for cache in stored where cache.layers?.keepsImagesInMemory == true {
            cache.layers?.storeImageToMemory(image, forKey: key)
        }
    }

    var keepsImagesInMemory: Bool { stored.contains { $0.layers?.keepsImagesInMemory == true } }

    // MARK: Disk

    func diskImageData(forKey key: String?) async -> Data? { await diskResource(forKey: key)?.data }

    func diskImageDataSync(forKey key: String?) -> Data? { first { $0.diskImageDataSync(forKey: key) } }

    func diskResource(forKey key: String?) async -> EncodedResource? {
        for cache in queried {
            if let found = await cache.layers?.diskResource(forKey: key) { return found }
        }
        return nil
    }

    func diskResourceSync(forKey key: String?) -> EncodedResource? { first { $0.diskResourceSync(forKey: key) } }

    /// An ``ImageCache`` has stored the metadata together with the bytes.
    func storeMetadata(_ metadata: Data?, forKey key: String?) {
        for cache in stored where cache.imageCache == nil { cache.layers?.storeMetadata(metadata, forKey: key) }
    }

    func removeCorruptDiskEntry(forKey key: String?) {
        for cache in queried { cache.layers?.removeCorruptDiskEntry(forKey: key) }
    }
}
