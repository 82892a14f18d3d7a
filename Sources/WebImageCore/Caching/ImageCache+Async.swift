public import Foundation

/// The disk layer for callers that wait without a queue.
extension ImageCache {
    /// Entries and bytes on disk.
    public func diskUsage() async -> (count: Int, byteCount: Int) {
        await disk.run { ($0?.totalCount() ?? 0, $0?.totalSize() ?? 0) }
    }

    /// Removes every disk entry.
    public func clearDisk() async {
        withSizes { $0.removeAll() }
        await disk.run { $0?.removeAllData() }
    }

    /// Takes over the files of a folder in the original's layout (`<MD5 of the key>.<extension>`), removing them there;
    /// gives how many. They are found under the keys they were stored with.
    public func importImages(fromDirectory path: String) async -> Int {
        await disk.run { $0?.importFiles(fromDirectory: path) ?? 0 }
    }

    /// Removes what is too old, then what is too much.
    public func deleteOldFiles() async {
        await disk.run { $0?.removeExpiredData() }
    }

    /// Reads every disk entry and removes those that are not what was stored; nil when the folder cannot be used.
    ///
    /// Takes as long as reading the whole cache.
    public func verifyDisk() async -> (checked: Int, removed: Int)? {
        await disk.run { $0?.verify() }
    }

    /// What the server said beside a disk entry's bytes, as ``setHTTPMetadata(_:forKey:)`` got it.
    public func httpMetadata(forKey key: String?) async -> Data? {
        guard let key else { return nil }
        return await disk.run { $0?.httpMetadata(forKey: key) }
    }

    /// What the server said beside a disk entry's bytes; blocks.
    public func httpMetadataSync(forKey key: String?) -> Data? {
        guard let key else { return nil }
        return disk.sync { $0?.httpMetadata(forKey: key) }
    }

    /// Keeps opaque bytes beside an existing disk entry, after the stores asked for before; nil removes. Storing other
    /// bytes under the key forgets them.
    public func setHTTPMetadata(_ data: Data?, forKey key: String?) {
        guard let key else { return }
        disk.async { $0?.setHTTPMetadata(data, forKey: key) }
    }
}
