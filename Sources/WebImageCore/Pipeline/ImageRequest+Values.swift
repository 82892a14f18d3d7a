public import Foundation

// Each property corresponds to one context key. `ImageRequestTests` compares the properties with the keys.

// The image.
extension ImageRequest {
    /// The box in pixels that the image is decoded into; part of the cache key. Nil, the default, is full size.
    public var size: CGSize? {
        get { get(.imageThumbnailPixelSize) }
        set { set(.imageThumbnailPixelSize, newValue) }
    }

    /// Whether the image keeps its aspect ratio in the box (default) or is stretched to the box.
    public var preservesAspectRatio: Bool? {
        get { get(.imagePreserveAspectRatio) }
        set { set(.imagePreserveAspectRatio, newValue) }
    }

    /// Pixels per point, at least 1. Nil, the default, derives it from the key (`@2x`, `@3x`).
    public var scale: Double? {
        get { values.scaleFactor }
        set { set(.imageScaleFactor, newValue) }
    }

    /// The maximum size of the decoded image in bytes; a larger image is scaled down. Not part of the cache key. Nil,
    /// the default, means no limit.
    public var scaleDownLimitBytes: Int? {
        get { values.scaleDownLimitBytes }
        set { set(.imageScaleDownLimitBytes, newValue) }
    }

    /// Whether images with more than 8 bits per channel keep them. Default false.
    public var keepsHighDynamicRange: Bool? {
        get { values.decodesToHDR }
        set { set(.imageDecodeToHDR, newValue.map { $0 ? 1 : 0 }) }
    }

    /// The class for animated images. Decoding tries it first.
    public var animatedImageClass: (any AnimatedImageProtocol.Type)? {
        get { get(.animatedImageClass) }
        set { set(.animatedImageClass, newValue) }
    }

    /// The coder to use, without a check that it supports the format. Nil, the default, uses the registered coders.
    public var coder: (any ImageCoder)? {
        get { get(.imageCoder) }
        set { set(.imageCoder, newValue) }
    }

    /// Further options for the decoder.
    public var decodeOptions: ImageCoderOptions? {
        get { get(.imageDecodeOptions) }
        set { set(.imageDecodeOptions, newValue) }
    }

    /// Options for images that the cache encodes.
    public var encodeOptions: ImageCoderOptions? {
        get { get(.imageEncodeOptions) }
        set { set(.imageEncodeOptions, newValue) }
    }

    /// Has no effect, because images are always fully decoded before delivery. Exists for compatibility with
    /// SDWebImage.
    public var forceDecodePolicy: ImageForceDecodePolicy? {
        get { get(.imageForceDecodePolicy) }
        set { set(.imageForceDecodePolicy, newValue) }
    }

    /// The decoding limits. Default ``DecodingLimits/default``.
    public var limits: DecodingLimits? {
        get { get(.decodingLimits) }
        set { set(.decodingLimits, newValue) }
    }
}

// Caching.
extension ImageRequest {
    /// The cache layers in which the image is looked up. Default all.
    public var queryCache: ImageCacheType? {
        get { values.cacheType(.queryCacheType) }
        set { set(.queryCacheType, newValue) }
    }

    /// The cache layers in which the image is stored. Default all.
    public var storeCache: ImageCacheType? {
        get { values.cacheType(.storeCacheType) }
        set { set(.storeCacheType, newValue) }
    }

    /// The cache layers in which the full-size original of a variant is looked up. Default disk.
    public var originalQueryCache: ImageCacheType? {
        get { values.cacheType(.originalQueryCacheType) }
        set { set(.originalQueryCacheType, newValue) }
    }

    /// The cache layers in which the full-size original is stored. Default disk.
    public var originalStoreCache: ImageCacheType? {
        get { values.cacheType(.originalStoreCacheType) }
        set { set(.originalStoreCacheType, newValue) }
    }

    /// Replaces the manager's cache.
    public var cache: (any ImageCaching)? {
        get { get(.imageCache) }
        set { set(.imageCache, newValue) }
    }

    /// The cache for originals. The default is the cache of the load.
    public var originalCache: (any ImageCaching)? {
        get { get(.originalImageCache) }
        set { set(.originalImageCache, newValue) }
    }

    /// Replaces the manager's filter, which derives the cache key of the URL.
    public var cacheKeyFilter: (any WebImageCacheKeyFilterProtocol)? {
        get { get(.cacheKeyFilter) }
        set { set(.cacheKeyFilter, newValue) }
    }

    /// Replaces the manager's serializer, which chooses the bytes stored on disk.
    public var cacheSerializer: (any WebImageCacheSerializerProtocol)? {
        get { get(.cacheSerializer) }
        set { set(.cacheSerializer, newValue) }
    }

    /// The scope of the load's cache entries; loads with equal strings share them. Nil, the default, derives the scope
    /// from the credentials sent.
    public var cacheScope: String? {
        get { get(.cacheScope) }
        set { set(.cacheScope, newValue) }
    }
}

// Loading.
extension ImageRequest {
    /// Replaces the manager's loader.
    public var loader: (any ImageLoader)? {
        get { get(.imageLoader) }
        set { set(.imageLoader, newValue) }
    }

    /// Replaces the downloader's modifier of the HTTP request.
    public var requestModifier: (any WebImageDownloaderRequestModifierProtocol)? {
        get { get(.downloadRequestModifier) }
        set { set(.downloadRequestModifier, newValue) }
    }

    /// Replaces the downloader's modifier of the response head.
    public var responseModifier: (any WebImageDownloaderResponseModifierProtocol)? {
        get { get(.downloadResponseModifier) }
        set { set(.downloadResponseModifier, newValue) }
    }

    /// Replaces the downloader's decryptor, which converts the fetched bytes into the bytes of the image.
    public var decryptor: (any WebImageDownloaderDecryptorProtocol)? {
        get { get(.downloadDecryptor) }
        set { set(.downloadDecryptor, newValue) }
    }

    /// Further URLs of the image, tried in order when its own URL fails.
    public var alternativeURLs: [URL]? {
        get { get(.alternativeSources) }
        set { set(.alternativeSources, newValue) }
    }

    /// The URL of a smaller image, tried first while ``ImageLoadersManager/prefersLowData`` is set.
    public var lowDataURL: URL? {
        get { get(.lowDataSource) }
        set { set(.lowDataSource, newValue) }
    }

    /// The cached image that a loader refreshes. The manager sets this property.
    public var cachedImage: Image? {
        get { get(.loaderCachedImage) }
        set { set(.loaderCachedImage, newValue) }
    }

    /// The queue on which completions run. Default the main queue.
    public var callbackQueue: CallbackQueue? {
        get { get(.callbackQueue) }
        set { set(.callbackQueue, newValue) }
    }

    /// Identifies one of several concurrent loads of one view. Used only by views.
    public var operationKey: String? {
        get { get(.setImageOperationKey) }
        set { set(.setImageOperationKey, newValue) }
    }
}

// Properties whose context values can have several types.
extension ImageRequest {
    /// The transformers, applied in this order after the decode; part of the cache key. Nil, the default, uses the
    /// manager's transformer; an empty list uses none.
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

    /// A hint to the decoder about the type of the content.
    public enum TypeHint: Sendable, Hashable {
        /// No hint. The URL's file extension is ignored too.
        case refused
        /// A uniform type identifier, for custom coders.
        case identifier(String)
    }

    /// The type hint for the decoder. Nil, the default, uses the URL's file extension.
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
