public import Foundation

// Each property is one context key: `ImageRequestTests` compares the list with the keys.

// The picture.
extension ImageRequest {
    /// The box in pixels that the picture is decoded into; part of the cache key. Nil, the default, is full size.
    public var size: CGSize? {
        get { get(.imageThumbnailPixelSize) }
        set { set(.imageThumbnailPixelSize, newValue) }
    }

    /// Whether the picture fits into its box (default) or is stretched over it.
    public var preservesAspectRatio: Bool? {
        get { get(.imagePreserveAspectRatio) }
        set { set(.imagePreserveAspectRatio, newValue) }
    }

    /// Pixels per point, at least 1. Nil, the default, takes it from the key (`@2x`, `@3x`).
    public var scale: Double? {
        get { values.scaleFactor }
        set { set(.imageScaleFactor, newValue) }
    }

    /// Bytes that the decoded picture may take; not part of the cache key. Nil, the default, is no bound.
    public var scaleDownLimitBytes: Int? {
        get { values.scaleDownLimitBytes }
        set { set(.imageScaleDownLimitBytes, newValue) }
    }

    /// Whether more than eight bits a channel are kept. Default false.
    public var keepsHighDynamicRange: Bool? {
        get { values.decodesToHDR }
        set { set(.imageDecodeToHDR, newValue.map { $0 ? 1 : 0 }) }
    }

    /// The class of animated images, tried first when decoding.
    public var animatedImageClass: (any AnimatedImageProtocol.Type)? {
        get { get(.animatedImageClass) }
        set { set(.animatedImageClass, newValue) }
    }

    /// Decodes and encodes without being asked whether it can; nil asks the registered coders.
    public var coder: (any ImageCoder)? {
        get { get(.imageCoder) }
        set { set(.imageCoder, newValue) }
    }

    /// Further options for the decoder.
    public var decodeOptions: ImageCoderOptions? {
        get { get(.imageDecodeOptions) }
        set { set(.imageDecodeOptions, newValue) }
    }

    /// How the cache encodes when it must.
    public var encodeOptions: ImageCoderOptions? {
        get { get(.imageEncodeOptions) }
        set { set(.imageEncodeOptions, newValue) }
    }

    /// Without effect: pictures are decoded ready for display.
    public var forceDecodePolicy: ImageForceDecodePolicy? {
        get { get(.imageForceDecodePolicy) }
        set { set(.imageForceDecodePolicy, newValue) }
    }

    /// What the picture may cost at most. Default ``DecodingLimits/default``.
    public var limits: DecodingLimits? {
        get { get(.decodingLimits) }
        set { set(.decodingLimits, newValue) }
    }
}

// Caching.
extension ImageRequest {
    /// The layers where the image is looked up. Default all.
    public var queryCache: ImageCacheType? {
        get { values.cacheType(.queryCacheType) }
        set { set(.queryCacheType, newValue) }
    }

    /// The layers where the image is stored. Default all.
    public var storeCache: ImageCacheType? {
        get { values.cacheType(.storeCacheType) }
        set { set(.storeCacheType, newValue) }
    }

    /// The layers where the full-size original of a variant is looked up. Default disk.
    public var originalQueryCache: ImageCacheType? {
        get { values.cacheType(.originalQueryCacheType) }
        set { set(.originalQueryCacheType, newValue) }
    }

    /// The layers where the full-size original is stored. Default disk.
    public var originalStoreCache: ImageCacheType? {
        get { values.cacheType(.originalStoreCacheType) }
        set { set(.originalStoreCacheType, newValue) }
    }

    /// The cache instead of the manager's.
    public var cache: (any ImageCaching)? {
        get { get(.imageCache) }
        set { set(.imageCache, newValue) }
    }

    /// The cache of originals. Default the load's cache.
    public var originalCache: (any ImageCaching)? {
        get { get(.originalImageCache) }
        set { set(.originalImageCache, newValue) }
    }

