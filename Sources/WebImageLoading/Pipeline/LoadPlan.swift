import Foundation
import WebImageCore

/// The input of the pipeline for one load: parsed options and context, keys, and the cache, loader, transformer and
/// serializer to use. A load that is a simple memory hit has no plan.
struct LoadPlan: Sendable {
    /// The request, after the options processor. Custom caches, loaders and other custom objects receive its values as a
    /// dictionary.
    private(set) var request: ImageRequest
    private let fixed: Fixed

    /// The values that are equal in all copies of a plan. The stages copy a plan into their closures, and copying these
    /// values would retain about 30 objects each time.
    private final class Fixed: Sendable {
        let host: any PipelineHost
        let cache: RegisteredCache
        let originalCache: RegisteredCache
        let loader: RegisteredLoader
        let serializer: (any WebImageCacheSerializerProtocol)?
        let decoding: ImageDecoding
        let encoding: ForeignCoderOptions
        let queryType: ImageCacheType
        let storeType: ImageCacheType
        let originalQueryType: ImageCacheType
        let originalStoreType: ImageCacheType
        let namesStoreType: Bool
        let hasOneCache: Bool
        let keys: LoadKeys
        let sharing: LoadIdentity?
        let unshared: UInt64?
        let refusal: WebImageError?
        let sharesKey: Bool

        init(
            _ request: ImageRequest, _ keys: LoadKeys, cache: RegisteredCache, loader: RegisteredLoader,
            prepared: PreparedLoad?, load: ImageDataLoad, settings: LoadSettings, host: any PipelineHost
        ) {
            self.host = host
            self.keys = keys
            self.cache = cache
            self.loader = loader
            let namedOriginalCache = request.originalCache.map(RegisteredCache.init)
            originalCache = namedOriginalCache ?? cache
            hasOneCache = namedOriginalCache.map { RoleIdentity($0.role) == RoleIdentity(cache.role) } ?? true
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
            // If the load has alternative sources, it uses the loader although the URL failed: another source may have the
            // image.
            refusal =
                request.options.contains(.retryFailed) || request.values.alternativeURLs != nil
                ? nil : host.failure(of: request.url, in: keys.scope).map { .blackListed(request.url, $0) }
            let own = prepared?.identity ?? (loader.returnsImages ? nil : loader.role.identity(of: load))
            let ofKey = keys.original != nil && keys.base != request.url.absoluteString ? own?.withoutURL : nil
            sharesKey = ofKey != nil
            sharing = ofKey ?? own
            unshared = sharing != nil && sharing?.sharing == nil ? LoadPlan.unsharedNumber() : nil
        }
    }

    var host: any PipelineHost { fixed.host }
    var cache: RegisteredCache { fixed.cache }
    var originalCache: RegisteredCache { fixed.originalCache }
    var loader: RegisteredLoader { fixed.loader }
    var serializer: (any WebImageCacheSerializerProtocol)? { fixed.serializer }
    var decoding: ImageDecoding { fixed.decoding }
    var encoding: ForeignCoderOptions { fixed.encoding }
    var queryType: ImageCacheType { fixed.queryType }
    var storeType: ImageCacheType { fixed.storeType }
    var originalQueryType: ImageCacheType { fixed.originalQueryType }
    var originalStoreType: ImageCacheType { fixed.originalStoreType }
    /// Whether the caller chose the layers in which the variant is stored.
    var namesStoreType: Bool { fixed.namesStoreType }
    /// Whether originals are stored in the load's own cache.
    var hasOneCache: Bool { fixed.hasOneCache }
    var keys: LoadKeys { fixed.keys }
    /// The identity that decides which loads share the bytes; nil for a loader that returns decoded images.
    var sharing: LoadIdentity? { fixed.sharing }
    /// Whether loads of other URLs with the same cache key share the bytes of this load. The first of them fetches its URL.
    /// This is the case for URLs with a signature that a key filter removes.
    var sharesKey: Bool { fixed.sharesKey }
    /// A unique number if other loads must not share the bytes of this load; otherwise nil.
    var unshared: UInt64? { fixed.unshared }
    /// The error of a load that would have to use the loader, because the URL has failed before; nil if the loader may be
    /// used. The caches are used in any case: a valid picture is never replaced by a failure.
    var refusal: WebImageError? { fixed.refusal }

