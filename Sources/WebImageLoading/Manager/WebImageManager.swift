public import Foundation
public import WebImageCore

/// Loads images: queries the caches, fetches, decodes, transforms, stores and delivers.
///
/// Safe on any thread. A memory hit completes before ``loadImage(with:options:context:progress:completed:)`` returns if
/// the caller is on the callback queue. Disk access, fetches and decoding run on other threads, except with
/// `.queryMemoryDataSync` and `.queryDiskDataSync`.
public final class WebImageManager: Sendable {
    private struct State {
        var settings: LoadSettings
        var listener: (any WebImageManagerListener)?
        weak var delegate: (any WebImageManagerDelegate)?
        var failedURLs = FailedURLs()
        /// Whether the cache reports the keys of stored pictures.
        var watchesStores = false
        var running: [ObjectIdentifier: WebImageCombinedOperation] = [:]
        var pendingStores = 0
        var encodedCaches: [WeakEncodedCache] = []

        init(_ cache: any ImageCaching, _ loader: any ImageLoader) {
            let roles = LoadSettings.Roles(cache: cache, loader: loader)
            listener = WebImageLog.logsLoads ? WebImageLoadLogger() : nil
            settings = LoadSettings(LoadSettings.Values(), roles, hasListener: listener != nil)
        }
    }

    private struct WeakEncodedCache { weak var cache: ImageEncodedCache? }

    /// The cache of every load whose context names no other cache.
    public let imageCache: any ImageCaching
    /// The loader of every load whose context names no other loader.
    public let imageLoader: any ImageLoader

    let pipeline: ImagePipeline
    /// Whether all running work in the pipeline belongs to this manager.
    let ownsPipeline: Bool
    let now: @Sendable () -> ContinuousClock.Instant
    private let state: Locked<State>

    /// Creates a manager with a cache and a loader.
    public convenience init(cache: any ImageCaching, loader: any ImageLoader) {
        self.init(cache: cache, loader: loader, decodePool: .shared)
    }

    package init(
        cache: any ImageCaching, loader: any ImageLoader, decodePool: DecodePool = .shared,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        imageCache = cache
        imageLoader = loader
        pipeline = ImagePipeline(decodePool: decodePool)
        ownsPipeline = true
        self.now = now
        state = Locked(State(cache, loader))
    }

    /// Creates a manager that shares the running work of another manager, and its cache and loader. It has its own
    /// settings and its own failed URLs.
    ///
    /// Without the shared work, an image would be fetched twice if one manager has fetched its bytes but has not stored
    /// them yet, and the other manager begins a load.
    package init(sharingWorkOf other: WebImageManager) {
        (imageCache, imageLoader, pipeline, now) = (other.imageCache, other.imageLoader, other.pipeline, other.now)
        ownsPipeline = false
        state = Locked(State(imageCache, imageLoader))
    }

    // MARK: Settings

    package var settings: LoadSettings { state.withLock { $0.settings } }

