public import Foundation
public import WebImageCore

/// The disk cache: values by key in a folder, indexed by SQLite; crash-safe, shared by several processes.
///
/// Synchronous and safe on any thread, but it reads and writes files: do not call it on the main thread or the
/// cooperative pool. A write is visible to reads at once and committed in the background; ``flush()`` and releasing the
/// cache wait for the commit. No function throws: an entry that cannot be read is a miss; a failed write is logged, the
/// first one as a warning.
public final class DiskCache: DiskCaching, RecordingDiskCache {
    let store: DiskStore

    /// Opens the cache in its own folder, which is created (0700) when absent.
    ///
    /// Does not scan the folder. When the folder cannot be used now, the cache is empty and opens it again with later
    /// writes. Nil means a path that can never be used: relative, or with a zero byte.
    public convenience init?(cachePath: String, config: ImageCacheConfig) {
        self.init(cachePath: cachePath, config: config, clock: { Date() })
    }

    /// Opens the cache with the caller's clock, which ages are computed from.
    package init?(cachePath: String, config: ImageCacheConfig, clock: @escaping @Sendable () -> Date) {
        guard let store = DiskStore(cachePath: cachePath, config: config, clock: clock) else { return nil }
        self.store = store
    }

    /// Opens the cache with the caller's file system type.
    init?(cachePath: String, config: ImageCacheConfig, fileSystemType: @escaping StoreFolder.FileSystemType) {
        let opened = DiskStore(
            cachePath: cachePath, config: config, clock: { Date() }, fileSystemType: fileSystemType)
        guard let opened else { return nil }
        store = opened
    }

    deinit { store.close() }

    /// Returns whether there is an entry for a key. Does not read its bytes.
    public func containsData(forKey key: String) -> Bool { store.containsData(forKey: key) }

    /// The entry's bytes; nil when there are none or they do not verify (the entry is then removed).
    public func data(forKey key: String) -> Data? { store.data(forKey: key) }

    /// Stores bytes, which replace the entry and its extended data and metadata; visible to reads at once.
    public func setData(_ data: Data?, forKey key: String) { store.setData(data, forKey: key) }

    /// Stores bytes with their record, which replace the entry and its extended data and metadata.
    package func setData(_ data: Data, forKey key: String, record: EntryRecord) {
        store.setData(data, forKey: key, record: record)
    }

    /// The entry's bytes with its record, extended data and metadata; nil in the cases of ``data(forKey:)``.
    package func entry(forKey key: String) -> CachedResource? { store.entry(forKey: key) }

    /// The record of an entry.
    package func record(forKey key: String) -> EntryRecord? { store.record(forKey: key) }

    /// Opaque bytes stored beside an entry.
    public func extendedData(forKey key: String) -> Data? { store.companion(.extended, forKey: key) }

    /// Stores opaque bytes beside an existing entry; nil removes them.
    public func setExtendedData(_ data: Data?, forKey key: String) { store.setCompanion(.extended, data, forKey: key) }

    /// The metadata of the server's response stored beside an entry's bytes; opaque here.
    public func metadata(forKey key: String) -> Data? { store.companion(.metadata, forKey: key) }

    /// Stores response metadata beside an existing entry; nil removes it, and so does storing other bytes.
    public func setMetadata(_ data: Data?, forKey key: String) { store.setCompanion(.metadata, data, forKey: key) }

    /// Removes an entry; reads miss it at once.
    public func removeData(forKey key: String) { store.removeData(forKey: key) }

    /// Removes every entry and every remembered pixel size.
    public func removeAllData() { store.removeAllData() }

    /// Removes expired entries. Then, when the size limit is exceeded, evicts the oldest entries down to half of the
    /// limit.
    public func removeExpiredData() { store.removeExpiredData() }

    /// The path of the file that holds an entry; nil for an absent one and for one small enough to be in the index.
    public func cachePath(forKey key: String) -> String? { store.cachePath(forKey: key) }

    /// The number of entries; commits pending writes first, without a scan.
    public func totalCount() -> Int { store.totals().count }

    /// The bytes of all entries; commits pending writes first, without a scan.
    public func totalSize() -> Int { store.totals().bytes }

    /// Sets new limits, which apply from the next commit on.
    public func configDidChange(_ config: ImageCacheConfig) { store.configDidChange(config) }

    /// Commits everything stored so far, then trims; blocks until done.
    public func flush() { store.flush() }

    /// Stores the pixel size of a key's image; it outlives the entry and needs none.
    public func setPixelSize(_ size: PixelSize, forKey key: String) { store.setPixelSize(size, forKey: key) }

    /// The stored pixel size of a key's image; one query in the index.
    public func pixelSize(forKey key: String) -> PixelSize? { store.pixelSize(forKey: key) }

    /// Imports the files of a folder in SDWebImage's layout (`<MD5 of the key>.<extension>`), removes them there, and
    /// returns their number.
    ///
    /// Imported entries are found under their old keys. Other files stay where they are; the folder is removed when it
    /// is empty. After a crash, another call continues the import.
    public func importFiles(fromDirectory path: String) -> Int { store.importFiles(from: path) }

    /// Reads every entry, removes those that are damaged, and counts the totals again.
    ///
    /// Takes as long as reading the whole cache; reads and writes continue meanwhile.
    public func verify() -> (checked: Int, removed: Int) { store.verify() }
}
