public import Foundation
public import WebImageCore
public import WebImageLoading

/// The default disk cache. It stores values by key in a folder with an SQLite index. Several processes can use the
/// folder at the same time, and a crash does not damage the folder.
///
/// The functions are synchronous and safe on any thread. They read and write files, so do not call them on the main
/// thread or the cooperative pool. Reads find a new value immediately. A background thread commits the value later.
/// ``flush()`` and releasing the cache wait for the commit. No function throws: an entry that cannot be read is a miss.
/// The first failure is logged as a warning, and later failures are logged at debug level.
public final class DiskCache: DiskCaching, RecordingDiskCache {
    let store: DiskStore

    /// Opens the cache in a folder that only this cache uses. Creates the folder with mode 0700 if it does not exist.
    ///
    /// Does not scan the folder. If the folder cannot be used now, the cache is empty. Later writes then try to open
    /// the folder again, at most once in 30 seconds. Returns nil for a path that can never be used: a relative path,
    /// or a path with a zero byte.
    public convenience init?(cachePath: String, config: ImageCacheConfig) {
        self.init(cachePath: cachePath, config: config, clock: { Date() })
    }

    /// Opens the cache with a clock from the caller. The ages of entries are computed from this clock.
    package init?(cachePath: String, config: ImageCacheConfig, clock: @escaping @Sendable () -> Date) {
        guard let store = DiskStore(cachePath: cachePath, config: config, clock: clock) else { return nil }
        self.store = store
    }

    /// Opens the cache. The caller supplies the function that returns the file system type.
    init?(cachePath: String, config: ImageCacheConfig, fileSystemType: @escaping StoreFolder.FileSystemType) {
        let opened = DiskStore(
            cachePath: cachePath, config: config, clock: { Date() }, fileSystemType: fileSystemType)
        guard let opened else { return nil }
        store = opened
    }

    deinit { store.close() }

    /// Returns whether there is an entry for a key. Does not read the bytes of the entry.
    public func containsData(forKey key: String) -> Bool { store.containsData(forKey: key) }

    /// Returns the bytes of an entry. Returns nil if there is no entry, or if the entry has expired or cannot be read.
    /// If the length or the checksum of the bytes is wrong, removes the entry and returns nil.
    public func data(forKey key: String) -> Data? { store.data(forKey: key) }

    /// Stores the bytes of an entry; nil removes the entry. The bytes replace the whole entry: its old extended data
    /// and metadata are removed. Reads find the bytes immediately.
    public func setData(_ data: Data?, forKey key: String) { store.setData(data, forKey: key) }

    /// Stores the bytes of an entry with their record and metadata. They replace the whole entry: its old extended data
    /// and metadata are removed. The bytes and the metadata are committed in one transaction.
    package func setData(_ data: Data, forKey key: String, record: EntryRecord, metadata: Data?) {
        store.setData(data, forKey: key, record: record, metadata: metadata)
    }

    /// Returns the bytes of an entry with its record, extended data and metadata; nil in the same cases as
    /// ``data(forKey:)``.
    package func entry(forKey key: String) -> EncodedResource? { store.entry(forKey: key) }

    /// Returns the record of an entry.
    package func record(forKey key: String) -> EntryRecord? { store.record(forKey: key) }

    /// Returns the extended data of an entry. The data is opaque to the cache.
    public func extendedData(forKey key: String) -> Data? { store.companion(.extended, forKey: key) }

    /// Stores the extended data of an existing entry; nil removes the data. The data is opaque to the cache.
    public func setExtendedData(_ data: Data?, forKey key: String) { store.setCompanion(.extended, data, forKey: key) }

    /// Returns the response metadata of an entry. The metadata is opaque to the cache.
    public func metadata(forKey key: String) -> Data? { store.companion(.metadata, forKey: key) }

    /// Stores the response metadata of an existing entry; nil removes the metadata. When other bytes are stored for the
    /// entry, the metadata is removed.
    public func setMetadata(_ data: Data?, forKey key: String) { store.setCompanion(.metadata, data, forKey: key) }

    /// Removes an entry. Reads after this call do not find the entry.
    public func removeData(forKey key: String) { store.removeData(forKey: key) }

    /// Records that the images of these keys were used now.
    package func noteUses(ofKeys keys: [String]) { store.noteUses(ofKeys: keys) }

    /// Whether the removal of an entry is not yet committed.
    package func awaitsRemoval(ofKey key: String) -> Bool { store.awaitsRemoval(ofKey: key) }

    /// Removes every variant of the original with this fingerprint. Commits pending writes first.
    package func removeVariants(of source: KeyFingerprint) { store.removeVariants(of: source) }

    /// Removes every entry and every stored pixel size.
    public func removeAllData() { store.removeAllData() }

    /// Removes expired entries. If the size limit is still exceeded, evicts the oldest entries until half of the
    /// limit is reached.
    public func removeExpiredData() { store.removeExpiredData() }

    /// Returns the path of the file that contains the bytes of an entry. Nil if there is no entry, or if the bytes
    /// are small and therefore stored in the index.
    public func cachePath(forKey key: String) -> String? { store.cachePath(forKey: key) }

    /// Returns the number of entries from the index, without a scan. Commits pending writes first.
    @_disfavoredOverload public func totalCount() -> Int { store.totals().count }

    /// Returns the size of all entries in bytes from the index, without a scan. Commits pending writes first.
    @_disfavoredOverload public func totalSize() -> Int { store.totals().bytes }

    /// Sets new limits. They apply from the next commit.
    public func configDidChange(_ config: ImageCacheConfig) { store.configDidChange(config) }

    /// Commits all pending changes, then trims the cache to its size limit. Blocks until the commit and the trim have
    /// ended. If no changes are pending, only waits for a running commit.
    public func flush() { store.flush() }

    /// Stores the pixel size of a key's image. The key need not have an entry. If the key has an entry, the size
    /// remains after ``removeData(forKey:)``.
    public func setPixelSize(_ size: PixelSize, forKey key: String) { store.setPixelSize(size, forKey: key) }

    /// Returns the stored pixel size of a key's image. Costs one query in the index.
    public func pixelSize(forKey key: String) -> PixelSize? { store.pixelSize(forKey: key) }

    /// Imports the files of a folder that has SDWebImage's layout (`<MD5 of the key>.<extension>`). Removes the
    /// imported files from the folder and returns their number.
    ///
    /// Imported entries are found under their old keys. Other files stay in the folder. If the folder is then
    /// empty, it is removed. After a crash, another call continues the import.
    public func importFiles(fromDirectory path: String) -> Int { store.importFiles(from: path) }

    /// Reads every entry, removes damaged entries, and computes the totals again.
    ///
    /// Takes as long as reading the whole cache. Other threads can read and write during this time.
    public func verify() -> (checked: Int, removed: Int) { store.verify() }

    /// Returns the path of a file with the bytes of an entry, under SDWebImage's name for the key. The call makes the
    /// file if there is an entry. It exists for at least an hour, but not after ``removeAllData()``.
    package func namedFile(forKey key: String) -> String { store.namedFile(forKey: key) }

    /// The folder of the cache. The module `SDWebImage` uses this alias and the next ones.
    package var ownPath: String { store.path }
    /// The number of entries, and their total size in bytes.
    package var ownTotals: (count: Int, bytes: Int) { store.totals() }
    /// The configuration of the cache.
    package var ownConfig: ImageCacheConfig { store.config }
}