    private func change(_ body: (inout LoadSettings.Values) -> Void) {
        // Release the old settings outside the lock, because the `deinit` of a transformer or filter may be user code.
        let old = state.withLock { state in
            let old = state.settings
            var values = old.values
            body(&values)
            state.settings = LoadSettings(values, old.roles, hasListener: state.listener != nil)
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// The delegate, which decides about downloads, downloaded images and failed URLs. The reference is weak.
    public weak var delegate: (any WebImageManagerDelegate)? {
        get { state.withLock { $0.delegate } }
        set { state.withLock { $0.delegate = newValue } }
    }

    /// The transformer that changes every decoded image; nil changes no image. The context of a load can name another
    /// transformer.
    public var transformer: (any ImageTransformer)? {
        get { settings.values.transformer }
        set { change { $0.transformer = newValue } }
    }

    /// The filter that derives the cache key from a URL; nil uses the whole URL. The context of a load can name another
    /// filter.
    public var cacheKeyFilter: (any WebImageCacheKeyFilterProtocol)? {
        get { settings.values.cacheKeyFilter }
        set { change { $0.cacheKeyFilter = newValue } }
    }

    /// The serializer that returns the bytes to store on disk; nil stores the fetched bytes. The context of a load can
    /// name another serializer.
    public var cacheSerializer: (any WebImageCacheSerializerProtocol)? {
        get { settings.values.cacheSerializer }
        set { change { $0.cacheSerializer = newValue } }
    }

    /// The processor that changes the options and the context of every load; nil leaves them unchanged.
    public var optionsProcessor: (any WebImageOptionsProcessorProtocol)? {
        get { settings.values.optionsProcessor }
        set { change { $0.optionsProcessor = newValue } }
    }

    /// The coder that decodes images, such as an ``ImageCodersManager`` with coders of its own; nil uses the registered
    /// coders. The context of a load can name another coder.
    public var coder: (any ImageCoder)? {
        get { settings.values.coder }
        set { change { $0.coder = newValue } }
    }

    /// The limits of decoding; nil means ``DecodingLimits/default``. The context of a load can name other limits. An image
    /// that is in memory is not checked again.
    public var decodingLimits: DecodingLimits? {
        get { settings.values.limits }
        set { change { $0.limits = newValue } }
    }

    /// The duration for which a failed URL is not tried again. The default is five minutes. Nil means that the URL is
    /// not tried again until its failure is removed, as in SDWebImage.
    public var failedURLLifetime: Duration? {
        get { settings.values.failedURLLifetime }
        set { change { $0.failedURLLifetime = newValue } }
    }

    /// The listener that receives the start and the end of every stage. If nil, nothing is measured.
    ///
    /// The default is nil. If the environment variable `WEBIMAGE_LOG` is `debug` or `info`, the listener of every new
    /// manager is a ``WebImageLoadLogger``.
    public var listener: (any WebImageManagerListener)? {
        get { state.withLock { $0.listener } }
        set {
            let old = state.withLock { state in
                defer { state.listener = newValue }
                return state.listener
            }
            withExtendedLifetime(old) {}
            change { _ in }
        }
    }

    // MARK: Running loads

    /// Whether at least one load is running.
    public var isRunning: Bool { state.withLock { !$0.running.isEmpty } }

    /// Cancels every running load. Each load ends with `.cancelled`.
    public func cancelAll() {
        for operation in state.withLock({ Array($0.running.values) }) { operation.cancel() }
    }

    func addRunning(_ operation: WebImageCombinedOperation) {
        state.withLock { $0.running[ObjectIdentifier(operation)] = operation }
    }

    func removeRunning(_ operation: WebImageCombinedOperation) {
        state.withLock { $0.running[ObjectIdentifier(operation)] = nil }
    }

    var pendingStoreCount: Int { state.withLock { $0.pendingStores } }

    func changePendingStores(by amount: Int) { state.withLock { $0.pendingStores += amount } }

    /// Rejects every load that begins after this call.
    func shutDown() { change { $0.isShutDown = true } }

    /// Adds a cache of encoded images. ``removeImage(for:context:)`` also removes images from this cache.
    func add(_ cache: ImageEncodedCache) {
        state.withLock { state in
            state.encodedCaches.removeAll { $0.cache == nil }
            state.encodedCaches.append(WeakEncodedCache(cache: cache))
        }
    }

    var encodedCaches: [ImageEncodedCache] { state.withLock { $0.encodedCaches.compactMap(\.cache) } }

    // MARK: Failed URLs

    /// Allows a failed URL to be tried again.
    public func removeFailedURL(_ url: URL?) {
        if let url { state.withLock { $0.failedURLs.remove(url) } }
    }

    /// Allows every failed URL to be tried again.
    public func removeAllFailedURLs() { state.withLock { $0.failedURLs.removeAll() } }

    /// Returns the error that blocks a URL; nil if a load would try the URL. Considers only loads in the shared cache
    /// scope.
    public func failure(of url: URL) -> WebImageError? { failure(of: url, in: .shared) }

    func failure(of url: URL, in scope: CacheScope) -> WebImageError? {
        guard state.withLock({ !$0.failedURLs.isEmpty }) else { return nil }
        let now = now()
        return state.withLock { $0.failedURLs.reason(url, in: scope, at: now) }
    }

    func forgetFailure(of url: URL, in scope: CacheScope) {
        state.withLock { if !$0.failedURLs.isEmpty { $0.failedURLs.remove(url, in: scope) } }
    }

    func rememberFailure(_ error: WebImageError, of url: URL, in scope: CacheScope) {
        let now = now()
        let isFirst = state.withLock { state in
            state.failedURLs.insert(url, in: scope, error, for: state.settings.values.failedURLLifetime, at: now)
            defer { state.watchesStores = true }
            return !state.watchesStores
        }
        // A program that stores a picture under a URL makes the failure of this URL obsolete.
        guard isFirst else { return }
        settings.roles.imageCache?.whenStored { [weak self] key in
            self?.state.withLock { if !$0.failedURLs.isEmpty { $0.failedURLs.remove(urlText: key) } }
            return self != nil
        }
    }
}

extension WebImageManager {
    /// The default manager. It uses ``ImageCache/shared`` and the registered loaders, unless ``defaultImageCache`` or
    /// ``defaultImageLoader`` was set before the first use of this property.
    public static let shared = WebImageManager()

    private static let defaults = Locked<(cache: (any ImageCaching)?, loader: (any ImageLoader)?)>((nil, nil))

    /// The cache of managers that are created without a cache; nil means ``ImageCache/shared``.
    public static var defaultImageCache: (any ImageCaching)? {
        get { defaults.withLock { $0.cache } }
        set { defaults.withLock { $0.cache = newValue } }
    }

    /// The loader of managers that are created without a loader; nil means ``ImageLoadersManager/shared``.
    public static var defaultImageLoader: (any ImageLoader)? {
        get { defaults.withLock { $0.loader } }
        set { defaults.withLock { $0.loader = newValue } }
    }

    /// Creates a manager with the default cache and loader.
    public convenience init() {
        self.init(
            cache: Self.defaultImageCache ?? ImageCache.shared,
            loader: Self.defaultImageLoader ?? ImageLoadersManager.shared)
    }
}

/// The default implementations of coders, loader and disk cache. The product `WebImage` registers them before `main`
/// runs.
///
/// Core declares only the protocols. In a program that does not link `WebImage`, the `shared` objects have no coder, no
/// loader and no disk cache. Their errors name the missing part.
package struct WebImageDefaults: Sendable {
    /// Makes the built-in coders; the last coder is checked first.
    package var makeCoders: @Sendable () -> [any ImageCoder] = { [] }
    /// Makes the shared loader.
    package var makeLoader: @Sendable () -> any ImageLoader = { MissingImageLoader() }
    /// Creates a disk cache at a path; nil if the path can never be used.
    package var makeDiskCache: @Sendable (_ path: String, _ config: ImageCacheConfig) -> (any DiskCaching)? = { _, _ in
        nil
    }
    /// Redraws pixels at another size, in the pixel layout of the display; nil without a graphics library.
    package var redrawPixels: WebImageRedraw?

    package init() {}

    /// Registers the default implementations. The product `WebImage` calls this once.
    package static func register(_ defaults: WebImageDefaults) {
        ImageCodersManager.makeDefaultCoders.withLock { $0 = LockedFunction(defaults.makeCoders) }
        ImageCoderHelper.redrawPixels.withLock { $0 = defaults.redrawPixels.map { LockedFunction($0) } }
        ImageLoadersManager.makeDefaultLoader.withLock { $0 = LockedFunction(defaults.makeLoader) }
        ImageCache.makeDefaultDiskCache.withLock { $0 = LockedFunction(defaults.makeDiskCache) }
    }
}
