/// The key of one context value, with SDWebImage's raw strings.
public struct WebImageContextOption: RawRepresentable, Hashable, Sendable {
    /// The key's string.
    public let rawValue: String
    // The hash of the string, computed once. A memory hit reads its context about 12 times, and hashing the string each
    // time would take 20 % of the hit's time.
    package let digest: Int

    /// Creates the key of a context value. Custom loaders and coders may define further keys.
    public init(rawValue: String) {
        self.rawValue = rawValue
        digest = rawValue.hashValue
    }

    /// Compares or hashes by the key's string.
    public static func == (left: Self, right: Self) -> Bool {
        left.digest == right.digest && left.rawValue == right.rawValue
    }

    /// Compares or hashes by the key's string.
    public func hash(into hasher: inout Hasher) { hasher.combine(digest) }

    /// Returns the stored hash of the key's string, combined with the seed.
    ///
    /// Hashing the digest again in each dictionary would take 14 % of the time of a memory hit.
    public func _rawHashValue(seed: Int) -> Int { digest ^ seed }

    /// `String`: identifies one of several concurrent loads of one view. Used only by views.
    public static let setImageOperationKey = WebImageContextOption(rawValue: "setImageOperationKey")
    /// ``WebImageManager``: the manager a view uses instead of the shared one.
    public static let customManager = WebImageContextOption(rawValue: "customManager")
    /// ``CallbackQueue``: the queue on which completions run. Default the main queue.
    public static let callbackQueue = WebImageContextOption(rawValue: "callbackQueue")
    /// ``ImageCaching``: the cache to use instead of the manager's.
    public static let imageCache = WebImageContextOption(rawValue: "imageCache")
    /// ``ImageLoader``: the loader to use instead of the manager's.
    public static let imageLoader = WebImageContextOption(rawValue: "imageLoader")
    /// ``ImageCoder``: decodes and encodes the image, without a check that it supports the format.
    public static let imageCoder = WebImageContextOption(rawValue: "imageCoder")
    /// ``ImageTransformer``, or `NSNull` for no transformer: replaces the manager's transformer.
    public static let imageTransformer = WebImageContextOption(rawValue: "imageTransformer")
    /// ``ImageForceDecodePolicy``: has no effect, because images are always fully decoded before delivery. Exists for
    /// compatibility with SDWebImage.
    public static let imageForceDecodePolicy = WebImageContextOption(rawValue: "imageForceDecodePolicy")
    /// ``ImageCoderOptions``: further decode options.
    public static let imageDecodeOptions = WebImageContextOption(rawValue: "imageDecodeOptions")
    /// Number, at least 1: the scale of the image in pixels per point. By default derived from the key (`@2x`, `@3x`).
    public static let imageScaleFactor = WebImageContextOption(rawValue: "imageScaleFactor")
    /// `Bool`: whether a thumbnail keeps its aspect ratio within its box. If false, it is stretched to the box.
    /// Default true.
    public static let imagePreserveAspectRatio = WebImageContextOption(rawValue: "imagePreserveAspectRatio")
    /// `CGSize` in pixels: the box to decode into; part of the cache key.
    public static let imageThumbnailPixelSize = WebImageContextOption(rawValue: "imageThumbnailPixelSize")
    /// `String`: the uniform type identifier for custom coders, or `NSNull` for no hint.
    public static let imageTypeIdentifierHint = WebImageContextOption(rawValue: "imageTypeIdentifierHint")
    /// Number: maximum size of the decoded image in bytes; not part of the cache key.
    public static let imageScaleDownLimitBytes = WebImageContextOption(rawValue: "imageScaleDownLimitBytes")
    /// Number: any value except 0 keeps more than 8 bits per channel (high dynamic range).
    public static let imageDecodeToHDR = WebImageContextOption(rawValue: "imageDecodeToHDR")
    /// ``ImageCoderOptions``: encode options for images that the cache encodes.
    public static let imageEncodeOptions = WebImageContextOption(rawValue: "imageEncodeOptions")
    /// ``ImageCacheType``: the layers in which the image is looked up. Default all.
    public static let queryCacheType = WebImageContextOption(rawValue: "queryCacheType")
    /// ``ImageCacheType``: the layers in which the image is stored. Default all.
    public static let storeCacheType = WebImageContextOption(rawValue: "storeCacheType")
    /// ``ImageCacheType``: the layers in which the full-size original of a variant is looked up. Default disk.
    public static let originalQueryCacheType = WebImageContextOption(rawValue: "originalQueryCacheType")
    /// ``ImageCacheType``: the layers in which the full-size original is stored. Default disk.
    public static let originalStoreCacheType = WebImageContextOption(rawValue: "originalStoreCacheType")
    /// ``ImageCaching``: the cache of originals. Default the load's cache.
    public static let originalImageCache = WebImageContextOption(rawValue: "originalImageCache")
    /// Subclass of ``Image`` that adopts ``AnimatedImageProtocol``: the class that decoding tries first.
    public static let animatedImageClass = WebImageContextOption(rawValue: "animatedImageClass")
    /// ``WebImageDownloaderRequestModifierProtocol``: replaces the downloader's request modifier.
    public static let downloadRequestModifier = WebImageContextOption(rawValue: "downloadRequestModifier")
    /// ``WebImageDownloaderResponseModifierProtocol``: replaces the downloader's response modifier.
    public static let downloadResponseModifier = WebImageContextOption(rawValue: "downloadResponseModifier")
    /// ``WebImageDownloaderDecryptorProtocol``: replaces the downloader's decryptor.
    public static let downloadDecryptor = WebImageContextOption(rawValue: "downloadDecryptor")
    /// `[URL]`: further URLs of the image, tried in order if its own URL fails. Requires an ``ImageLoadersManager``
    /// as the loader.
    public static let alternativeSources = WebImageContextOption(rawValue: "alternativeSources")
    /// `URL`: a smaller image, tried first while ``ImageLoadersManager/prefersLowData`` is set.
    public static let lowDataSource = WebImageContextOption(rawValue: "lowDataSource")
    /// ``WebImageCacheKeyFilterProtocol``: replaces the manager's cache key filter.
    public static let cacheKeyFilter = WebImageContextOption(rawValue: "cacheKeyFilter")
    /// ``WebImageCacheSerializerProtocol``: replaces the manager's cache serializer.
    public static let cacheSerializer = WebImageContextOption(rawValue: "cacheSerializer")
    /// `String`: the scope of the load's cache entries; loads with equal strings share them. See ``CacheScope``.
    public static let cacheScope = WebImageContextOption(rawValue: "cacheScope")
    /// ``Image``: the cached image that a loader refreshes (`.refreshCached`). The manager sets this value. If the
    /// image has not changed, the loader may fail with `.cacheNotModified`.
    public static let loaderCachedImage = WebImageContextOption(rawValue: "loaderCachedImage")
    /// ``DecodingLimits``: replaces ``DecodingLimits/default``.
    public static let decodingLimits = WebImageContextOption(rawValue: "decodingLimits")
}

/// Context values in SDWebImage's untyped form. A load parses them once, at its start, into typed values.
///
/// Every value must be `Sendable`, because a load passes it between threads.
public typealias WebImageContext = [WebImageContextOption: Any]
