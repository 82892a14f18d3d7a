import Foundation
import WebImageCore

/// A cache that reports asynchronously which images it contains. The completions of ``ImageCaching`` do not
/// suffice, because they run on the main queue. The main queue can be blocked, and not every program runs it.
package protocol AsyncContainmentCache: ImageCaching {
    func containment(forKey key: String?, cacheType: ImageCacheType) async -> ImageCacheType
}

extension ImageCaching {
    /// Returns the layer that contains an image. If the cache does not conform to ``AsyncContainmentCache``, this
    /// method waits for the completion of ``ImageCaching/containsImage(forKey:cacheType:completion:)``.
    func containment(forKey key: String?, cacheType: ImageCacheType) async -> ImageCacheType {
        if let waitable = self as? any AsyncContainmentCache {
            return await waitable.containment(forKey: key, cacheType: cacheType)
        }
        return await withValueContinuation { continuation in
            let completion = Completion<ImageCacheType> { continuation.resume(returning: $0) }
            containsImage(forKey: key, cacheType: cacheType) { completion.complete(with: $0) }
        }
    }
}

extension ImageCache: AsyncContainmentCache {
    package func containment(forKey key: String?, cacheType: ImageCacheType) async -> ImageCacheType {
        guard let key else { return .none }
        if cacheType.includesMemory, imageFromMemoryCache(forKey: key) != nil { return .memory }
        guard cacheType.includesDisk else { return .none }
        return await disk.run { $0?.containsData(forKey: key) ?? false } ? .disk : .none
    }
}

extension ImageCachesManager: AsyncContainmentCache {
    package func containment(forKey key: String?, cacheType: ImageCacheType) async -> ImageCacheType {
        guard key != nil else { return .none }
        for cache in cachesToAsk {
            let found = await cache.containment(forKey: key, cacheType: cacheType)
            if found != .none { return found }
        }
        return .none
    }
}
