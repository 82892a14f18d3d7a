import Foundation
import WebImageCore

/// A cache and the roles that it implements. A cache is asked once for its roles: when a manager is created with it, when
/// it is added to an ``ImageCachesManager``, or when a load names it. The code of a load therefore casts no cache.
package final class ResolvedCache: Sendable {
    let role: any ImageCaching
    private let own: (any LayeredImageCaching)?
    /// The cache if it is an ``ImageCache``; otherwise nil.
    let imageCache: ImageCache?
    private let manager: ImageCachesManager?

    init(_ role: any ImageCaching) {
        self.role = role
        own = role as? any LayeredImageCaching
        imageCache = role as? ImageCache
        manager = role as? ImageCachesManager
    }

    /// The cache if its layers can be used separately; otherwise nil. For an ``ImageCachesManager``, the layers of its
    /// current caches if all of them have layers.
    package var layered: (any ImageCacheLayers)? {
        guard let manager else { return own }
        return CacheLayers(manager)
    }

    /// The ``ImageCache`` that records the versions of the originals in this cache; nil for a custom cache.
    var versioned: ImageCache? { imageCache ?? manager.flatMap { CacheLayers($0)?.versioned } }

    /// The cache itself; for an ``ImageCachesManager``, all its caches.
    var parts: [ResolvedCache] { manager?.resolvedCaches.flatMap(\.parts) ?? [self] }

    /// The layered caches that a query uses, the highest first.
    var queriedLayers: [ResolvedCache] {
        manager?.queriedCaches.flatMap(\.queriedLayers) ?? (own == nil ? [] : [self])
    }

    /// Returns the layer that contains an image. Does not use the main queue, unless the cache is a custom cache: the
    /// completion of ``ImageCaching/containsImage(forKey:cacheType:completion:)`` may run there. The main queue can be
    /// blocked, and not every program runs it.
    func containment(forKey key: String?, cacheType: ImageCacheType) async -> ImageCacheType {
        if let imageCache { return await imageCache.containment(forKey: key, cacheType: cacheType) }
        if let manager {
            guard key != nil else { return .none }
            for cache in manager.cachesToAsk {
                let found = await cache.containment(forKey: key, cacheType: cacheType)
                if found != .none { return found }
            }
            return .none
        }
        return await withValueContinuation { continuation in
            let completion = Completion<ImageCacheType> { continuation.resume(returning: $0) }
            role.containsImage(forKey: key, cacheType: cacheType) { completion.complete(with: $0) }
        }
    }

    /// Whether ``flush()`` has something to wait for. Custom caches cannot be flushed.
    var isFlushable: Bool { parts.contains { $0.imageCache != nil } }

    /// Waits until all entries are on disk. They then survive the end of the process.
    func flush() async {
        for part in parts { await part.imageCache?.flush() }
    }

    /// Removes an image from memory and disk.
    func remove(_ key: String) async {
        await withCheckedContinuation { continuation in
            let completion = Completion<Void> { continuation.resume() }
            // The completion may run on the main queue, which may not be served. Do not wait for it if the disk cache
            // performs its operations in order.
            role.removeImage(forKey: key, cacheType: .all) { completion.complete(with: ()) }
            if imageCache != nil { completion.complete(with: ()) }
        }
    }
}

extension ImageCache {
    fileprivate func containment(forKey key: String?, cacheType: ImageCacheType) async -> ImageCacheType {
        guard let key else { return .none }
        if cacheType.includesMemory, imageFromMemoryCache(forKey: key) != nil { return .memory }
        guard cacheType.includesDisk else { return .none }
        return await disk.run { $0?.containsData(forKey: key) ?? false } ? .disk : .none
    }
}
