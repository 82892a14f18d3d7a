public import Foundation
public import WebImageCore

// Each property is a value of `RequestFields`, which names its context key. `ImageRequestTests` compares the properties with
// the keys.

// The image.
extension ImageRequest {
    /// The box, in pixels, into which the image is decoded. The size is part of the cache key. Nil, the default, means
    /// full size.
    public var size: CGSize? {
        get { values.size }
        set { values.size = newValue }
    }

    /// Whether the image keeps its aspect ratio when it is decoded into the box ``size``. If false, the image is
    /// stretched to the box. Default true.
    public var preservesAspectRatio: Bool? {
        get { values.preservesAspectRatio }
        set { values.preservesAspectRatio = newValue }
    }

    /// Pixels per point, at least 1. Nil, the default, derives the scale from `@2x` or `@3x` in the cache key.
    public var scale: Double? {
        get { values.scale }
        set { values.scale = newValue }
    }

    /// The maximum size of the decoded image, in bytes. A larger image is scaled down. The limit is not part of the
    /// cache key. Nil, the default, means no limit, unless ``options`` contains `.scaleDownLargeImages`.
    public var scaleDownLimitBytes: Int? {
        get { values.scaleDownLimitBytes }
        set { values.scaleDownLimitBytes = newValue }
    }

    /// Whether an image with more than 8 bits per channel keeps this depth when it is decoded. Default false.
    public var keepsHighDynamicRange: Bool? {
        get { values.keepsHighDynamicRange }
        set { values.keepsHighDynamicRange = newValue }
    }

    /// The class for animated images. The decode tries this class before the registered coders.
    public var animatedImageClass: (any AnimatedImageProtocol.Type)? {
        get { values.animatedImageClass }
        set { values.animatedImageClass = newValue }
    }

    /// The coder that decodes the image. The load does not check whether this coder supports the format. Nil, the
    /// default, uses the registered coders.
    public var coder: (any ImageCoder)? {
        get { values.coder }
        set { values.coder = newValue }
    }

    /// Additional options for the coder that decodes the image.
    public var decodeOptions: ImageCoderOptions? {
        get { values.decodeOptions }
        set { values.decodeOptions = newValue }
    }

    /// Options for the coder that encodes the image for a cache.
    public var encodeOptions: ImageCoderOptions? {
        get { values.encodeOptions }
        set { values.encodeOptions = newValue }
    }

    /// The decoding limits. Default ``DecodingLimits/default``.
    public var limits: DecodingLimits? {
        get { values.limits }
        set { values.limits = newValue }
    }
}

// Where a load reads and writes.
extension ImageRequest {
    /// Places from which an image can be read, or to which it can be written.
    public struct Places: OptionSet, Sendable, Hashable {
        /// The bits of the set.
        public let rawValue: Int
        /// Creates a set from bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The images in memory.
        public static let memory = Places(rawValue: 1)
        /// The entries on disk.
        public static let disk = Places(rawValue: 2)
        /// The loader, which fetches the image.
        public static let network = Places(rawValue: 4)
        /// Every place.
        public static let all: Places = [.memory, .disk, .network]

        fileprivate init(_ type: ImageCacheType) {
            self = []
            if type.includesMemory { insert(.memory) }
            if type.includesDisk { insert(.disk) }
        }

        fileprivate var cacheType: ImageCacheType {
            if contains(.disk) { return contains(.memory) ? .all : .disk }
            return contains(.memory) ? .memory : .none
        }
    }

    /// The places from which the load may read its image. Default ``Places/all``. Without ``Places/network``, a miss ends
    /// with `.notCached`.
    ///
    /// This property sets ``queryCache``, ``originalQueryCache`` and the options `.fromCacheOnly` and `.fromLoaderOnly`.
    public var reading: Places {
        get {
            if options.contains(.fromLoaderOnly) { return .network }
            let caches = Places(queryCache ?? .all)
            return options.contains(.fromCacheOnly) ? caches : caches.union(.network)
        }
        set {
            options.remove([.fromCacheOnly, .fromLoaderOnly])
            if !newValue.contains(.network) { options.insert(.fromCacheOnly) }
            let caches = newValue.cacheType
            // Nil keeps the default of local files, which are not read from the disk cache.
            queryCache = caches == .all ? nil : caches
            originalQueryCache = caches == .all ? nil : caches.includesDisk ? .disk : ImageCacheType.none
        }
    }

    /// The places to which the load writes: ``Places/memory`` and ``Places/disk``, the default, or one or none of them.
    ///
    /// This property sets ``storeCache`` and ``originalStoreCache``.
    public var writing: Places {
        get { Places(storeCache ?? .all) }
        set {
            let caches = newValue.cacheType
            storeCache = caches == .all ? nil : caches
            originalStoreCache = caches == .all ? nil : caches.includesDisk ? .disk : ImageCacheType.none
        }
    }

    /// The time after which the entries that the load writes to disk expire. Nil, the default, means that only the
    /// cache's maximum age applies. Zero or less expires at once. Images in memory do not expire.
    public var expiration: Duration? {
        get { values.expiration }
        set { values.expiration = newValue }
    }
}

// Caching.
extension ImageRequest {
    /// The cache layers in which the image is looked up. Default: all layers; for a local file or a `data:` URL, only
    /// memory.
    public var queryCache: ImageCacheType? {
        get { values.queryCache }
        set { values.queryCache = newValue }
    }

