import Foundation

/// The second phase of a load: everything that its options and context say, read once, and the manager's roles.
struct LoadPlan: Sendable {
    let url: URL
    private(set) var options: WebImageOptions
    /// For user-implemented roles; the pipeline reads the typed members.
    private(set) var context: RequestContext
    let host: any PipelineHost

    let cache: any ImageCaching
    let originalCache: any ImageCaching
    let loader: any ImageLoader
    let transformer: (any ImageTransformer)?
    let serializer: (any WebImageCacheSerializerProtocol)?
    let decoding: ImageDecoding
    let thumbnail: LoadKeys.Thumbnail?
    let encoding: FurtherCoderOptions

    let queryType: ImageCacheType
    let storeType: ImageCacheType
    let originalQueryType: ImageCacheType
    let originalStoreType: ImageCacheType
    /// Whether the caller asked for the variant to be stored in certain layers.
    let namesStoreType: Bool
    /// Whether originals are stored in the load's own cache.
    let hasOneCache: Bool

    let base: String?
    let scope: CacheScope
    let keys: LoadKeys
    /// The load as its loader prepared it for its identity; a refresh is another load.
    private var prepared: (any AnyObject & Sendable)?
    /// Which loads may share the bytes; nil for a loader that yields images.
    let sharing: LoadIdentity?
    /// Tells loads apart that no other load may share; nil for all others.
    let unshared: UInt64?
    /// Whether a subscriber uses the bytes while they arrive.
    var streams = false
    /// Of the whole load, for a listener; nil without one.
    var observation: (any StageObserving)?
    /// Whether bytes are fetched to learn if they are other than those kept.
    private(set) var isRefreshing = false
    /// The version that the cached image of a refresh was made from; nil where it is not known.
    private(set) var cachedVersion: ContentDigest?

    var originalKey: String? { keys.original?.string }
    var variantKey: String? { keys.variant?.string }
    var priority: LoadPriority { LoadPriority(options) }
    var isVariant: Bool { thumbnail != nil || transformer != nil }
    /// What an image in memory must be to serve.
    var wanted: WantedImage { WantedImage(options: options, context: context) }
    /// What a loader is asked for.
    var dataLoad: ImageDataLoad {
        var load = ImageDataLoad(url: url, options: options, requestContext: context)
        load.prepared = prepared
        return load
    }

    init(_ request: LoadRequest, host: any PipelineHost) {
        let context = request.context
        let settings = request.settings
        self.host = host
        url = request.url
        options = request.options
        self.context = context
        cache = context.imageCache ?? settings.roles.cache
        let namedOriginalCache = context.originalImageCache
        originalCache = namedOriginalCache ?? cache
        hasOneCache = namedOriginalCache.map { [cache] in RoleIdentity($0) == RoleIdentity(cache) } ?? true
        transformer = request.transformer
        serializer = context.cacheSerializer ?? settings.values.cacheSerializer
        encoding = FurtherCoderOptions(context.encodeOptions ?? [:])
        // A file of this machine, or the URL itself, is its own disk entry, and the newest one.
        let isLocal = url.isFileURL || url.scheme?.lowercased() == "data"
        queryType = context.queryCacheType ?? (isLocal ? .memory : .all)
        let namedStoreType = context.storeCacheType
        namesStoreType = namedStoreType != nil
        storeType = namedStoreType ?? (isLocal ? .memory : .all)
        originalQueryType = context.originalQueryCacheType ?? (isLocal ? .none : .disk)
        originalStoreType = context.originalStoreCacheType ?? (isLocal ? .none : .disk)

        base = request.base
        scope = request.scope
        keys = request.keys
        thumbnail = request.thumbnail
        decoding = ImageDecoding(
            options, context: context, key: base ?? url.absoluteString, thumbnail: request.thumbnail)

        let load = ImageDataLoad(url: url, options: options, requestContext: context)
        loader = (context.imageLoader ?? settings.roles.loader).resolved(for: load)
        let prepared = request.prepared ?? (loader as? any PreparingDataLoader)?.prepare(load)
        self.prepared = prepared?.value
        sharing = prepared?.identity ?? (loader as? any ImageDataLoader)?.identity(of: load)
        unshared = sharing != nil && sharing?.sharing == nil ? Self.unsharedNumber() : nil
        streams = options.contains(.progressiveLoad) || context.pixelSizeReceiver != nil
    }

    private static let lastUnshared = Locked<UInt64>(0)

    private static func unsharedNumber() -> UInt64 {
        lastUnshared.withLock { number in
            number += 1
            return number
        }
    }
}

extension LoadPlan {
    /// Whether a cached image is delivered first and then refreshed.
    var refreshes: Bool {
        options.contains(.refreshCached) && options.isDisjoint(with: [.fromCacheOnly, .fromLoaderOnly])
    }

    /// The same load as far as caches can answer it.
    var fromCache: LoadPlan {
        var plan = self
        plan.options.remove([.refreshCached, .progressiveLoad])
        plan.options.insert(.fromCacheOnly)
        plan.streams = false
        return plan
    }

    /// The same load from the loader, to replace `cached` if it is another picture by now.
    func refreshing(_ cached: Image) -> LoadPlan {
        var plan = self
        plan.options.remove(.progressiveLoad)
        plan.options.insert(.fromLoaderOnly)
        plan.context.set(.loaderCachedImage, cached)
        plan.prepared = nil
        plan.streams = false
        plan.isRefreshing = true
        plan.cachedVersion = cached.originalVersion(as: keys.variant)
        return plan
    }

    /// Where the original is looked for.
    var source: (cache: any ImageCaching, type: ImageCacheType) {
        if options.contains(.fromLoaderOnly) || originalKey == nil { return (originalCache, .none) }
        return isVariant ? (originalCache, originalQueryType) : (cache, queryType)
    }

    /// Reads the entry of the image as wanted.
    var variantDecoder: EntryDecoder { EntryDecoder(key: keys.variant, decoding: decoding, options: options) }

    /// Reads the entry of the original, decoding it as the load wants.
    var originalDecoder: EntryDecoder { EntryDecoder(key: keys.original, decoding: decoding, options: options) }
}

extension ImageLoader {
    /// The loader behind a manager of loaders, so that it can be asked what it yields.
    fileprivate func resolved(for load: ImageDataLoad) -> any ImageLoader {
        guard let manager = self as? ImageLoadersManager, let loader = manager.loader(for: load.url) else {
            return self
        }
        // Bytes may come from several loaders; images only from the one that takes the URL.
        if loader is any ImageDataLoader, manager.hasFurtherSources(load) { return self }
        return loader.resolved(for: load)
    }
}
