public import Foundation

/// The image, its encoded data when it was read, and where they came from (`none` is a miss).
public typealias ImageCacheQueryCompletionBlock =
    @Sendable (_ image: Image?, _ data: Data?, _ cacheType: ImageCacheType) -> Void

/// A cache with memory and disk, as the manager uses it; the signatures are SDWebImage's.
///
/// Called on any thread. Every completion is called exactly once.
@preconcurrency public protocol ImageCaching: Sendable {
    /// Looks an image up; a nil key or the type `none` is a miss.
    func queryImage(
        forKey key: String?, options: WebImageOptions, context: WebImageContext?, cacheType: ImageCacheType,
        completion: ImageCacheQueryCompletionBlock?
    ) -> (any WebImageOperation)?
    /// Stores an image in memory and its data on disk, according to `cacheType`. Without data the image is encoded.
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

/// A cache whose layers the manager may use separately, so that the manager decodes and loads share that work.
@preconcurrency public protocol LayeredImageCaching: ImageCaching {
    /// The image in memory; must cost no more than a lock and a look-up.
    func imageFromMemoryCache(forKey key: String?) -> Image?
    /// Stores an image in memory before this returns.
    func storeImageToMemory(_ image: Image?, forKey key: String?)
    /// Whether loads store their images in memory; true unless implemented.
    var keepsImagesInMemory: Bool { get }
    /// The encoded data on disk, verified; read on the cache's own executor.
    func diskImageData(forKey key: String?) async -> Data?
    /// The encoded data on disk, verified; blocks the caller while it is read.
    func diskImageDataSync(forKey key: String?) -> Data?
    /// The encoded data on disk, verified, with metadata and extended data. The default implementation returns only the
    /// data.
    func diskResource(forKey key: String?) async -> CachedResource?
    /// The same; blocks the caller while it is read.
    func diskResourceSync(forKey key: String?) -> CachedResource?
    /// Stores a loader's metadata with an existing disk entry; does nothing unless implemented.
    func storeMetadata(_ metadata: Data?, forKey key: String?)
    /// Removes a damaged disk entry, so that it is fetched again.
    func removeCorruptDiskEntry(forKey key: String?)
}

extension LayeredImageCaching {
    /// True.
    public var keepsImagesInMemory: Bool { true }
    /// ``diskImageData(forKey:)`` alone.
    public func diskResource(forKey key: String?) async -> CachedResource? {
        await diskImageData(forKey: key).map { CachedResource(data: $0) }
    }
    /// ``diskImageDataSync(forKey:)`` alone.
    public func diskResourceSync(forKey key: String?) -> CachedResource? {
        diskImageDataSync(forKey: key).map { CachedResource(data: $0) }
    }
    /// Nothing.
    public func storeMetadata(_ metadata: Data?, forKey key: String?) {}
}

/// The memory layer: an image per key, bounded by cost and count. Synchronous, lock-protected.
@preconcurrency public protocol MemoryCaching: Sendable {
    /// Creates an empty cache with the limits of `config`.
    init(config: ImageCacheConfig)
    /// The image of a key.
    func object(forKey key: String) -> Image?
    /// Stores an image; nil removes it.
    func setObject(_ object: Image?, forKey key: String, cost: Int)
    /// Removes an image.
    func removeObject(forKey key: String)
    /// Removes all images.
    func removeAllObjects()
    /// New limits, to be kept from now on; nothing unless implemented.
    func configDidChange(_ config: ImageCacheConfig)
}

extension MemoryCaching {
    /// Nothing.
    public func configDidChange(_ config: ImageCacheConfig) {}
}

/// The disk layer: bytes per key. Synchronous, lock-protected; the caller chooses the thread.
@preconcurrency public protocol DiskCaching: Sendable {
    /// Opens the cache in its own folder; nil when the folder cannot be used.
    init?(cachePath: String, config: ImageCacheConfig)
    /// Whether there is an entry, without reading it.
    func containsData(forKey key: String) -> Bool
    /// The entry's bytes; nil when there is no entry or its bytes are damaged. A damaged entry is removed.
    func data(forKey key: String) -> Data?
    /// Stores bytes and replaces an existing entry.
    func setData(_ data: Data?, forKey key: String)
    /// The opaque bytes stored with an entry.
    func extendedData(forKey key: String) -> Data?
    /// Stores opaque bytes with an existing entry; nil removes them.
    func setExtendedData(_ data: Data?, forKey key: String)
    /// Removes an entry.
    func removeData(forKey key: String)
    /// Removes every entry.
    func removeAllData()
    /// Removes expired entries, then trims to the size limit.
    func removeExpiredData()
    /// The path of the file that holds an entry; nil when the entry has no separate file.
    func cachePath(forKey key: String) -> String?
    /// The number of entries.
    func totalCount() -> Int
    /// The size of all entries in bytes.
    func totalSize() -> Int
    /// New limits, to be kept from now on; nothing unless implemented.
    func configDidChange(_ config: ImageCacheConfig)
    /// Waits until all stored data is safe on disk; does nothing unless implemented.
    func flush()
    /// Stores the pixel size of a key's image, also beyond the life of its entry; does nothing unless implemented.
    func setPixelSize(_ size: PixelSize, forKey key: String)
    /// The stored pixel size of a key's image; nil unless implemented.
    func pixelSize(forKey key: String) -> PixelSize?
    /// Imports the files of a folder in SDWebImage's layout and removes them there; returns their number. Imports none
    /// unless implemented.
    func importFiles(fromDirectory path: String) -> Int
    /// The metadata stored with an entry, opaque to the cache; nil unless implemented.
    func metadata(forKey key: String) -> Data?
    /// Stores opaque metadata with an existing entry. Nil, or storing other bytes, removes it. Does nothing unless
    /// implemented.
    func setMetadata(_ data: Data?, forKey key: String)
    /// Reads every entry and removes the damaged ones; does nothing unless implemented.
    func verify() -> (checked: Int, removed: Int)
}

extension DiskCaching {
    /// Nothing.
    public func configDidChange(_ config: ImageCacheConfig) {}
    /// Nothing.
    public func flush() {}
    /// Nothing.
    public func setPixelSize(_ size: PixelSize, forKey key: String) {}
    /// Nil.
    public func pixelSize(forKey key: String) -> PixelSize? { nil }
    /// None.
    public func importFiles(fromDirectory path: String) -> Int { 0 }
    /// Nil.
    public func metadata(forKey key: String) -> Data? { nil }
    /// Nothing.
    public func setMetadata(_ data: Data?, forKey key: String) {}
    /// Nothing.
    public func verify() -> (checked: Int, removed: Int) { (0, 0) }
}
