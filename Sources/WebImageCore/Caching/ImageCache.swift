import Foundation

/// Memory and disk as one cache of images.
///
/// Safe on any thread. Memory is asked at once; disk work runs on a queue of the cache's own, in the order it was asked
/// for; decoding and encoding run on the decode pool, but for the calls that say they block. Every completion is called exactly once, also for a nil key.
public final class ImageCache: LayeredImageCaching {
    /// The cache used wherever no other is named, with the namespace `default`.
    public static let shared = ImageCache(namespace: "default")

    private static let chosenDirectory = Locked<String?>(nil)

    /// Opens a disk layer at a path; nil when the folder cannot be used. Set by ``WebImageDefaults``.
    static let makeDefaultDiskCache = Locked<@Sendable (String, ImageCacheConfig) -> (any DiskCaching)?>({ _, _ in nil }
    )

    // The original's shape: never nil when read, nil resets.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// Where caches without a directory of their own live: `$XDG_CACHE_HOME` or `$HOME/.cache`, then the application,
    /// then `webimage`; without an absolute `$HOME` the home that the system knows for the user. Setting it affects caches made later; nil resets it.
    public static var defaultDiskCacheDirectory: String! {
        get { chosenDirectory.withLock { $0 } ?? CacheLocation.standard }
        set { chosenDirectory.withLock { $0 = newValue } }
    }

    /// The folder of the disk layer; empty where the caller made that.
    public let diskCachePath: String
    /// The memory layer.
    public let memoryCache: any MemoryCaching
    let disk: DiskQueue
    let decodePool: DecodePool
    let coders: ImageCodersManager
    /// Which version of each original was stored last.
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
        disk = DiskQueue {
            guard config.shouldCacheImagesOnDisk else { return nil }
            guard let chosen = config.diskCacheClass else {
                return Self.makeDefaultDiskCache.withLock { $0 }(path, config)
            }
            return chosen.init(cachePath: path, config: config)
        }
    }

    /// A cache over layers that the caller made; without a disk layer it is a memory cache.
    public init(memoryCache: any MemoryCaching, diskCache: (any DiskCaching)?, config: ImageCacheConfig = .default) {
        diskCachePath = ""
        state = Locked(State(config: config))
        (decodePool, coders) = (config.decodePool, config.coders)
        self.memoryCache = memoryCache
        disk = DiskQueue { diskCache }
    }

    /// The shared namespace, in an instance of its own.
    public convenience init() { self.init(namespace: "default") }

    /// How the cache behaves; a change holds at once.
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

    /// Where else to look for a key's file: read-only, asked after the disk layer.
    public var additionalCachePathBlock: (@Sendable (String) -> String?)? {
        get { state.withLock { $0.additionalPath } }
        set { state.withLock { $0.additionalPath = newValue } }
    }

    func withSizes<Result>(_ body: (inout PixelSizes) -> Result) -> Result { state.withLock { body(&$0.sizes) } }

    // MARK: Memory

    /// The image in memory, at once: a lock and a dictionary.
    public func imageFromMemoryCache(forKey key: String?) -> Image? {
        guard let key else { return nil }
        return memoryCache.object(forKey: key)
    }

    /// Puts an image into memory, at once, whatever the config says; previews are not kept.
    public func storeImageToMemory(_ image: Image?, forKey key: String?) {
        guard let image, let key, !image.isIncremental else { return }
        rememberSize(of: image, forKey: key)
        memoryCache.setObject(image, forKey: key, cost: image.memoryCost)
    }

    /// As the config says.
    public var keepsImagesInMemory: Bool { state.withLock { $0.config.shouldCacheImagesInMemory } }

    /// Empties the memory layer.
    public func clearMemory() { memoryCache.removeAllObjects() }

    /// Waits until everything stored so far outlives the process; blocks.
    public func flush() { disk.sync { $0?.flush() } }

    /// Waits until everything stored so far outlives the process.
    public func flush() async { await disk.run { $0?.flush() } }
}
