public import Foundation
package import WebImageCore

/// Access to encoded data together with the loader's metadata and the caller's extended data. The loader uses the
/// metadata to revalidate the data.
extension ImageCache {
    /// Returns the verified data on disk with its metadata and extended data. The read runs on the cache's disk queue.
    public func diskResource(forKey key: String?) async -> EncodedResource? {
        guard let key else { return nil }
        return await disk.run { self.resource(key, from: $0) }
    }

    /// Returns the verified data on disk with its metadata and extended data. Blocks the calling thread.
    public func diskResourceSync(forKey key: String?) -> EncodedResource? {
        guard let key else { return nil }
        return disk.sync { self.resource(key, from: $0) }
    }

    func resource(_ key: String, from disk: (any DiskCaching)?) -> EncodedResource? {
        if let recording = self.disk.recording {
            if let entry = recording.entry(forKey: key) { return entry }
        } else if let disk, let data = disk.data(forKey: key) {
            return EncodedResource(
                data: data, metadata: disk.metadata(forKey: key), extended: disk.extendedData(forKey: key))
        }
        guard let data = additionalData(key) else { return nil }
        var resource = EncodedResource(data: data)
        resource.record = .named
        return resource
    }

    /// Stores a loader's metadata with an existing entry; nil removes the metadata. The method returns immediately. The
    /// disk queue changes the metadata after it has written all entries that were passed to the cache earlier.
    public func storeMetadata(_ metadata: Data?, forKey key: String?) {
        guard let key else { return }
        disk.async { $0?.setMetadata(metadata, forKey: key) }
    }
}

// Loads use these methods to read the versions of stored originals. They also use them to store the metadata of
// originals that the server has confirmed.
extension ImageCache {
    /// Returns the version in the record of a disk entry; nil if there is no entry for the key or its version is
    /// unknown.
    package func diskVersion(of key: EntryKey) async -> ContentDigest? {
        await disk.run { _ in self.recordedVersion(of: key) }
    }

    /// Like the asynchronous method, but blocks the caller.
    package func diskVersionSync(of key: EntryKey) -> ContentDigest? {
        disk.sync { _ in recordedVersion(of: key) }
    }

    /// Stores the metadata of an original that the server has confirmed. Does nothing if the entry on disk now has
    /// another version, because the validators of one version must never confirm the bytes of another version. If
    /// `version` or the version of the entry is unknown (nil), the metadata is stored.
    package func storeMetadata(_ metadata: Data?, forKey key: String?, version: ContentDigest?) {
        guard let key, let version else { return storeMetadata(metadata, forKey: key) }
        disk.async { disk in
            let stored = self.disk.recording?.record(forKey: key)?.version
            if stored == nil || stored == version { disk?.setMetadata(metadata, forKey: key) }
        }
    }

    /// Runs on the disk queue.
    private func recordedVersion(of key: EntryKey) -> ContentDigest? {
        guard let record = disk.recording?.record(forKey: key.string) else { return nil }
        if case .typed(let fingerprint, _) = record.identity, fingerprint != key.fingerprint { return nil }
        return record.version
    }
}