    /// The cache layers in which the image is stored. Default: all layers; for a local file or a `data:` URL, only
    /// memory.
    public var storeCache: ImageCacheType? {
        get { values.storeCache }
        set { values.storeCache = newValue }
    }

    /// The cache layers in which a load of a variant looks up the full-size original. Default: disk; for a local file
    /// or a `data:` URL, no layer.
    public var originalQueryCache: ImageCacheType? {
        get { values.originalQueryCache }
        set { values.originalQueryCache = newValue }
    }

    /// The cache layers in which the full-size original is stored. Default: disk; for a local file or a `data:` URL, no
    /// layer.
    public var originalStoreCache: ImageCacheType? {
        get { values.originalStoreCache }
        set { values.originalStoreCache = newValue }
    }

    /// The cache for this load. Nil, the default, uses the manager's cache.
    public var cache: (any ImageCaching)? {
        get { values.cache }
        set { values.cache = newValue }
    }

    /// The cache for originals. Nil, the default, uses the cache that the load uses for its image.
    public var originalCache: (any ImageCaching)? {
        get { values.originalCache }
        set { values.originalCache = newValue }
    }

    /// The filter that derives the cache key from the URL. Nil, the default, uses the manager's filter.
    public var cacheKeyFilter: (any WebImageCacheKeyFilterProtocol)? {
        get { values.cacheKeyFilter }
        set { values.cacheKeyFilter = newValue }
    }

    /// The serializer that chooses the bytes to store on disk. Nil, the default, uses the manager's serializer.
    public var cacheSerializer: (any WebImageCacheSerializerProtocol)? {
        get { values.cacheSerializer }
        set { values.cacheSerializer = newValue }
    }

    /// The name of the scope of the load's cache entries. Loads with different scopes use different entries. Nil, the
    /// default, derives the scope from the credentials that the load sends. Also nil if the context of the request has a
    /// ``CacheScope`` without a name.
    public var cacheScope: String? {
        get { if case .scoped(let name) = values.cacheScope { name } else { nil } }
        set { values.cacheScope = newValue.map { .scoped($0) } }
    }
}

// Loading.
extension ImageRequest {
    /// The loader for this load. Nil, the default, uses the manager's loader.
    public var loader: (any ImageLoader)? {
        get { values.loader }
        set { values.loader = newValue }
    }

    /// The modifier that changes the HTTP request. Nil, the default, uses the downloader's modifier.
    public var requestModifier: (any WebImageDownloaderRequestModifierProtocol)? {
        get { values.requestModifier }
        set { values.requestModifier = newValue }
    }

    /// The modifier that changes the head of the response. Nil, the default, uses the downloader's modifier.
    public var responseModifier: (any WebImageDownloaderResponseModifierProtocol)? {
        get { values.responseModifier }
        set { values.responseModifier = newValue }
    }

    /// The decryptor that converts the fetched bytes into the bytes of the image. Nil, the default, uses the
    /// downloader's decryptor.
    public var decryptor: (any WebImageDownloaderDecryptorProtocol)? {
        get { values.decryptor }
        set { values.decryptor = newValue }
    }

    /// Further URLs of the image. If ``url`` fails, the load tries these URLs in order.
    public var alternativeURLs: [URL]? {
        get { values.alternativeURLs }
        set { values.alternativeURLs = newValue }
    }

    /// The URL of a smaller image. The load tries this URL before ``url`` while ``ImageLoadersManager/prefersLowData``
    /// is true.
    public var lowDataURL: URL? {
        get { values.lowDataURL }
        set { values.lowDataURL = newValue }
    }

    /// For a refresh, the cached image that the load has already delivered. The manager sets this property before it
    /// calls the loader.
    public var cachedImage: Image? {
        get { values.cachedImage }
        set { values.cachedImage = newValue }
    }

    /// The queue on which completions run. Default the main queue.
    public var callbackQueue: CallbackQueue? {
        get { values.callbackQueue }
        set { values.callbackQueue = newValue }
    }

    /// Identifies one of several concurrent loads of one view. Used only by views.
    public var operationKey: String? {
        get { values.operationKey }
        set { values.operationKey = newValue }
    }
}

// Properties whose context values can have several types.
extension ImageRequest {
    /// The transformers to apply after the decode, in this order. They are part of the cache key. Nil, the default,
    /// uses the manager's transformer. An empty list uses no transformer.
    public var transformers: [any ImageTransformer]? {
        get {
            switch values.transformerChoice {
            case nil: nil
            case .some(.none): []
            case .some(.transformer(let transformer)):
                (transformer as? ImagePipelineTransformer)?.transformers ?? [transformer]
            }
        }
        set {
            guard let newValue else { return values.transformerChoice = nil }
            values.transformerChoice =
                switch newValue.count {
                case 0: .some(.none)
                case 1: .transformer(newValue[0])
                default: .transformer(ImagePipelineTransformer(transformers: newValue))
                }
        }
    }

    /// A hint to the decoder about the type of the content.
    public enum TypeHint: Sendable, Hashable {
        /// The decoder receives no hint. The file extension of the URL is not used as a hint either.
        case refused
        /// A uniform type identifier, for custom coders.
        case identifier(String)
    }

    /// The type hint for the decoder. Nil, the default, uses the URL's file extension.
    public var typeHint: TypeHint? {
        get { values.typeHint }
        set { values.typeHint = newValue }
    }
}
