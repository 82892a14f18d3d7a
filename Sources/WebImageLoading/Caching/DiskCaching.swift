public import Foundation
public import WebImageCore

/// The memory layer of a cache: one image per key, limited by cost and count. All methods are synchronous and
/// safe on any thread.
@preconcurrency public protocol MemoryCaching: Sendable {
    /// Creates an empty cache with the limits of `config`.
    init(config: ImageCacheConfig)
    /// Returns the image of a key.
    func object(forKey key: String) -> Image?
    /// Stores an image; nil removes the image of the key.
    func setObject(_ object: Image?, forKey key: String, cost: Int)
    /// Removes an image.
    func removeObject(forKey key: String)
    /// Removes all images.
    func removeAllObjects()
    /// Applies new limits. The default implementation does nothing.
    func configDidChange(_ config: ImageCacheConfig)
}

extension MemoryCaching {
    /// Does nothing by default.
    public func configDidChange(_ config: ImageCacheConfig) {}
}

/// The disk layer of a cache. It stores one entry of bytes under each key. All methods are safe on any thread. They are
/// synchronous and block the calling thread.
@preconcurrency public protocol DiskCaching: Sendable {
    /// Opens the cache in the folder `cachePath`; nil when the folder cannot be used.
    init?(cachePath: String, config: ImageCacheConfig)
    /// Returns whether there is an entry for a key. Does not read the bytes of the entry.
    func containsData(forKey key: String) -> Bool
    /// Returns the bytes of an entry. Returns nil when there is no entry or its bytes are damaged. A damaged entry is
    /// removed.
    func data(forKey key: String) -> Data?
    /// Stores bytes and replaces an existing entry; nil removes the entry.
    func setData(_ data: Data?, forKey key: String)
    /// Returns the extended data that the caller stored with an entry. The cache does not interpret this data.
    func extendedData(forKey key: String) -> Data?
    /// Stores the caller's extended data with an existing entry; nil removes the extended data.
    func setExtendedData(_ data: Data?, forKey key: String)
    /// Removes an entry.
    func removeData(forKey key: String)
    /// Removes every entry.
    func removeAllData()
    /// Removes expired entries, then trims to the size limit.
    func removeExpiredData()
    /// Returns the path of the file that contains an entry; nil when the entry has no file.
    func cachePath(forKey key: String) -> String?
    /// The number of entries.
    func totalCount() -> Int
    /// The size of all entries in bytes.
    func totalSize() -> Int
    /// Applies new limits. The default implementation does nothing.
    func configDidChange(_ config: ImageCacheConfig)
    /// Waits until all stored data is safe on disk. The default implementation does nothing.
    func flush()
    /// Stores the pixel size of the image that belongs to a key. The size must stay stored when the entry is removed.
    /// The default implementation does nothing.
    func setPixelSize(_ size: PixelSize, forKey key: String)
    /// Returns the stored pixel size of the image that belongs to a key. The default implementation returns nil.
    func pixelSize(forKey key: String) -> PixelSize?
    /// Moves the files of an SDWebImage cache folder into this cache. Returns the number of imported files.
    /// The default implementation imports nothing and returns 0.
    func importFiles(fromDirectory path: String) -> Int
    /// Returns the metadata that the loader stored with an entry. The cache does not interpret this metadata. The
    /// default implementation returns nil.
    func metadata(forKey key: String) -> Data?
    /// Stores the loader's metadata with an existing entry; nil removes the metadata. When other bytes are stored under
    /// the key, the cache must remove the metadata. The default implementation does nothing.
    func setMetadata(_ data: Data?, forKey key: String)
    /// Reads every entry and removes the damaged entries. Returns the number of checked entries and the number of
    /// removed entries. The default implementation checks no entries and returns 0 for both numbers.
    func verify() -> (checked: Int, removed: Int)
}

extension DiskCaching {
    /// Does nothing by default.
    public func configDidChange(_ config: ImageCacheConfig) {}
    /// Does nothing by default.
    public func flush() {}
    /// Does nothing by default.
    public func setPixelSize(_ size: PixelSize, forKey key: String) {}
    /// Returns nil by default.
    public func pixelSize(forKey key: String) -> PixelSize? { nil }
    /// Imports no files and returns 0 by default.
    public func importFiles(fromDirectory path: String) -> Int { 0 }
    /// Returns nil by default.
    public func metadata(forKey key: String) -> Data? { nil }
    /// Does nothing by default.
    public func setMetadata(_ data: Data?, forKey key: String) {}
    /// Checks no entries by default.
    public func verify() -> (checked: Int, removed: Int) { (0, 0) }
}

/// A disk layer that stores a record with each entry.
package protocol RecordingDiskCache: DiskCaching {
    /// Stores bytes with their record and metadata. Replaces the previous entry, its metadata and its extended data.
    /// The replacement is atomic: a reader always finds bytes together with the metadata of the same bytes.
    func setData(_ data: Data, forKey key: String, record: EntryRecord, metadata: Data?)
    /// Returns the verified bytes of an entry with their record, metadata and extended data. Reads the index only once.
    /// Returns nil under the same conditions as ``DiskCaching/data(forKey:)``.
    func entry(forKey key: String) -> EncodedResource?
    /// Returns the record of an entry without reading the bytes of the entry; nil when there is no entry.
    func record(forKey key: String) -> EntryRecord?
    /// Records that the images of these keys were used now, without a read of their entries. A key without an entry is
    /// ignored.
    func noteUses(ofKeys keys: [String])
    /// Removes every variant of this original. Does not remove the original.
    func removeVariants(of source: KeyFingerprint)
    /// Whether the removal of an entry is not yet on the disk. After ``DiskCaching/flush()``, the disk could not record the
    /// removal; a later process would find the entry.
    func awaitsRemoval(ofKey key: String) -> Bool
}
