import Foundation

/// Memory and disk as one cache of images.
///
/// Safe on any thread. Memory is looked up inline. Disk work runs on the cache's own queue, in the order of the calls.
/// Decoding and encoding run on the decode pool, except in calls documented to block. Every completion is called
/// exactly once, also for a nil key.
public final class ImageCache: LayeredImageCaching {
    /// The default cache, with the namespace `default`.
    public static let shared = ImageCache(namespace: "default")

    private static let chosenDirectory = Locked<String?>(nil)

    /// Opens a disk layer at a path; nil when the folder cannot be used. Set by ``WebImageDefaults``.
    static let makeDefaultDiskCache = Locked<@Sendable (String, ImageCacheConfig) -> (any DiskCaching)?>({ _, _ in nil }
    )

    // As in SDWebImage: reading never returns nil, and setting nil resets.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The default parent directory of caches: `$XDG_CACHE_HOME` or `$HOME/.cache`, then the application, then
    /// `webimage`. Without an absolute `$HOME` the user's home directory according to the system applies. Setting it
    /// affects caches created later; nil resets it.
    public static var defaultDiskCacheDirectory: String! {
        get { chosenDirectory.withLock { $0 } ?? CacheLocation.standard }
        set { chosenDirectory.withLock { $0 = newValue } }
    }

    /// The folder of the disk layer; empty when the caller created the layer.
    public let diskCachePath: String
    /// The memory layer.
    public let memoryCache: any MemoryCaching
    /// The memory layer if it is the default one: a look-up through the role takes 100 instructions more.
    private let defaultMemoryCache: MemoryCache?
    let disk: DiskQueue
    let decodePool: DecodePool
    let coders: ImageCodersManager
    /// The newest known version of each original.
    package let originalVersions = OriginalVersions()
    private let state: Locked<State>

    private struct State {
        var config: ImageCacheConfig
        var additionalPath: (@Sendable (String) -> String?)?
        var sizes = PixelSizes()
    }

    /// A cache in `<directory>/<namespace>`; opens its folder in the background.
    ///
    /// A namespace is a name: slashes and dots that would make it a path are escaped.
    public init(namespace: String, diskCacheDirectory: String? = nil, config: ImageCacheConfig? = nil) {
        let config = config ?? .default
        let directory = diskCacheDirectory ?? Self.defaultDiskCacheDirectory ?? CacheLocation.standard
        let path = directory + "/" + CacheLocation.folderName(namespace)
        diskCachePath = path
        state = Locked(State(config: config))
        (decodePool, coders) = (config.decodePool, config.coders)
        memoryCache = (config.memoryCacheClass ?? MemoryCache.self).init(config: config)
        defaultMemoryCache = memoryCache as? MemoryCache
        disk = DiskQueue {
            guard config.shouldCacheImagesOnDisk else { return nil }
            guard let chosen = config.diskCacheClass else {
                return Self.makeDefaultDiskCache.withLock { $0 }(path, config)
            }
            return chosen.init(cachePath: path, config: config)
        }
    }

    /// A cache over layers that the caller created; without a disk layer it is a memory cache.
    public init(memoryCache: any MemoryCaching, diskCache: (any DiskCaching)?, config: ImageCacheConfig = .default) {
        diskCachePath = ""
        state = Locked(State(config: config))
        (decodePool, coders) = (config.decodePool, config.coders)
        self.memoryCache = memoryCache
        defaultMemoryCache = memoryCache as? MemoryCache
        disk = DiskQueue { diskCache }
    }

    /// A separate instance with the namespace `default`.
    public convenience init() { self.init(namespace: "default") }

    /// The configuration of the cache; a change takes effect at once.
    public var config: ImageCacheConfig {
        get { state.withLock { $0.config } }
        set {
            state.withLock { $0.config = newValue }
            memoryCache.configDidChange(newValue)
            disk.async { $0?.configDidChange(newValue) }
        }
    }

    /// The disk layer; nil when there is none or its folder cannot be used. Waits until it is open.
    public var diskCache: (any DiskCaching)? { disk.sync { $0 } }

    /// Returns the path of a further file for a key; read-only, used after a miss in the disk layer.
    public var additionalCachePathBlock: (@Sendable (String) -> String?)? {
        get { state.withLock { $0.additionalPath } }
        set { state.withLock { $0.additionalPath = newValue } }
    }

    func withSizes<Result>(_ body: (inout PixelSizes) -> Result) -> Result { state.withLock { body(&$0.sizes) } }

    // MARK: Memory

    /// The image in memory; costs one lock and one dictionary look-up.
    public func imageFromMemoryCache(forKey key: String?) -> Image? {
        guard let key else { return nil }
        if let defaultMemoryCache { return defaultMemoryCache.object(forKey: key) }
        return memoryCache.object(forKey: key)
    }

    /// Stores an image in memory before this returns, regardless of ``ImageCacheConfig/shouldCacheImagesInMemory``.
    /// Partial images are not stored.
    public func storeImageToMemory(_ image: Image?, forKey key: String?) {
        guard let image, let key, !image.isIncremental else { return }
        rememberSize(of: image, forKey: key)
        memoryCache.setObject(image, forKey: key, cost: image.memoryCost)
    }

    /// The value of ``ImageCacheConfig/shouldCacheImagesInMemory``.
    public var keepsImagesInMemory: Bool { state.withLock { $0.config.shouldCacheImagesInMemory } }

    /// Empties the memory layer.
    public func clearMemory() { memoryCache.removeAllObjects() }

    /// Waits until all data stored so far is safe on disk; blocks.
    public func flush() { disk.sync { $0?.flush() } }

    /// Waits until all data stored so far is safe on disk.
    public func flush() async { await disk.run { $0?.flush() } }
}
