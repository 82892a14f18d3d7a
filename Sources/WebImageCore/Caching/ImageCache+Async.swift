/// The disk layer for callers that wait without a queue.
extension ImageCache {
    /// Entries and bytes on disk.
    public func diskUsage() async -> (count: Int, byteCount: Int) {
        await disk.run { ($0?.totalCount() ?? 0, $0?.totalSize() ?? 0) }
    }

    /// Removes every disk entry.
    public func clearDisk() async {
        await disk.run { $0?.removeAllData() }
    }

    /// Reads every disk entry and removes those that are not what was stored; nil when the folder cannot be used.
    ///
    /// Takes as long as reading the whole cache.
    public func verifyDisk() async -> (checked: Int, removed: Int)? {
        await disk.run { $0?.verify() }
    }
}
