import Foundation

/// The disk layer for asynchronous callers.
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

    /// Imports the files of a folder in SDWebImage's layout (`<MD5 of the key>.<extension>`) and removes them there;
    /// returns their number. The entries keep their keys.
    public func importImages(fromDirectory path: String) async -> Int {
        await disk.run { $0?.importFiles(fromDirectory: path) ?? 0 }
    }

    /// Removes expired entries, then trims to the size limit.
    public func deleteOldFiles() async {
        await disk.run { $0?.removeExpiredData() }
    }

    /// Reads every disk entry and removes the damaged ones; nil when the folder cannot be used.
    ///
    /// Takes as long as reading the whole cache.
    public func verifyDisk() async -> (checked: Int, removed: Int)? {
        await disk.run { $0?.verify() }
    }
}