    /// The value that the loader prepared when it computed the identity of the load. Nil for a refresh, because a
    /// refresh is a separate load for the loader.
    private var prepared: (any AnyObject & Sendable)?
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
    /// Whether the disk keeps the variant. The key contains few options of the decode, so that the file of one time of a video
    /// would be found for another one, and a file without its gain map for a load that keeps the map. ``EntryDecoder`` accepts
    /// no variant for a load whose variant is not kept.
    var keepsVariantOnDisk: Bool { isVariant && decoding.options.givesPixels(of: .plain) }
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
        _ request: ImageRequest, _ keys: LoadKeys, cache: RegisteredCache, loader: RegisteredLoader,
        settings: LoadSettings, host: any PipelineHost
    ) {
        self.request = request
        let load = ImageDataLoad(request)
        let chosen = loader.chosen(for: load)
        let prepared = keys.prepared ?? chosen.capabilities.preparation?.prepare(load)
        self.prepared = prepared?.value
        fixed = Fixed(
            request, keys, cache: cache, loader: chosen, prepared: prepared, load: load, settings: settings, host: host)
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
    /// Whether the load must be repeated, because the URL of another load with the same key has failed. This load then
    /// fetches its own URL, or joins the next load that does.
    func mustRetry(after error: WebImageError) -> Bool {
        guard sharesKey, let fetched = error.fetched?.url else { return false }
        return fetched != url && !error.isCancellation && !Task.isCancelled
    }

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
    var originalLookup: (cache: RegisteredCache, type: ImageCacheType) {
        if options.contains(.fromLoaderOnly) || originalKey == nil { return (originalCache, .none) }
        return isVariant ? (originalCache, originalQueryType) : (cache, queryType)
    }

    /// Decodes the entry of the variant.
    var variantDecoder: EntryDecoder { EntryDecoder(key: keys.variant, decoding: decoding, options: options) }

    /// Decodes the entry of the original at the size that this load requests.
    var originalDecoder: EntryDecoder { EntryDecoder(key: keys.original, decoding: decoding, options: options) }
}

/// The identity of the fetch of an original. Loads with equal identities share one fetch.
struct OriginalIdentity: Hashable, Sendable {
    /// Nil if loads of all URLs with the same key share the fetch.
    let url: URL?
    let sharing: LoadIdentity?
    let unshared: UInt64?
    let key: EntryKey?
    let cache: RoleIdentity
    let loader: RoleIdentity
    let options: WebImageOptions
    let queryType: ImageCacheType
    let isRefreshing: Bool
    let cachedVersion: ContentDigest?
    /// Whether the loader must not be used, because the URL has failed. A load with `.retryFailed` may use the loader.
    let isRefused: Bool
    var streams: Bool
    /// The manager whose delegate decides about the download and the image; nil without a delegate. Managers without a
    /// delegate can share work.
    let delegateOwner: ObjectIdentifier?
    /// The decoding parameters, if a custom cache or loader returns decoded images; otherwise nil.
    let decoding: DecodingOptions?
}

/// The identity of a decoded image. Loads with equal identities share one decode.
struct DecodedIdentity: Hashable, Sendable {
    let original: HashedKey<OriginalIdentity>
    let decoding: DecodingOptions
    let coder: RoleIdentity
    let animatedClass: ObjectIdentifier?
    let options: WebImageOptions
}

