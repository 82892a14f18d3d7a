public import Foundation

/// What a loader wants kept beside a body, so that it can later ask whether the body is still the newest.
extension ImageCache {
    /// The encoded data on disk, verified, with the loader's metadata.
    public func diskResource(forKey key: String?) async -> CachedResource? {
        guard let key else { return nil }
        return await disk.run { disk in
            disk?.data(forKey: key).map { CachedResource(data: $0, metadata: disk?.httpMetadata(forKey: key)) }
        }
    }

    /// The loader's metadata beside an entry; read on the cache's own queue.
    public func resourceMetadata(forKey key: String?) async -> Data? {
        guard let key else { return nil }
        return await disk.run { $0?.httpMetadata(forKey: key) }
    }

    /// The loader's metadata beside an entry; blocks.
    public func resourceMetadataSync(forKey key: String?) -> Data? {
        guard let key else { return nil }
        return disk.sync { $0?.httpMetadata(forKey: key) }
    }

    /// Keeps a loader's metadata beside an existing entry, after what was stored before; nil removes it.
    public func storeResourceMetadata(_ metadata: Data?, forKey key: String?) {
        guard let key else { return }
        disk.async { $0?.setHTTPMetadata(metadata, forKey: key) }
    }
}
