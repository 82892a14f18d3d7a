import Foundation
public import WebImageCore

/// A cache of images with a memory layer and a disk layer.
///
/// All methods are safe on any thread. Memory look-ups run on the calling thread. Disk work runs on a serial queue of
/// the cache and takes effect in the order of the calls, also if the image of a store must first be encoded. Decodes and
/// encodes run on the decode pool, except in methods whose documentation says that they block: such a method encodes an
/// image that was stored before, if it needs the entry. Every completion is called exactly once, even if the key is nil.
public final class ImageCache: ImageCaching, ImageCacheLayers {
    /// The default cache, with the namespace `default`.
    public static let shared = ImageCache(namespace: "default")

    private static let chosenDirectory = Locked<String?>(nil)

    /// The function that opens the default disk layer at a path. It returns nil when the folder cannot be used.
    /// ``WebImageDefaults`` sets this function.
    static let makeDefaultDiskCache = Locked<
        LockedFunction<@Sendable (String, ImageCacheConfig) -> (any DiskCaching)?>
    >(LockedFunction { _, _ in nil })

    // The type is implicitly unwrapped as in SDWebImage. The getter never returns nil, and the value nil restores the
    // default.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The default parent directory of caches: `$XDG_CACHE_HOME/<application>/webimage`, or
    /// `$HOME/.cache/<application>/webimage` if `$XDG_CACHE_HOME` is not an absolute path. If `$HOME` is not
    /// an absolute path either, the home directory comes from the system. A new value affects only caches
    /// created later; nil restores the default.
    public static var defaultDiskCacheDirectory: String! {
        get { chosenDirectory.withLock { $0 } ?? CacheLocation.standard }
        set { chosenDirectory.withLock { $0 = newValue } }
    }

    /// The path of the disk layer's folder. Empty if the caller created the disk layer.
    public let diskCachePath: String
    /// The memory layer.
    public let memoryCache: any MemoryCaching
    /// The memory layer if it is a `MemoryCache`, else nil. A direct call of this class saves 100 instructions per
    /// look-up compared with a call through the protocol.
    private let defaultMemoryCache: MemoryCache?
    let disk: DiskQueue
    let decodePool: DecodePool
    let coders: ImageCodersManager
    /// The newest known version of each original.
    let originalVersions = OriginalVersions()
    private let state: Locked<State>

    private struct State {
        var config: ImageCacheConfig
        var additionalPath: (@Sendable (String) -> String?)?
        var sizes = PixelSizes()
        var removals = RecentRemovals()
        var storeWatchers: [Int: @Sendable (String) -> Bool] = [:]
        var lastWatcher = 0
    }

    /// Creates a cache in `<directory>/<namespace>` and opens its folder in the background.
    ///
    /// The namespace is a folder name, not a path: slashes and names such as `..` are escaped. A relative directory is one
    /// in the current folder.
    public init(namespace: String, diskCacheDirectory: String? = nil, config: ImageCacheConfig? = nil) {
        let config = config ?? .default
        let directory = diskCacheDirectory ?? Self.defaultDiskCacheDirectory ?? CacheLocation.standard
        let start = directory.hasPrefix("/") ? "" : FileManager.default.currentDirectoryPath + "/"
        let path = start + directory + "/" + CacheLocation.folderName(namespace)
        diskCachePath = path
        state = Locked(State(config: config))
        (decodePool, coders) = (config.decodePool, config.coders)
        memoryCache = (config.memoryCacheClass ?? MemoryCache.self).init(config: config)
        defaultMemoryCache = memoryCache as? MemoryCache
        disk = DiskQueue {
            guard config.shouldCacheImagesOnDisk else { return nil }
            guard let chosen = config.diskCacheClass else {
                return Self.makeDefaultDiskCache.withLock { $0 }.call(path, config)
            }
            return chosen.init(cachePath: path, config: config)
        }
    }

    /// Creates a cache from existing layers. If `diskCache` is nil, the cache stores images only in memory.
    public init(memoryCache: any MemoryCaching, diskCache: (any DiskCaching)?, config: ImageCacheConfig = .default) {
        diskCachePath = ""
        state = Locked(State(config: config))
        (decodePool, coders) = (config.decodePool, config.coders)
        self.memoryCache = memoryCache
        defaultMemoryCache = memoryCache as? MemoryCache
        disk = DiskQueue { diskCache }
    }

    /// Creates a cache with the namespace `default`. The new cache is not the object ``shared``.
    public convenience init() { self.init(namespace: "default") }

    /// The configuration of the cache. A change takes effect immediately, except for the properties that are read when
    /// the cache is created.
    public var config: ImageCacheConfig {
        get { state.withLock { $0.config } }
        set {
            state.withLock { $0.config = newValue }
            memoryCache.configDidChange(newValue)
            disk.async { $0?.configDidChange(newValue) }
        }
    }

