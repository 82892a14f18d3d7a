import WebImageCore

extension RequestFields {
    /// The values that say which entries a load reads and writes, and in which caches.
    package struct Caching: Equatable {
        package var queryCache: ImageCacheType?
        package var storeCache: ImageCacheType?
        package var originalQueryCache: ImageCacheType?
        package var originalStoreCache: ImageCacheType?
        @Compared package var cache: (any ImageCaching)?
        @Compared package var originalCache: (any ImageCaching)?
        @Compared package var cacheKeyFilter: (any WebImageCacheKeyFilterProtocol)?
        @Compared package var cacheSerializer: (any WebImageCacheSerializerProtocol)?
        package var cacheScope: CacheScope?
        package var expiration: Duration?
        /// The entry that a cache looks up or stores. The manager passes it to its caches.
        @Compared package var entryIdentity: EntryIdentity?

        /// The context keys of these values.
        static let keys: [WebImageContextOption: RequestField] = [
            .queryCacheType: .cacheType(\.caching.queryCache),
            .storeCacheType: .cacheType(\.caching.storeCache),
            .originalQueryCacheType: .cacheType(\.caching.originalQueryCache),
            .originalStoreCacheType: .cacheType(\.caching.originalStoreCache),
            .imageCache: .value(\.caching._cache.wrappedValue),
            .originalImageCache: .value(\.caching._originalCache.wrappedValue),
            .cacheKeyFilter: .value(\.caching._cacheKeyFilter.wrappedValue),
            .cacheSerializer: .value(\.caching._cacheSerializer.wrappedValue),
            .cacheScope: .converted(\.caching.cacheScope, to: { $0.contextValue }) { context, key in
                if let scope = context[key] as? CacheScope { return scope }
                return context.read(key, as: String.self).map { .scoped($0) }
            },
            .cacheExpiration: .value(\.caching.expiration),
            .entryIdentity: .value(\.caching._entryIdentity.wrappedValue),
        ]
    }
}

extension WebImageContextOption {
    /// ``ImageCacheType``: the cache layers in which the image is looked up. The default is all layers.
    public static let queryCacheType = WebImageContextOption(rawValue: "queryCacheType")
    /// ``ImageCacheType``: the cache layers in which the image is stored. The default is all layers.
    public static let storeCacheType = WebImageContextOption(rawValue: "storeCacheType")
    /// ``ImageCacheType``: the cache layers in which the full-size original of a variant is looked up. The default is
    /// the disk layer.
    public static let originalQueryCacheType = WebImageContextOption(rawValue: "originalQueryCacheType")
    /// ``ImageCacheType``: the cache layers in which the full-size original is stored. The default is the disk layer.
    public static let originalStoreCacheType = WebImageContextOption(rawValue: "originalStoreCacheType")
    /// ``ImageCaching``: the cache to use instead of the manager's cache.
    public static let imageCache = WebImageContextOption(rawValue: "imageCache")
    /// ``ImageCaching``: the cache for originals. The default is the cache of the load.
    public static let originalImageCache = WebImageContextOption(rawValue: "originalImageCache")
    /// ``WebImageCacheKeyFilterProtocol``: replaces the manager's cache key filter.
    public static let cacheKeyFilter = WebImageContextOption(rawValue: "cacheKeyFilter")
    /// ``WebImageCacheSerializerProtocol``: replaces the manager's cache serializer.
    public static let cacheSerializer = WebImageContextOption(rawValue: "cacheSerializer")
    /// `String` or ``CacheScope``: the scope of the load's cache entries. Only loads with the same scope find these
    /// entries. A text is the name of a scope.
    public static let cacheScope = WebImageContextOption(rawValue: "cacheScope")
    /// `Duration`: the time after which the entries that the load writes to disk expire. By default, only the cache's
    /// maximum age applies.
    public static let cacheExpiration = WebImageContextOption(rawValue: "cacheExpiration")
}

extension CacheScope {
    /// The name of a scope, or a scope without a name.
    fileprivate var contextValue: Any { if case .scoped(let name) = self { name as Any } else { self as Any } }
}

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
