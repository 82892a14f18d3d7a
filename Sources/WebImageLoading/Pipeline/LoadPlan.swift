import Foundation
import WebImageCore

/// The input of the pipeline for one load: parsed options and context, keys, and the cache, loader, transformer and
/// serializer to use. A load that is a simple memory hit has no plan.
struct LoadPlan: Sendable {
    /// The request, after the options processor. Custom caches, loaders and other custom objects receive its values as a
    /// dictionary.
    private(set) var request: ImageRequest
    let host: any PipelineHost

    let cache: ResolvedCache
    let originalCache: ResolvedCache
    let loader: ResolvedLoader
    let serializer: (any WebImageCacheSerializerProtocol)?
    let decoding: ImageDecoding
    let encoding: ForeignCoderOptions

    let queryType: ImageCacheType
    let storeType: ImageCacheType
    let originalQueryType: ImageCacheType
    let originalStoreType: ImageCacheType
    /// Whether the caller chose the layers in which the variant is stored.
    let namesStoreType: Bool
    /// Whether originals are stored in the load's own cache.
    let hasOneCache: Bool

    let keys: LoadKeys
    /// The value that the loader prepared when it computed the identity of the load. Nil for a refresh, because a
    /// refresh is a separate load for the loader.
    private var prepared: (any AnyObject & Sendable)?
    /// The identity that decides which loads share the bytes; nil for a loader that returns decoded images.
    let sharing: LoadIdentity?
    /// A unique number if other loads must not share the bytes of this load; otherwise nil.
    let unshared: UInt64?
    /// Whether a subscriber uses the bytes while they arrive.
    var streams = false
    /// The `.load` stage, whose start was reported to the listener; nil without a listener.
    var observation: StageObservation?
    /// Whether this load is a refresh: it fetches the bytes to check whether they differ from the cached bytes.
    private(set) var isRefreshing = false
    /// For a refresh, the version of the original from which the cached image was made. Nil if the version is unknown,
    /// and for other loads.
    private(set) var cachedVersion: ContentDigest?

    var url: URL { request.url }
    var options: WebImageOptions { request.options }
    var context: RequestContext { request.values }
    var scope: CacheScope { keys.scope }
    var thumbnail: LoadKeys.Thumbnail? { keys.thumbnail }
    var transformer: (any ImageTransformer)? { keys.transformer }
    var originalKey: String? { keys.original?.string }
    var variantKey: String? { keys.variant?.string }
    var priority: LoadPriority { LoadPriority(options) }
    var isVariant: Bool { thumbnail != nil || transformer != nil }
    /// The check whether an image in memory fits this load.
    var wanted: ImageMatcher { ImageMatcher(options: options, context: context) }
    /// The input for the loader.
    var dataLoad: ImageDataLoad {
        var load = ImageDataLoad(request)
        load.prepared = prepared
        return load
    }

    init(_ request: ImageRequest, _ settings: LoadSettings, host: any PipelineHost) {
        let loader = settings.loader(for: request)
        self.init(
            request, LoadKeys(request, settings, loader: loader), cache: settings.cache(for: request), loader: loader,
            settings: settings, host: host)
    }

    /// Creates the plan of a load whose keys, cache and loader are known from its memory look-up.
    init(
        _ request: ImageRequest, _ keys: LoadKeys, cache: ResolvedCache, loader: ResolvedLoader,
        settings: LoadSettings, host: any PipelineHost
    ) {
        self.host = host
        self.request = request
        self.keys = keys
        self.cache = cache
        let namedOriginalCache = request.originalCache.map(ResolvedCache.init)
        originalCache = namedOriginalCache ?? cache
        hasOneCache = namedOriginalCache.map { [cache] in RoleIdentity($0.role) == RoleIdentity(cache.role) } ?? true
        serializer = request.cacheSerializer ?? settings.values.cacheSerializer
        encoding = ForeignCoderOptions(request.encodeOptions ?? [:])
        // Do not use the disk cache for a local file or a `data:` URL. Reading the URL costs as little as reading the
        // cache, and always returns the newest version.
        let isLocal = request.url.isFileURL || request.url.scheme?.lowercased() == "data"
        queryType = request.queryCache ?? (isLocal ? .memory : .all)
        let namedStoreType = request.storeCache
        namesStoreType = namedStoreType != nil
        storeType = namedStoreType ?? (isLocal ? .memory : .all)
        originalQueryType = request.originalQueryCache ?? (isLocal ? .none : .disk)
        originalStoreType = request.originalStoreCache ?? (isLocal ? .none : .disk)

        var decoding = ImageDecoding(
            request.options, context: request.values, key: keys.base ?? request.url.absoluteString,
            thumbnail: keys.thumbnail)
        decoding.owner = FileOwner(keys.scope)
        self.decoding = decoding

        let load = ImageDataLoad(request)
        self.loader = loader.chosen(for: load)
        let prepared = keys.prepared ?? self.loader.preparing?.prepare(load)
        self.prepared = prepared?.value
        sharing = prepared?.identity ?? self.loader.data?.identity(of: load)
        unshared = sharing != nil && sharing?.sharing == nil ? Self.unsharedNumber() : nil
        streams = request.options.contains(.progressiveLoad) || request.values.pixelSizeReceiver != nil
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
    /// Whether the load delivers a cached image first and then refreshes it.
    var refreshes: Bool {
        options.contains(.refreshCached) && options.isDisjoint(with: [.fromCacheOnly, .fromLoaderOnly])
    }

    /// Returns a copy of this load that uses only the caches.
    var fromCache: LoadPlan {
        var plan = self
        plan.request.options.remove([.refreshCached, .progressiveLoad])
        plan.request.options.insert(.fromCacheOnly)
        plan.streams = false
        return plan
    }

    /// Returns a copy of this load that uses only the loader, to refresh the cached image.
    func refreshing(_ cached: WebImageResult) -> LoadPlan {
        var plan = self
        plan.request.options.remove(.progressiveLoad)
        plan.request.options.insert(.fromLoaderOnly)
        plan.request.cachedImage = cached.image
        plan.prepared = nil
        plan.streams = false
        plan.isRefreshing = true
        plan.cachedVersion =
            cached.version ?? cached.image.originalVersion(as: keys.variant)
            ?? (isVariant ? nil : cached.data.map { ContentDigest($0) })
        return plan
    }

    /// The cache and the layers in which the original is looked up.
    var source: (cache: ResolvedCache, type: ImageCacheType) {
        if options.contains(.fromLoaderOnly) || originalKey == nil { return (originalCache, .none) }
        return isVariant ? (originalCache, originalQueryType) : (cache, queryType)
    }

    /// Decodes the entry of the variant.
    var variantDecoder: EntryDecoder { EntryDecoder(key: keys.variant, decoding: decoding, options: options) }

    /// Decodes the entry of the original at the size that this load requests.
    var originalDecoder: EntryDecoder { EntryDecoder(key: keys.original, decoding: decoding, options: options) }
}
