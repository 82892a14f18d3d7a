public import Foundation

/// Bytes together with what stands beside them: a loader's metadata, so that it can later ask whether they are still
/// the newest, and the caller's own.
extension ImageCache {
    /// The encoded data on disk, verified, with what stands beside it; read on the cache's own queue.
    public func diskResource(forKey key: String?) async -> CachedResource? {
        guard let key else { return nil }
        return await disk.run { self.resource(key, from: $0) }
    }

    /// The encoded data on disk, verified, with what stands beside it; blocks.
    public func diskResourceSync(forKey key: String?) -> CachedResource? {
        guard let key else { return nil }
        return disk.sync { self.resource(key, from: $0) }
    }

    func resource(_ key: String, from disk: (any DiskCaching)?) -> CachedResource? {
        read(key, from: disk).map {
            CachedResource(
                data: $0, metadata: disk?.httpMetadata(forKey: key), extended: disk?.extendedData(forKey: key))
        }
    }

    /// Keeps a loader's metadata beside an existing entry, after what was stored before; nil removes it.
    public func storeResourceMetadata(_ metadata: Data?, forKey key: String?) {
        guard let key else { return }
        disk.async { $0?.setHTTPMetadata(metadata, forKey: key) }
    }
}