    /// Derives the cache key of the URL instead of the manager's filter.
    public var cacheKeyFilter: (any WebImageCacheKeyFilterProtocol)? {
        get { get(.cacheKeyFilter) }
        set { set(.cacheKeyFilter, newValue) }
    }

    /// Chooses the bytes that go to disk instead of the manager's serializer.
    public var cacheSerializer: (any WebImageCacheSerializerProtocol)? {
        get { get(.cacheSerializer) }
        set { set(.cacheSerializer, newValue) }
    }

    /// Who may find what is cached for this load; loads with equal texts share. Nil, the default, is derived from the
    /// credentials sent.
    public var cacheScope: String? {
        get { get(.cacheScope) }
        set { set(.cacheScope, newValue) }
    }
}

// Loading.
extension ImageRequest {
    /// The loader instead of the manager's.
    public var loader: (any ImageLoader)? {
        get { get(.imageLoader) }
        set { set(.imageLoader, newValue) }
    }

    /// Changes the HTTP request instead of the downloader's modifier.
    public var requestModifier: (any WebImageDownloaderRequestModifierProtocol)? {
        get { get(.downloadRequestModifier) }
        set { set(.downloadRequestModifier, newValue) }
    }

    /// Changes the head of the answer instead of the downloader's modifier.
    public var responseModifier: (any WebImageDownloaderResponseModifierProtocol)? {
        get { get(.downloadResponseModifier) }
        set { set(.downloadResponseModifier, newValue) }
    }

    /// Turns the fetched bytes into those of the picture instead of the downloader's decryptor.
    public var decryptor: (any WebImageDownloaderDecryptorProtocol)? {
        get { get(.downloadDecryptor) }
        set { set(.downloadDecryptor, newValue) }
    }

    /// Where else the picture is, tried in order when its own URL fails.
    public var alternativeURLs: [URL]? {
        get { get(.alternativeSources) }
        set { set(.alternativeSources, newValue) }
    }

    /// A smaller stand-in, tried first while ``ImageLoadersManager/prefersLowData`` is set.
    public var lowDataURL: URL? {
        get { get(.lowDataSource) }
        set { set(.lowDataSource, newValue) }
    }

    /// Set by the manager for a loader that refreshes what is cached.
    public var cachedImage: Image? {
        get { get(.loaderCachedImage) }
        set { set(.loaderCachedImage, newValue) }
    }

    /// Where completions run. Default the main queue.
    public var callbackQueue: CallbackQueue? {
        get { get(.callbackQueue) }
        set { set(.callbackQueue, newValue) }
    }

    /// Which load of a view this is; views only.
    public var operationKey: String? {
        get { get(.setImageOperationKey) }
        set { set(.setImageOperationKey, newValue) }
    }
}

// Values of more than one form.
extension ImageRequest {
    /// Applied in this order after the decode; part of the cache key. Nil, the default, applies the manager's own
    /// transformer, an empty list none.
    public var transformers: [any ImageTransformer]? {
        get { values.transformerList }
        set {
            guard let newValue else { return set(.imageTransformer, nil) }
            switch newValue.count {
            case 0: set(.imageTransformer, NSNull())
            case 1: set(.imageTransformer, newValue[0])
            default: set(.imageTransformer, ImagePipelineTransformer(transformers: newValue))
            }
        }
    }

    /// What the decoder is told about the type of the content.
    public enum TypeHint: Sendable, Hashable {
        /// No hint, not even the file's extension.
        case refused
        /// A uniform type identifier, for coders of yours.
        case identifier(String)
    }

    /// What the decoder is told about the type. Nil, the default, is the URL's file extension.
    public var typeHint: TypeHint? {
        get {
            switch values.typeHint {
            case nil: nil
            case .refused: .refused
            case .identifier(let identifier): .identifier(identifier)
            }
        }
        set {
            switch newValue {
            case nil: set(.imageTypeIdentifierHint, nil)
            case .refused: set(.imageTypeIdentifierHint, NSNull())
            case .identifier(let identifier): set(.imageTypeIdentifierHint, identifier)
            }
        }
    }
}
