import Foundation

/// A cache that can say what it contains without the main queue, on which its completions come.
package protocol WaitableCache: ImageCaching {
    func containment(forKey key: String?, cacheType: ImageCacheType) async -> ImageCacheType
}

extension ImageCaching {
    /// In which layer an image is; of a cache of another kind as soon as that answers.
    func containment(forKey key: String?, cacheType: ImageCacheType) async -> ImageCacheType {
        if let waitable = self as? any WaitableCache {
            return await waitable.containment(forKey: key, cacheType: cacheType)
        }
        return await withHandover { continuation in
            let completion = Completion<ImageCacheType> { continuation.resume(returning: $0) }
            containsImage(forKey: key, cacheType: cacheType) { completion.complete(with: $0) }
        }
    }
}

extension ImageCache: WaitableCache {
    package func containment(forKey key: String?, cacheType: ImageCacheType) async -> ImageCacheType {
        guard let key else { return .none }
        if cacheType.includesMemory, imageFromMemoryCache(forKey: key) != nil { return .memory }
        guard cacheType.includesDisk else { return .none }
        return await disk.run { $0?.containsData(forKey: key) ?? false } ? .disk : .none
    }
}

extension ImageCachesManager: WaitableCache {
    package func containment(forKey key: String?, cacheType: ImageCacheType) async -> ImageCacheType {
        guard key != nil else { return .none }
        for cache in cachesToAsk {
            let found = await cache.containment(forKey: key, cacheType: cacheType)
            if found != .none { return found }
        }
        return .none
    }
}
