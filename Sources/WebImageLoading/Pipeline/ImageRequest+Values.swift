public import Foundation
public import WebImageCore

// Each property corresponds to one context key. `ImageRequestTests` compares the properties with the keys.

// The image.
extension ImageRequest {
    /// The box, in pixels, into which the image is decoded. The size is part of the cache key. Nil, the default, means
    /// full size.
    public var size: CGSize? {
        get { get(.imageThumbnailPixelSize) }
        set { set(.imageThumbnailPixelSize, newValue) }
    }

    /// Whether the image keeps its aspect ratio when it is decoded into the box ``size``. If false, the image is
    /// stretched to the box. Default true.
    public var preservesAspectRatio: Bool? {
        get { get(.imagePreserveAspectRatio) }
        set { set(.imagePreserveAspectRatio, newValue) }
    }

    /// Pixels per point, at least 1. Nil, the default, derives the scale from `@2x` or `@3x` in the cache key.
    public var scale: Double? {
        get { values.scaleFactor }
        set { set(.imageScaleFactor, newValue) }
    }

    /// The maximum size of the decoded image, in bytes. A larger image is scaled down. The limit is not part of the
    /// cache key. Nil, the default, means no limit, unless ``options`` contains `.scaleDownLargeImages`.
    public var scaleDownLimitBytes: Int? {
        get { values.scaleDownLimitBytes }
        set { set(.imageScaleDownLimitBytes, newValue) }
    }

    /// Whether an image with more than 8 bits per channel keeps this depth when it is decoded. Default false.
    public var keepsHighDynamicRange: Bool? {
        get { values.decodesToHDR }
        set { set(.imageDecodeToHDR, newValue.map { $0 ? 1 : 0 }) }
    }

    /// The class for animated images. The decode tries this class before the registered coders.
    public var animatedImageClass: (any AnimatedImageProtocol.Type)? {
        get { get(.animatedImageClass) }
        set { set(.animatedImageClass, newValue) }
    }

    /// The coder that decodes the image. The load does not check whether this coder supports the format. Nil, the
    /// default, uses the registered coders.
    public var coder: (any ImageCoder)? {
        get { get(.imageCoder) }
        set { set(.imageCoder, newValue) }
    }

    /// Additional options for the coder that decodes the image.
    public var decodeOptions: ImageCoderOptions? {
        get { get(.imageDecodeOptions) }
        set { set(.imageDecodeOptions, newValue) }
    }

    /// Options for the coder that encodes the image for a cache.
    public var encodeOptions: ImageCoderOptions? {
        get { get(.imageEncodeOptions) }
        set { set(.imageEncodeOptions, newValue) }
    }

    /// This property has no effect, because images are always fully decoded before delivery. It exists for
    /// compatibility with SDWebImage.
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
    /// The cache layers in which the image is looked up. Default: all layers; for a local file or a `data:` URL, only
    /// memory.
    public var queryCache: ImageCacheType? {
        get { values.cacheType(.queryCacheType) }
        set { set(.queryCacheType, newValue) }
    }

    /// The cache layers in which the image is stored. Default: all layers; for a local file or a `data:` URL, only
    /// memory.
    public var storeCache: ImageCacheType? {
        get { values.cacheType(.storeCacheType) }
        set { set(.storeCacheType, newValue) }
    }

    /// The cache layers in which a load of a variant looks up the full-size original. Default: disk; for a local file
    /// or a `data:` URL, no layer.
    public var originalQueryCache: ImageCacheType? {
        get { values.cacheType(.originalQueryCacheType) }
        set { set(.originalQueryCacheType, newValue) }
    }

    /// The cache layers in which the full-size original is stored. Default: disk; for a local file or a `data:` URL, no
    /// layer.
    public var originalStoreCache: ImageCacheType? {
        get { values.cacheType(.originalStoreCacheType) }
        set { set(.originalStoreCacheType, newValue) }
    }

    /// The cache for this load. Nil, the default, uses the manager's cache.
    public var cache: (any ImageCaching)? {
        get { get(.imageCache) }
        set { set(.imageCache, newValue) }
    }

    /// The cache for originals. Nil, the default, uses the cache that the load uses for its image.
    public var originalCache: (any ImageCaching)? {
        get { get(.originalImageCache) }
        set { set(.originalImageCache, newValue) }
    }

    /// The filter that derives the cache key from the URL. Nil, the default, uses the manager's filter.
    public var cacheKeyFilter: (any WebImageCacheKeyFilterProtocol)? {
        get { get(.cacheKeyFilter) }
        set { set(.cacheKeyFilter, newValue) }
    }

    /// The serializer that chooses the bytes to store on disk. Nil, the default, uses the manager's serializer.
    public var cacheSerializer: (any WebImageCacheSerializerProtocol)? {
        get { get(.cacheSerializer) }
        set { set(.cacheSerializer, newValue) }
    }

    /// The scope of the load's cache entries. Loads with different scopes use different entries. Nil, the default,
    /// derives the scope from the credentials that the load sends.
    public var cacheScope: String? {
        get { get(.cacheScope) }
        set { set(.cacheScope, newValue) }
    }
}

// Loading.
extension ImageRequest {
    /// The loader for this load. Nil, the default, uses the manager's loader.
    public var loader: (any ImageLoader)? {
        get { get(.imageLoader) }
        set { set(.imageLoader, newValue) }
    }

    /// The modifier that changes the HTTP request. Nil, the default, uses the downloader's modifier.
    public var requestModifier: (any WebImageDownloaderRequestModifierProtocol)? {
        get { get(.downloadRequestModifier) }
        set { set(.downloadRequestModifier, newValue) }
    }

    /// The modifier that changes the head of the response. Nil, the default, uses the downloader's modifier.
    public var responseModifier: (any WebImageDownloaderResponseModifierProtocol)? {
        get { get(.downloadResponseModifier) }
        set { set(.downloadResponseModifier, newValue) }
    }

    /// The decryptor that converts the fetched bytes into the bytes of the image. Nil, the default, uses the
    /// downloader's decryptor.
    public var decryptor: (any WebImageDownloaderDecryptorProtocol)? {
        get { get(.downloadDecryptor) }
        set { set(.downloadDecryptor, newValue) }
    }

    /// Further URLs of the image. If ``url`` fails, the load tries these URLs in order.
    public var alternativeURLs: [URL]? {
        get { get(.alternativeSources) }
        set { set(.alternativeSources, newValue) }
    }

    /// The URL of a smaller image. The load tries this URL before ``url`` while ``ImageLoadersManager/prefersLowData``
    /// is true.
    public var lowDataURL: URL? {
        get { get(.lowDataSource) }
        set { set(.lowDataSource, newValue) }
    }

    /// For a refresh, the cached image that the load has already delivered. The manager sets this property before it
    /// calls the loader.
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
    /// The transformers to apply after the decode, in this order. They are part of the cache key. Nil, the default,
    /// uses the manager's transformer. An empty list uses no transformer.
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
        /// The decoder receives no hint. The file extension of the URL is not used as a hint either.
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
