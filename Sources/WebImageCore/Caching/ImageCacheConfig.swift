public import Foundation

/// How a cache behaves: limits, ages, classes. A value: changing a cache's config changes that cache at once.
public struct ImageCacheConfig: Sendable {
    /// Which date an entry's age is counted from.
    public enum ExpireType: Int, Sendable {
        /// The last read.
        case accessDate = 0
        /// The last write of the bytes.
        case modificationDate = 1
        /// The first write.
        case creationDate = 2
        /// The last change of bytes or of what is stored beside them.
        case changeDate = 3
    }

    /// Whether images are kept in memory. Default true.
    public var shouldCacheImagesInMemory = true
    /// Whether there is a disk layer at all; read when the cache is made. Default true.
    public var shouldCacheImagesOnDisk = true
    /// Whether an evicted image that is still in use is found again. Default true.
    public var shouldUseWeakMemoryCache = true
    /// Seconds an entry lives; negative is for ever, 0 makes everything expired. Default one week.
    public var maxDiskAge: TimeInterval = 7 * 24 * 60 * 60
    /// Bytes on disk; 0 is automatic (the lesser of 2 GB and 5 % of the free space), `.max` is none.
    public var maxDiskSize = 0
    /// Bytes of pixels in memory; 0 is automatic (15 % of RAM or of the cgroup's limit), `.max` is none.
    public var maxMemoryCost = 0
    /// Images in memory; 0 is unlimited.
    public var maxMemoryCount = 0
    /// Which date an entry's age is counted from. Default the last read.
    public var diskCacheExpireType = ExpireType.accessDate
    /// Whether the disk layer's index holds keys as text beside their hashes. Keys are URLs and may hold secrets. Default false.
    public var diskCacheStoresPlainKeys = false
    /// Whether ``ImageCache/applicationWillTerminate()`` removes what is too old and too much. Default true.
    public var shouldRemoveExpiredDataWhenTerminate = true
    /// Whether ``ImageCache/applicationDidEnterBackground()`` removes what is too old and too much. Default true.
    public var shouldRemoveExpiredDataWhenEnterBackground = true
    /// How files of ``ImageCache/additionalCachePathBlock`` are read. The disk layer's own values are always read whole
    /// and verified: a mapped file that another process cuts short would end this one.
    public var diskCacheReadingOptions: Data.ReadingOptions = []
    /// The memory layer's class; nil is ``MemoryCache``.
    public var memoryCacheClass: (any MemoryCaching.Type)?
    /// The disk layer's class; nil is the registered one.
    public var diskCacheClass: (any DiskCaching.Type)?

    /// Who tells the memory layer that memory is short; nil is the system. Read when the cache is made.
    public var memoryPressureSource: (any MemoryPressureSource)?

    /// Where the cache decodes and encodes, and with what; read when the cache is made.
    package var decodePool = DecodePool.shared
    package var coders = ImageCodersManager.shared

    /// The defaults.
    public init() {}

    private static let shared = Locked(ImageCacheConfig())

    /// What caches made without a config start with.
    public static var `default`: ImageCacheConfig {
        get { shared.withLock { $0 } }
        set { shared.withLock { $0 = newValue } }
    }
}
