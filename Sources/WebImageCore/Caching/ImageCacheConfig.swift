public import Foundation

/// The configuration of a cache: limits, ages and classes. It is a value type; assign a changed copy to
/// ``ImageCache/config``, where it takes effect immediately.
public struct ImageCacheConfig: Sendable {
    /// The date from which the age of an entry is counted.
    public enum ExpireType: Int, Sendable {
        /// The date of the last read.
        case accessDate = 0
        /// The date of the last write of the bytes.
        case modificationDate = 1
        /// The date of the first write.
        case creationDate = 2
        /// The date of the last change of the bytes, the metadata or the extended data.
        case changeDate = 3
    }

    /// Whether images are kept in memory. Default true.
    public var shouldCacheImagesInMemory = true
    /// Whether the cache has a disk layer; read when the cache is created. Default true.
    public var shouldCacheImagesOnDisk = true
    /// Whether a memory look-up also finds an evicted image that the application still uses. Default true.
    public var shouldUseWeakMemoryCache = true
    /// Maximum age of an entry on disk in seconds. Negative means unlimited; 0 expires every entry. Default one week.
    public var maxDiskAge: TimeInterval = 7 * 24 * 60 * 60
    /// Limit of the disk layer in bytes. 0 means automatic (2 GB or 5 % of the free space, whichever is
    /// less); `.max` means unlimited.
    public var maxDiskSize = 0
    /// Limit of the memory layer in bytes. 0 means automatic (15 % of RAM, or of the control group's limit if
    /// that is lower); `.max` means unlimited.
    public var maxMemoryCost = 0
    /// Limit of the number of images in memory; 0 is unlimited.
    public var maxMemoryCount = 0
    /// The date from which the age of an entry is counted. The default is the last read.
    public var diskCacheExpireType = ExpireType.accessDate
    /// Whether the disk layer's index stores keys as text, in addition to their hashes. Keys are URLs and may contain
    /// secrets. Default false.
    public var diskCacheStoresPlainKeys = false
    /// Whether ``ImageCache/applicationWillTerminate()`` removes expired entries and trims to the size limit. Default
    /// true.
    public var shouldRemoveExpiredDataWhenTerminate = true
    /// Whether ``ImageCache/applicationDidEnterBackground()`` removes expired entries and trims to the size limit.
    /// Default true.
    public var shouldRemoveExpiredDataWhenEnterBackground = true
    /// Options for reading the files of ``ImageCache/additionalCachePathBlock``. They do not apply to the
    /// disk layer's own files, which are always read completely and verified, never memory-mapped: if another
    /// process truncated a mapped file, this process would crash.
    public var diskCacheReadingOptions: Data.ReadingOptions = []
    /// The class of the memory layer; nil means ``MemoryCache``.
    public var memoryCacheClass: (any MemoryCaching.Type)?
    /// The disk layer's class; nil uses the default disk cache that `WebImageDefaults` registers.
    public var diskCacheClass: (any DiskCaching.Type)?

    /// The source of memory pressure events; nil means the system. Read when the cache is created.
    public var memoryPressureSource: (any MemoryPressureSource)?

    /// The pool and the coders for decoding and encoding; read when the cache is created.
    package var decodePool = DecodePool.shared
    package var coders = ImageCodersManager.shared

    /// Makes a configuration with the default values.
    public init() {}

    private static let shared = Locked(ImageCacheConfig())

    /// The configuration of caches that are created without a configuration.
    public static var `default`: ImageCacheConfig {
        get { shared.withLock { $0 } }
        set { shared.withLock { $0 = newValue } }
    }
}
