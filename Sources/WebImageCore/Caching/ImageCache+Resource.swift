public import Foundation

/// Encoded data together with a loader's metadata, which lets the loader revalidate it, and the caller's extended data.
extension ImageCache {
    /// The encoded data on disk, verified, with metadata and extended data; read on the cache's own queue.
    public func diskResource(forKey key: String?) async -> CachedResource? {
        guard let key else { return nil }
        return await disk.run { self.resource(key, from: $0) }
    }

    /// The encoded data on disk, verified, with metadata and extended data; blocks.
    public func diskResourceSync(forKey key: String?) -> CachedResource? {
        guard let key else { return nil }
        return disk.sync { self.resource(key, from: $0) }
    }

    func resource(_ key: String, from disk: (any DiskCaching)?) -> CachedResource? {
        if let recording = disk as? any RecordingDiskCache {
            if let entry = recording.entry(forKey: key) { return entry }
        } else if let disk, let data = disk.data(forKey: key) {
            return CachedResource(
                data: data, metadata: disk.metadata(forKey: key), extended: disk.extendedData(forKey: key))
        }
        guard let data = additionalData(key) else { return nil }
        var resource = CachedResource(data: data)
        resource.record = .named
        return resource
    }

    /// Stores a loader's metadata with an existing entry, after earlier stores have finished; nil removes it.
    public func storeMetadata(_ metadata: Data?, forKey key: String?) {
        guard let key else { return }
        disk.async { $0?.setMetadata(metadata, forKey: key) }
    }
}

// Versions of originals, for loads.
extension ImageCache: VersionedImageCache {
    package func diskVersion(of key: EntryKey) async -> ContentDigest? {
        await disk.run { Self.version(of: key, in: $0) }
    }

    package func diskVersionSync(of key: EntryKey) -> ContentDigest? {
        disk.sync { Self.version(of: key, in: $0) }
    }

    private static func version(of key: EntryKey, in disk: (any DiskCaching)?) -> ContentDigest? {
        guard let record = (disk as? any RecordingDiskCache)?.record(forKey: key.string) else { return nil }
        if case .typed(let fingerprint, _) = record.identity, fingerprint != key.fingerprint { return nil }
        return record.version
    }
}
