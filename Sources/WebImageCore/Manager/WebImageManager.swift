public import Foundation

/// Loads images: looks into the caches, fetches, decodes, transforms, stores and delivers.
///
/// Safe on any thread. A memory hit is answered before ``loadImage(with:options:context:progress:completed:)`` returns
/// when it is asked for on the queue completions run on; everything else happens elsewhere.
public final class WebImageManager: Sendable {
    struct Settings {
        var transformer: (any ImageTransformer)?
        var cacheKeyFilter: (any WebImageCacheKeyFilter)?
        var cacheSerializer: (any WebImageCacheSerializer)?
    }

    private struct State {
        var settings = Settings()
        var failedURLs = FailedURLs()
        var running: [ObjectIdentifier: WebImageCombinedOperation] = [:]
    }

    /// The cache used unless a context names another.
    public let imageCache: any ImageCaching
    /// The loader used unless a context names another.
    public let imageLoader: any ImageLoader

    let variants = SharedTasks<VariantIdentity, WebImageResult?>()
    let originals = SharedTasks<OriginalIdentity, OriginalData?>()
    let decodePool: DecodePool
    private let state = Locked(State())

    /// A manager of its own over a cache and a loader.
    public convenience init(cache: any ImageCaching, loader: any ImageLoader) {
        self.init(cache: cache, loader: loader, decodePool: .shared)
    }

    package init(cache: any ImageCaching, loader: any ImageLoader, decodePool: DecodePool) {
        imageCache = cache
        imageLoader = loader
        self.decodePool = decodePool
    }

    var settings: Settings { state.withLock { $0.settings } }

    /// Changes every image after decoding; nil changes none. A context may name another.
    public var transformer: (any ImageTransformer)? {
        get { settings.transformer }
        set { state.withLock { $0.settings.transformer = newValue } }
    }

    /// Derives cache keys; nil takes the whole URL. A context may name another.
    public var cacheKeyFilter: (any WebImageCacheKeyFilter)? {
        get { settings.cacheKeyFilter }
        set { state.withLock { $0.settings.cacheKeyFilter = newValue } }
    }

    /// Chooses the bytes that go to disk; nil stores what was fetched. A context may name another.
    public var cacheSerializer: (any WebImageCacheSerializer)? {
        get { settings.cacheSerializer }
        set { state.withLock { $0.settings.cacheSerializer = newValue } }
    }

    /// Whether a callback load is under way.
    public var isRunning: Bool { state.withLock { !$0.running.isEmpty } }

    /// Cancels every callback load under way.
    public func cancelAll() {
        for operation in state.withLock({ Array($0.running.values) }) { operation.cancel() }
    }

    /// Lets a URL that failed be tried again.
    public func removeFailedURL(_ url: URL) { state.withLock { $0.failedURLs.remove(url) } }

    /// Lets every URL that failed be tried again.
    public func removeAllFailedURLs() { state.withLock { $0.failedURLs.removeAll() } }

    /// The cache key of the full-size, untransformed image of a URL.
    public func cacheKey(for url: URL?) -> String? {
        guard let url else { return nil }
        return LoadPlan.originalKey(url, context: nil, filter: settings.cacheKeyFilter)
    }

    /// The cache key of the image as a context wants it: thumbnail size and transformer included.
    public func cacheKey(for url: URL?, context: WebImageContext?) -> String? {
        guard let url else { return nil }
        let settings = settings
        guard let key = LoadPlan.originalKey(url, context: context, filter: settings.cacheKeyFilter) else { return nil }
        let transformer = LoadPlan.transformer(context, default: settings.transformer)
        return LoadPlan.variantKey(key, context: context, transformer: transformer)
    }

    func addRunning(_ operation: WebImageCombinedOperation) {
        state.withLock { $0.running[ObjectIdentifier(operation)] = operation }
    }

    func removeRunning(_ operation: WebImageCombinedOperation) {
        state.withLock { $0.running[ObjectIdentifier(operation)] = nil }
    }

    func failure(of url: URL) -> WebImageError? { state.withLock { $0.failedURLs.reason(url) } }

    func rememberFailure(_ error: WebImageError, of url: URL) { state.withLock { $0.failedURLs.insert(url, error) } }
}

extension WebImageManager {
    /// Stages under way or held, over all loads.
    package var sharedTaskCount: Int { variants.count + originals.count }

    /// Who waits for a variant of this URL.
    package func subscriberCount(of url: URL) -> Int { variants.subscriberCount { $0.original.url == url } }
}
