public import Foundation
public import WebImageCore

/// The role of a manager's cache. These methods do not use the main queue, which not every program runs.
extension ImageCache {
    /// Looks an image up in memory, then on disk.
    public func cachedImage(for request: ImageCacheRequest) async -> ImageCacheHit? {
        await ImageCacheHit.answer { completion in
            queryImage(
                forKey: request.key, options: request.options, values: request.invokingCallbacks.values,
                cacheType: request.layers, completion: completion)
        }
    }

    /// Stores an image in memory before this method suspends, then its data on disk. Partial images are not stored.
    public func store(_ image: Image?, data: Data?, for request: ImageCacheRequest) async {
        await withValueContinuation { continuation in
            storeImage(
                image, imageData: data, forKey: request.key, options: request.options, values: request.values,
                identity: request.values.entryIdentity, cacheType: request.layers, callbacks: .invoking
            ) { continuation.resume(returning: ()) }
        }
    }

    /// Removes an image: from memory before this method suspends, then from disk. Queries that are running do not store it
    /// in memory again.
    public func remove(_ key: String, from layers: ImageCacheType) async {
        await withValueContinuation { continuation in
            removeImage(forKey: key, cacheType: layers, callbacks: .invoking) { continuation.resume(returning: ()) }
        }
    }

    /// Returns the layer that contains an image.
    public func layer(of key: String, among layers: ImageCacheType) async -> ImageCacheType {
        if layers.includesMemory, imageFromMemoryCache(forKey: key) != nil { return .memory }
        guard layers.includesDisk else { return .none }
        return await disk.run(.after(.key(key))) { $0?.containsData(forKey: key) ?? false } ? .disk : .none
    }

    /// Removes all images: from memory before this method suspends, then from disk.
    public func removeAll(from layers: ImageCacheType) async {
        await withValueContinuation { continuation in
            clear(with: layers, callbacks: .invoking) { continuation.resume(returning: ()) }
        }
    }
}