    /// The disk layer; nil when the cache has no disk layer or its folder cannot be used. Blocks until the
    /// layer is open.
    public var diskCache: (any DiskCaching)? { disk.sync { $0 } }

    /// A function that returns the path of an additional file for a key. After a miss in the disk layer, the cache
    /// reads this file. The cache never changes the file.
    public var additionalCachePathBlock: (@Sendable (String) -> String?)? {
        get { state.withLock { $0.additionalPath } }
        set { state.withLock { $0.additionalPath = newValue } }
    }

    func withSizes<Result>(_ body: (inout PixelSizes) -> Result) -> Result { state.withLock { body(&$0.sizes) } }

    /// The removals from memory. Note a removal before it takes effect.
    func withRemovals<Result>(_ body: (inout RecentRemovals) -> Result) -> Result {
        state.withLock { body(&$0.removals) }
    }

    /// Registers a function that is called with the key of every picture that a program stores from now on, on the thread
    /// that stores it. The function is removed when it returns false.
    ///
    /// The pictures that loads store are not reported. The text of their keys can be the URL of another picture, and a load
    /// knows its own URL and scope.
    func whenStored(_ watcher: @escaping @Sendable (_ key: String) -> Bool) {
        state.withLock { state in
            state.lastWatcher += 1
            state.storeWatchers[state.lastWatcher] = watcher
        }
    }

    /// Reports a store; `identity` is the identity with which a load stores, nil for a store by the program.
    func noteStore(_ key: String, _ identity: EntryIdentity? = nil) {
        guard identity == nil else { return }
        for (number, watcher) in state.withLock({ $0.storeWatchers }) where !watcher(key) {
            state.withLock { $0.storeWatchers[number] = nil }
        }
    }

    /// Passes the uses of images in memory on to the disk layer. Otherwise the disk would remove the entry of a picture that
    /// is used from memory all the time, because its entry was not read for long. Runs on the disk queue, before entries
    /// are stored or removed.
    func noteUses() {
        guard let recording = disk.recording, let used = defaultMemoryCache?.takeUsed(), !used.isEmpty else { return }
        // A thumbnail usually has no entry of its own. It is made from the entry of its original.
        recording.noteUses(ofKeys: used.flatMap { [$0.key] + $0.image.originalKeys(under: $0.key) })
    }

    // MARK: Memory

    /// Returns the image in memory. The cost is one lock and one dictionary look-up.
    public func imageFromMemoryCache(forKey key: String?) -> Image? {
        guard let key else { return nil }
        if let defaultMemoryCache { return defaultMemoryCache.object(forKey: key) }
        return memoryCache.object(forKey: key)
    }

    /// Stores an image in memory before this method returns, even if
    /// ``ImageCacheConfig/shouldCacheImagesInMemory`` is false. Partial images are not stored.
    public func storeImageToMemory(_ image: Image?, forKey key: String?) {
        guard let image, let key, !image.isIncremental else { return }
        rememberSize(of: image, forKey: key)
        // A long key, such as a `data:` URL, needs as much memory as a picture. The image itself also stores its key.
        let keyCost = key.utf8.count > 1024 ? 2 * key.utf8.count : 0
        memoryCache.setObject(image, forKey: key, cost: image.memoryCost + keyCost)
    }

    /// The value of ``ImageCacheConfig/shouldCacheImagesInMemory``.
    public var keepsImagesInMemory: Bool { state.withLock { $0.config.shouldCacheImagesInMemory } }

    /// Empties the memory layer. Queries that are running do not fill it again.
    public func clearMemory() {
        withRemovals { $0.noteAll() }
        memoryCache.removeAllObjects()
    }

    /// Blocks the calling thread until all data stored so far is safe on disk.
    public func flush() { disk.sync(.after(.all)) { self.flush($0) } }

    /// Waits until all data stored so far is safe on disk.
    public func flush() async { await disk.run(.after(.all)) { self.flush($0) } }

    private func flush(_ disk: (any DiskCaching)?) {
        noteUses()
        disk?.flush()
    }
}

extension Image {
    /// The keys of the originals from which the entries under a key were made; empty for the entry of an original.
    fileprivate final func originalKeys(under key: String) -> [String] {
        variantKeys(under: key).compactMap { ($0.scope.map { .scoped($0) } ?? CacheScope.shared).key($0.source) }
    }

    /// Returns ``extendedObject`` as the given type. If the image was read from disk, decodes the object from the
    /// stored JSON.
    public final func extendedObject<Object: Decodable>(as type: Object.Type) -> Object? {
        if let object = extendedObject as? Object { return object }
        return (extendedObject as? Data).flatMap { try? JSONDecoder().decode(type, from: $0) }
    }
}
