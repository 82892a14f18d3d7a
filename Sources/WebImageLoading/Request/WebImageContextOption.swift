import WebImageCore

/// The key of one context value. The raw strings are the same as in SDWebImage.
public struct WebImageContextOption: RawRepresentable, Hashable, Sendable {
    /// The key's string.
    public let rawValue: String
    // The hash of the string, computed once. A memory hit reads its context about 12 times. To hash the string each
    // time would take 20 % of the time of a memory hit.
    package let digest: Int

    /// Creates the key of a context value. Custom loaders and coders can define their own keys.
    public init(rawValue: String) {
        self.rawValue = rawValue
        digest = rawValue.hashValue
    }

    /// Whether two keys have the same string.
    public static func == (left: Self, right: Self) -> Bool {
        left.digest == right.digest && left.rawValue == right.rawValue
    }

    /// Adds the stored hash of the key's string to a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(digest) }

    /// Returns the stored hash of the key's string, combined with the seed.
    ///
    /// Without this method, each access to a dictionary would hash the digest again. This would take 14 % of the time
    /// of a memory hit.
    public func _rawHashValue(seed: Int) -> Int { digest ^ seed }

    /// `String`: identifies one of several concurrent loads of one view. Used only by views.
    public static let setImageOperationKey = WebImageContextOption(rawValue: "setImageOperationKey")
    /// ``WebImageManager``: the manager that a view uses instead of the shared manager.
    public static let customManager = WebImageContextOption(rawValue: "customManager")
    /// ``CallbackQueue``: the queue on which completions run. The default is the main queue.
    public static let callbackQueue = WebImageContextOption(rawValue: "callbackQueue")
    /// ``ImageCaching``: the cache to use instead of the manager's cache.
    public static let imageCache = WebImageContextOption(rawValue: "imageCache")
    /// ``ImageLoader``: the loader to use instead of the manager's loader.
    public static let imageLoader = WebImageContextOption(rawValue: "imageLoader")
    /// ``ImageCoder``: the coder that decodes and encodes the image. The library does not check whether this coder
    /// supports the format.
    public static let imageCoder = WebImageContextOption(rawValue: "imageCoder")
    /// ``ImageTransformer`` or `NSNull`: replaces the manager's transformer. `NSNull` means no transformer.
    public static let imageTransformer = WebImageContextOption(rawValue: "imageTransformer")
    /// ``ImageCoderOptions``: decode options for the coder. The other context keys override these options.
    public static let imageDecodeOptions = WebImageContextOption(rawValue: "imageDecodeOptions")
    /// Number, at least 1: the scale of the image in pixels per point. By default, `@2x` or `@3x` in the cache key
    /// determines the scale.
    public static let imageScaleFactor = WebImageContextOption(rawValue: "imageScaleFactor")
    /// `Bool`: whether a thumbnail has the aspect ratio of the original. If false, the thumbnail is stretched to its
    /// box. The default is true.
    public static let imagePreserveAspectRatio = WebImageContextOption(rawValue: "imagePreserveAspectRatio")
    /// `CGSize` in pixels: the box into which the image is decoded as a thumbnail. The box is part of the cache key.
    public static let imageThumbnailPixelSize = WebImageContextOption(rawValue: "imageThumbnailPixelSize")
    /// `String` or `NSNull`: the uniform type identifier that custom coders receive as a hint. `NSNull` means no hint.
    public static let imageTypeIdentifierHint = WebImageContextOption(rawValue: "imageTypeIdentifierHint")
    /// Number: the maximum size of the decoded image in bytes. This limit is not part of the cache key.
    public static let imageScaleDownLimitBytes = WebImageContextOption(rawValue: "imageScaleDownLimitBytes")
    /// Number: whether decoding preserves more than 8 bits per channel (high dynamic range). 0 means no; every other
    /// value means yes.
    public static let imageDecodeToHDR = WebImageContextOption(rawValue: "imageDecodeToHDR")
    /// ``ImageCoderOptions``: encode options for images that the cache encodes.
    public static let imageEncodeOptions = WebImageContextOption(rawValue: "imageEncodeOptions")
    /// ``ImageCacheType``: the cache layers in which the image is looked up. The default is all layers.
    public static let queryCacheType = WebImageContextOption(rawValue: "queryCacheType")
    /// ``ImageCacheType``: the cache layers in which the image is stored. The default is all layers.
    public static let storeCacheType = WebImageContextOption(rawValue: "storeCacheType")
    /// ``ImageCacheType``: the cache layers in which the full-size original of a variant is looked up. The default is
    /// the disk layer.
    public static let originalQueryCacheType = WebImageContextOption(rawValue: "originalQueryCacheType")
    /// ``ImageCacheType``: the cache layers in which the full-size original is stored. The default is the disk layer.
    public static let originalStoreCacheType = WebImageContextOption(rawValue: "originalStoreCacheType")
    /// ``ImageCaching``: the cache for originals. The default is the cache of the load.
    public static let originalImageCache = WebImageContextOption(rawValue: "originalImageCache")
    /// A class that conforms to ``AnimatedImageProtocol``: the decode stage first tries to create an instance of this
    /// class.
    public static let animatedImageClass = WebImageContextOption(rawValue: "animatedImageClass")
    /// ``WebImageDownloaderRequestModifierProtocol``: replaces the downloader's request modifier.
    public static let downloadRequestModifier = WebImageContextOption(rawValue: "downloadRequestModifier")
    /// ``WebImageDownloaderResponseModifierProtocol``: replaces the downloader's response modifier.
    public static let downloadResponseModifier = WebImageContextOption(rawValue: "downloadResponseModifier")
    /// ``WebImageDownloaderDecryptorProtocol``: replaces the downloader's decryptor.
    public static let downloadDecryptor = WebImageContextOption(rawValue: "downloadDecryptor")
    /// `[URL]`: further URLs of the image. If the URL of the load fails, the loader tries these URLs in their order.
    /// Requires an ``ImageLoadersManager`` as the loader.
    public static let alternativeSources = WebImageContextOption(rawValue: "alternativeSources")
    /// `URL`: the URL of a smaller version of the image. The loader tries this URL first if
    /// ``ImageLoadersManager/prefersLowData`` is true.
    public static let lowDataSource = WebImageContextOption(rawValue: "lowDataSource")
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
    /// ``Image``: the cached image that the load refreshes (`.refreshCached`). The manager sets this value for the
    /// loader. If the image on the server has not changed, the loader can fail with `.cacheNotModified`.
    public static let loaderCachedImage = WebImageContextOption(rawValue: "loaderCachedImage")
    /// ``DecodingLimits``: replaces ``DecodingLimits/default``.
    public static let decodingLimits = WebImageContextOption(rawValue: "decodingLimits")
}

/// Context values in SDWebImage's untyped form. A value that has the wrong type for its key is ignored and logged.
///
/// Every value must be `Sendable`, because a load passes the values between threads.
public typealias WebImageContext = [WebImageContextOption: Any]
