public import Foundation
public import WebImageCore

/// Receives the image, its encoded data, and the layer of the hit. The data is nil if the query did not read it. The
/// layer is `.none` for a miss.
public typealias ImageCacheQueryCompletionBlock =
    @Sendable (_ image: Image?, _ data: Data?, _ cacheType: ImageCacheType) -> Void

/// A cache for images with a memory layer and a disk layer. The methods have the same signatures as in SDWebImage.
///
/// The manager calls the methods on any thread. The cache must call every completion exactly once.
@preconcurrency public protocol ImageCaching: Sendable {
    /// Looks an image up. If `key` is nil or `cacheType` is `.none`, the result is a miss.
    func queryImage(
        forKey key: String?, options: WebImageOptions, context: WebImageContext?, cacheType: ImageCacheType,
        completion: ImageCacheQueryCompletionBlock?
    ) -> (any WebImageOperation)?
    /// Stores an image in memory and its data on disk. `cacheType` selects the layers. If `imageData` is nil, the cache
    /// encodes the image.
    func storeImage(
        _ image: Image?, imageData: Data?, forKey key: String?, options: WebImageOptions, context: WebImageContext?,
        cacheType: ImageCacheType, completion: (@Sendable () -> Void)?
    )
    /// Removes an image from the layers in `cacheType`.
    func removeImage(forKey key: String?, cacheType: ImageCacheType, completion: (@Sendable () -> Void)?)
    /// Reports the layer that contains an image.
    func containsImage(
        forKey key: String?, cacheType: ImageCacheType, completion: (@Sendable (ImageCacheType) -> Void)?)
    /// Removes all images from the layers in `cacheType`.
    func clear(with cacheType: ImageCacheType, completion: (@Sendable () -> Void)?)
}

/// A cache with separate access to its memory layer and its disk layer. With such a cache, the manager decodes the data
/// from disk, and several loads can share one decode.
@preconcurrency public protocol LayeredImageCaching: ImageCaching {
    /// Returns the image in memory. Every load calls this method at its start. The method must take no longer than a
    /// lock and a look-up.
    func imageFromMemoryCache(forKey key: String?) -> Image?
    /// Stores an image in memory before this method returns.
    func storeImageToMemory(_ image: Image?, forKey key: String?)
    /// Whether loads store their images in memory. The default implementation returns true.
    var keepsImagesInMemory: Bool { get }
    /// Returns the encoded data on disk, after a check that the data is undamaged. A thread of the cache reads the
    /// data.
    func diskImageData(forKey key: String?) async -> Data?
    /// Returns the encoded data on disk, after a check that the data is undamaged. Blocks the caller during the read.
    func diskImageDataSync(forKey key: String?) -> Data?
    /// Returns the verified data on disk with its metadata and extended data. The default implementation
    /// returns only the data.
    func diskResource(forKey key: String?) async -> CachedResource?
    /// Like ``diskResource(forKey:)``, but blocks the caller during the read.
    func diskResourceSync(forKey key: String?) -> CachedResource?
    /// Stores a loader's metadata with an existing disk entry. The default implementation does nothing.
    func storeMetadata(_ metadata: Data?, forKey key: String?)
    /// Removes a damaged disk entry, so that the next load fetches its data again.
    func removeCorruptDiskEntry(forKey key: String?)
}

extension LayeredImageCaching {
    /// True by default.
    public var keepsImagesInMemory: Bool { true }
    /// Returns the result of ``diskImageData(forKey:)`` without metadata and extended data.
    public func diskResource(forKey key: String?) async -> CachedResource? {
        await diskImageData(forKey: key).map { CachedResource(data: $0) }
    }
    /// Returns the result of ``diskImageDataSync(forKey:)`` without metadata and extended data.
    public func diskResourceSync(forKey key: String?) -> CachedResource? {
        diskImageDataSync(forKey: key).map { CachedResource(data: $0) }
    }
    /// Does nothing by default.
    public func storeMetadata(_ metadata: Data?, forKey key: String?) {}
}

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
