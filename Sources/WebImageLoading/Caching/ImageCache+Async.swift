import Foundation
import WebImageCore

/// Asynchronous versions of the methods that use the disk layer.
extension ImageCache {
    /// Returns the number of entries on disk and their total size in bytes.
    public func diskUsage() async -> (count: Int, byteCount: Int) {
        await disk.run { ($0?.totalCount() ?? 0, $0?.totalSize() ?? 0) }
    }

    /// Removes every disk entry.
    public func clearDisk() async {
        withSizes { $0.removeAll() }
        await disk.run { $0?.removeAllData() }
    }

    /// Moves the files of an SDWebImage cache folder into this cache. These files have names of the form
    /// `<MD5 of the key>.<extension>`. Returns the number of imported files. An imported image is found under the same
    /// key as in SDWebImage.
    public func importImages(fromDirectory path: String) async -> Int {
        await disk.run { $0?.importFiles(fromDirectory: path) ?? 0 }
    }

    /// Removes expired entries, then trims to the size limit.
    public func deleteOldFiles() async {
        await disk.run { $0?.removeExpiredData() }
    }

    /// Reads every disk entry and removes the damaged entries. Returns the numbers of checked and removed entries.
    /// Returns nil when the cache has no disk layer or its folder cannot be used.
    ///
    /// The method takes as long as it takes to read all files of the cache.
    public func verifyDisk() async -> (checked: Int, removed: Int)? {
        await disk.run { $0?.verify() }
    }
}
