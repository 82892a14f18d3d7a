public import Foundation
public import WebImageCore

/// The disk layer: values by key in a folder, indexed by SQLite; crash-safe, shared by several processes.
///
/// Synchronous and safe on any thread, but it reads and writes files: keep it off the main thread and off the
/// cooperative pool. A write is visible to reads at once and committed in the background; ``flush()`` waits for that, and
/// so does releasing the cache. Nothing here throws: what cannot be read is a miss, what cannot be written is logged
/// once as a warning.
public final class DiskCache: DiskCaching, RecordingDiskCache {
    let store: DiskStore

    /// Opens the cache in a folder of its own, making it (0700) when absent.
    ///
    /// Costs no scan. Where the folder cannot be used now, the cache is empty and tries again with later writes; nil is
    /// for a path that can never be one (relative, or with a zero byte).
    public convenience init?(cachePath: String, config: ImageCacheConfig) {
        self.init(cachePath: cachePath, config: config, clock: { Date() })
    }

    /// With a clock of the caller's, for ages.
    package init?(cachePath: String, config: ImageCacheConfig, clock: @escaping @Sendable () -> Date) {
        guard let store = DiskStore(cachePath: cachePath, config: config, clock: clock) else { return nil }
        self.store = store
    }

    /// On a file system the caller names.
    init?(cachePath: String, config: ImageCacheConfig, fileSystemType: @escaping StoreFolder.FileSystemType) {
        let opened = DiskStore(
            cachePath: cachePath, config: config, clock: { Date() }, fileSystemType: fileSystemType)
        guard let opened else { return nil }
        store = opened
    }

    deinit { store.close() }

    /// Whether there is an entry, without reading it.
    public func containsData(forKey key: String) -> Bool { store.containsData(forKey: key) }

    /// The entry's bytes; nil when there are none or they do not verify (the entry is then removed).
    public func data(forKey key: String) -> Data? { store.data(forKey: key) }

    /// Stores bytes, replacing the entry and what was stored beside it; visible to reads at once.
    public func setData(_ data: Data?, forKey key: String) { store.setData(data, forKey: key) }

    /// Stores bytes with what is recorded of them, replacing the entry and what was stored beside it.
    package func setData(_ data: Data, forKey key: String, record: EntryRecord) {
        store.setData(data, forKey: key, record: record)
    }

    /// The entry's bytes with all that is recorded and stored beside them; nil as ``data(forKey:)``.
    package func entry(forKey key: String) -> CachedResource? { store.entry(forKey: key) }

    /// What is recorded of an entry.
    package func record(forKey key: String) -> EntryRecord? { store.record(forKey: key) }

    /// Opaque bytes stored beside an entry.
    public func extendedData(forKey key: String) -> Data? { store.companion(.extended, forKey: key) }

    /// Stores opaque bytes beside an existing entry; nil removes them.
    public func setExtendedData(_ data: Data?, forKey key: String) { store.setCompanion(.extended, data, forKey: key) }

    /// What the server said beside an entry's bytes, opaque here.
    public func metadata(forKey key: String) -> Data? { store.companion(.metadata, forKey: key) }

    /// Keeps what the server said beside an existing entry; nil removes, and so does storing other bytes.
    public func setMetadata(_ data: Data?, forKey key: String) { store.setCompanion(.metadata, data, forKey: key) }

    /// Removes an entry; gone for reads at once.
    public func removeData(forKey key: String) { store.removeData(forKey: key) }

    /// Removes every entry and every remembered pixel size.
    public func removeAllData() { store.removeAllData() }

    /// Removes what is too old, then, when there is more than the limit, the oldest down to half of it.
    public func removeExpiredData() { store.removeExpiredData() }

    /// The path of the file that holds an entry; nil for an absent one and for one small enough to be in the index.
    public func cachePath(forKey key: String) -> String? { store.cachePath(forKey: key) }

    /// Entries; commits what waits, scans nothing.
    public func totalCount() -> Int { store.totals().count }

    /// Bytes of all entries; commits what waits, scans nothing.
    public func totalSize() -> Int { store.totals().bytes }

    /// New limits, kept from the next commit on.
    public func configDidChange(_ config: ImageCacheConfig) { store.configDidChange(config) }

    /// Commits everything stored so far, then trims; blocks until done.
    public func flush() { store.flush() }

    /// Remembers the size of a key's picture; outlives the entry and is kept without one.
    public func setPixelSize(_ size: PixelSize, forKey key: String) { store.setPixelSize(size, forKey: key) }

    /// The remembered size of a key's picture: one look into the index.
    public func pixelSize(forKey key: String) -> PixelSize? { store.pixelSize(forKey: key) }

    /// Takes over the files of a folder in the original's layout (`<MD5 of the key>.<extension>`), removing them there;
    /// gives how many.
    ///
    /// They are found under the keys they were stored with. What is no plain file of such a name stays where it is; the
    /// folder goes when nothing is left in it. Killed in between, it goes on where it was when called again.
    public func importFiles(fromDirectory path: String) -> Int { store.importFiles(from: path) }

    /// Reads every entry, removes those that are not what was stored, and counts the totals anew.
    ///
    /// Takes as long as reading the whole cache; reads and writes go on meanwhile.
    public func verify() -> (checked: Int, removed: Int) { store.verify() }
}