/// The identity of the image that the first steps of a transformer produce. Loads with equal identities share this
/// image.
struct TransformIdentity: Hashable, Sendable {
    let decoded: HashedKey<DecodedIdentity>
    let transformerKeys: [String]
    let preservesMetadata: Bool
    let options: WebImageOptions
}

/// The identity of a finished image. Loads with equal identities share this image and the work for it.
struct VariantIdentity: Hashable, Sendable {
    let decoded: HashedKey<DecodedIdentity>
    let key: EntryKey?
    let transformerKey: String?
    let cache: RoleIdentity
    let originalCache: RoleIdentity
    /// The serializer, which returns the bytes to store. Loads with different serializers do not share the result.
    let serializer: RoleIdentity?
    let encoding: ForeignCoderOptions
    let types: [ImageCacheType]
    /// Whether the context of the load contains `.storeCacheType`. If true, a thumbnail is written to disk even if its
    /// original is on disk. Loads that differ in this value store different entries.
    let namesStoreType: Bool
    let options: WebImageOptions
}

extension LoadPlan {
    /// Options that change which bytes are fetched, or whether any bytes are fetched.
    private static let originalOptions: WebImageOptions = [
        .refreshCached, .handleCookies, .allowInvalidSSLCertificates, .fromCacheOnly, .fromLoaderOnly,
    ]
    // This set includes `.progressiveLoad`, because the shared task decodes the partial images. A load with partial
    // images and a load without partial images therefore use different tasks.
    private static let decodingOptions: WebImageOptions = [
        .preloadAllFrames, .matchAnimatedImageClass, .progressiveLoad,
    ]
    private static let transformOptions: WebImageOptions = [.transformAnimatedImage, .transformVectorImage]
    private static let variantOptions: WebImageOptions = [.waitStoreCache, .queryMemoryData]

    var originalIdentity: OriginalIdentity {
        let lookup = originalLookup
        let isLayered = lookup.cache.layers != nil
        return OriginalIdentity(
            url: sharesKey ? nil : url, sharing: sharing, unshared: unshared, key: keys.original,
            cache: RoleIdentity(lookup.cache.role), loader: RoleIdentity(loader.role),
            options: options.intersection(Self.originalOptions),
            queryType: isLayered ? (lookup.type.includesDisk ? .disk : .none) : lookup.type,
            isRefreshing: isRefreshing, cachedVersion: cachedVersion, isRefused: refusal != nil, streams: streams,
            delegateOwner: host.hasDelegate ? ObjectIdentifier(host) : nil,
            decoding: isLayered && sharing != nil ? nil : decoding.options)
    }

    private var decodedIdentity: DecodedIdentity {
        DecodedIdentity(
            original: HashedKey(originalIdentity), decoding: decoding.options, coder: RoleIdentity(decoding.coder),
            animatedClass: decoding.animatedClass.map { ObjectIdentifier($0) },
            options: options.intersection(Self.decodingOptions))
    }

    /// - Parameter decoded: The identity of the decoded image, from ``variantIdentity``.
    func transformIdentity(
        _ steps: ArraySlice<any ImageTransformer>, of decoded: HashedKey<DecodedIdentity>
    ) -> TransformIdentity {
        TransformIdentity(
            decoded: decoded, transformerKeys: steps.map(\.transformerKey),
            preservesMetadata: transformer?.preserveImageMetadata ?? true,
            options: options.intersection(Self.transformOptions))
    }

    /// The identity of the finished image. It contains the identities of the other shared tasks of the load.
    var variantIdentity: VariantIdentity {
        VariantIdentity(
            decoded: HashedKey(decodedIdentity), key: keys.variant, transformerKey: transformer?.transformerKey,
            cache: RoleIdentity(cache.role), originalCache: RoleIdentity(originalCache.role),
            serializer: serializer.map { RoleIdentity($0) },
            encoding: encoding,
            types: [queryType, storeType, originalStoreType],
            namesStoreType: namesStoreType,
            options: options.intersection(Self.variantOptions.union(Self.transformOptions)))
    }
}
