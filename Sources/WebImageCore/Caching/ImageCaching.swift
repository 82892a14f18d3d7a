public import Foundation

/// The image, its encoded data when it was read, and where they came from (`none` is a miss).
public typealias ImageCacheQueryCompletionBlock =
    @Sendable (_ image: Image?, _ data: Data?, _ cacheType: ImageCacheType) -> Void

/// A whole cache as the manager sees it; the shape is the original's.
///
/// Called on any thread. Every completion is called exactly once.
@preconcurrency public protocol ImageCaching: Sendable {
    /// Looks an image up; nil key or type `none` is a miss.
    func queryImage(
        forKey key: String?, options: WebImageOptions, context: WebImageContext?, cacheType: ImageCacheType,
        completion: ImageCacheQueryCompletionBlock?
    ) -> (any WebImageOperation)?
    /// Stores an image in memory and its data on disk, as `cacheType` says; without data the image is encoded.
    func storeImage(
        _ image: Image?, imageData: Data?, forKey key: String?, options: WebImageOptions, context: WebImageContext?,
        cacheType: ImageCacheType, completion: (@Sendable () -> Void)?
    )
    /// Removes an image from the layers `cacheType` names.
    func removeImage(forKey key: String?, cacheType: ImageCacheType, completion: (@Sendable () -> Void)?)
    /// Tells in which layer an image is.
    func containsImage(
        forKey key: String?, cacheType: ImageCacheType, completion: (@Sendable (ImageCacheType) -> Void)?)
    /// Removes everything from the layers `cacheType` names.
    func clear(with cacheType: ImageCacheType, completion: (@Sendable () -> Void)?)
}

/// A cache whose layers the manager may use one by one, so that it decodes itself and shares that work.
@preconcurrency public protocol LayeredImageCaching: ImageCaching {
    /// The image in memory, at once: a lock and a dictionary.
    func imageFromMemoryCache(forKey key: String?) -> Image?
    /// Puts an image into memory, at once.
    func storeImageToMemory(_ image: Image?, forKey key: String?)
    /// Whether loads are to put their images into memory; true unless implemented.
    var keepsImagesInMemory: Bool { get }
    /// The encoded data on disk, verified; read on the cache's own executor.
    func diskImageData(forKey key: String?) async -> Data?
    /// The encoded data on disk, verified; blocks the caller while it is read.
    func diskImageDataSync(forKey key: String?) -> Data?
    /// The encoded data on disk, verified, and what stands beside it; the data alone unless implemented.
    func diskResource(forKey key: String?) async -> CachedResource?
    /// The same; blocks the caller while it is read.
    func diskResourceSync(forKey key: String?) -> CachedResource?
    /// Keeps a loader's metadata beside an existing disk entry; nothing unless implemented.
    func storeMetadata(_ metadata: Data?, forKey key: String?)
    /// Removes a disk entry that turned out not to be what it should, so that it is fetched again.
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
    /// Makes an empty cache; limits are read from `config`.
    init(config: ImageCacheConfig)
    /// The image of a key.
    func object(forKey key: String) -> Image?
    /// Keeps an image; nil removes.
    func setObject(_ object: Image?, forKey key: String, cost: Int)
    /// Forgets an image.
    func removeObject(forKey key: String)
    /// Forgets everything.
    func removeAllObjects()
    /// New limits, to be kept from now on; nothing unless implemented.
    func configDidChange(_ config: ImageCacheConfig)
}

extension MemoryCaching {
    /// Nothing.
    public func configDidChange(_ config: ImageCacheConfig) {}
}

/// The disk layer: bytes per key. Synchronous, lock-protected; where it runs is the caller's choice.
@preconcurrency public protocol DiskCaching: Sendable {
    /// Opens the cache in a folder of its own; nil when the folder cannot be used at all.
    init?(cachePath: String, config: ImageCacheConfig)
    /// Whether there is an entry, without reading it.
    func containsData(forKey key: String) -> Bool
    /// The entry's bytes; nil when there are none or they do not verify (the entry is then removed).
    func data(forKey key: String) -> Data?
    /// Stores bytes, replacing.
    func setData(_ data: Data?, forKey key: String)
    /// Opaque bytes stored beside an entry.
    func extendedData(forKey key: String) -> Data?
    /// Stores opaque bytes beside an existing entry; nil removes them.
    func setExtendedData(_ data: Data?, forKey key: String)
    /// Removes an entry.
    func removeData(forKey key: String)
    /// Removes every entry.
    func removeAllData()
    /// Removes what is too old, then what is too much.
    func removeExpiredData()
    /// The path of the file that holds an entry; nil when it has none of its own.
    func cachePath(forKey key: String) -> String?
    /// Entries.
    func totalCount() -> Int
    /// Bytes of all entries.
    func totalSize() -> Int
    /// New limits, to be kept from now on; nothing unless implemented.
    func configDidChange(_ config: ImageCacheConfig)
    /// Waits until what was stored is where it outlives the process; nothing unless implemented.
    func flush()
    /// Remembers the size of a key's picture beyond its entry; nothing unless implemented.
    func setPixelSize(_ size: PixelSize, forKey key: String)
    /// The remembered size of a key's picture; nil unless implemented.
    func pixelSize(forKey key: String) -> PixelSize?
    /// Takes over the files of a folder in the original's layout, removing them there; gives how many. None unless
    /// implemented.
    func importFiles(fromDirectory path: String) -> Int
    /// What the server said beside an entry's bytes, opaque here; nil unless implemented.
    func metadata(forKey key: String) -> Data?
    /// Keeps what the server said beside an existing entry; nil removes, and so does storing other bytes. Nothing unless
    /// implemented.
    func setMetadata(_ data: Data?, forKey key: String)
    /// Reads every entry and removes those that are not what was stored; nothing unless implemented.
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
