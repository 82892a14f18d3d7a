import Foundation

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
}
