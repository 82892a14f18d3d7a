/// The key of one context value, with the original's raw strings.
public struct WebImageContextOption: RawRepresentable, Hashable, Sendable {
    /// The key's string.
    public let rawValue: String
    // Made once: a memory hit asks its context a dozen times, and hashing the string anew would be a fifth of its time.
    package let digest: Int

    /// Names a context value; loaders and coders may add their own.
    public init(rawValue: String) {
        self.rawValue = rawValue
        digest = rawValue.hashValue
    }

    /// By the key's string.
    public static func == (left: Self, right: Self) -> Bool {
        left.digest == right.digest && left.rawValue == right.rawValue
    }

    /// By the key's string.
    public func hash(into hasher: inout Hasher) { hasher.combine(digest) }

    /// By the key's string.
    ///
    /// The digest is a hash already; hashing it again for each dictionary would be a seventh of a memory hit.
    public func _rawHashValue(seed: Int) -> Int { digest ^ seed }

    /// `String`: which load of a view this is; views only.
    public static let setImageOperationKey = WebImageContextOption(rawValue: "setImageOperationKey")
    /// ``WebImageManager``: the manager a view uses instead of the shared one.
    public static let customManager = WebImageContextOption(rawValue: "customManager")
    /// ``CallbackQueue``: where completions run. Default the main queue.
    public static let callbackQueue = WebImageContextOption(rawValue: "callbackQueue")
    /// ``ImageCaching``: the cache instead of the manager's.
    public static let imageCache = WebImageContextOption(rawValue: "imageCache")
    /// ``ImageLoader``: the loader instead of the manager's.
    public static let imageLoader = WebImageContextOption(rawValue: "imageLoader")
    /// ``ImageCoder``: decodes and encodes without being asked whether it can.
    public static let imageCoder = WebImageContextOption(rawValue: "imageCoder")
    /// ``ImageTransformer``, or `NSNull` for none: instead of the manager's.
    public static let imageTransformer = WebImageContextOption(rawValue: "imageTransformer")
    /// ``ImageForceDecodePolicy``: without effect, pictures are decoded display-ready before they are delivered.
    public static let imageForceDecodePolicy = WebImageContextOption(rawValue: "imageForceDecodePolicy")
    /// ``ImageCoderOptions``: further decode options.
    public static let imageDecodeOptions = WebImageContextOption(rawValue: "imageDecodeOptions")
    /// Number, at least 1: the image's scale. Default from the key (`@2x`, `@3x`).
    public static let imageScaleFactor = WebImageContextOption(rawValue: "imageScaleFactor")
    /// `Bool`: fit a thumbnail into its box. Default true.
    public static let imagePreserveAspectRatio = WebImageContextOption(rawValue: "imagePreserveAspectRatio")
    /// `CGSize` in pixels: decode to fit this box; part of the cache key.
    public static let imageThumbnailPixelSize = WebImageContextOption(rawValue: "imageThumbnailPixelSize")
    /// `String`: the uniform type identifier for the decoder, or `NSNull` for no hint at all; for coders of yours.
    public static let imageTypeIdentifierHint = WebImageContextOption(rawValue: "imageTypeIdentifierHint")
    /// Number of bytes the decoded picture may take; not part of the cache key.
    public static let imageScaleDownLimitBytes = WebImageContextOption(rawValue: "imageScaleDownLimitBytes")
    /// Number: not 0 keeps high dynamic range.
    public static let imageDecodeToHDR = WebImageContextOption(rawValue: "imageDecodeToHDR")
    /// ``ImageCoderOptions``: how the cache encodes when it must.
    public static let imageEncodeOptions = WebImageContextOption(rawValue: "imageEncodeOptions")
    /// ``ImageCacheType``: where to look. Default all.
    public static let queryCacheType = WebImageContextOption(rawValue: "queryCacheType")
    /// ``ImageCacheType``: where the result goes. Default all.
    public static let storeCacheType = WebImageContextOption(rawValue: "storeCacheType")
    /// ``ImageCacheType``: where to look for the full-size original of a variant. Default disk.
    public static let originalQueryCacheType = WebImageContextOption(rawValue: "originalQueryCacheType")
    /// ``ImageCacheType``: where the full-size original goes. Default disk.
    public static let originalStoreCacheType = WebImageContextOption(rawValue: "originalStoreCacheType")
    /// ``ImageCaching``: the cache of originals. Default the load's cache.
    public static let originalImageCache = WebImageContextOption(rawValue: "originalImageCache")
    /// Subclass of ``Image`` adopting ``AnimatedImageProtocol``: tried first when decoding.
    public static let animatedImageClass = WebImageContextOption(rawValue: "animatedImageClass")
    /// ``WebImageDownloaderRequestModifierProtocol``: instead of the downloader's.
    public static let downloadRequestModifier = WebImageContextOption(rawValue: "downloadRequestModifier")
    /// ``WebImageDownloaderResponseModifierProtocol``: instead of the downloader's.
    public static let downloadResponseModifier = WebImageContextOption(rawValue: "downloadResponseModifier")
    /// ``WebImageDownloaderDecryptorProtocol``: instead of the downloader's.
    public static let downloadDecryptor = WebImageContextOption(rawValue: "downloadDecryptor")
    /// `[URL]`: where else the picture is, tried in order when its own URL fails. For loads through a loaders manager.
    public static let alternativeSources = WebImageContextOption(rawValue: "alternativeSources")
    /// `URL`: a smaller stand-in, tried first while ``ImageLoadersManager/prefersLowData`` is set.
    public static let lowDataSource = WebImageContextOption(rawValue: "lowDataSource")
    /// ``WebImageCacheKeyFilterProtocol``: instead of the manager's.
    public static let cacheKeyFilter = WebImageContextOption(rawValue: "cacheKeyFilter")
    /// ``WebImageCacheSerializerProtocol``: instead of the manager's.
    public static let cacheSerializer = WebImageContextOption(rawValue: "cacheSerializer")
    /// `String`: who may share what is cached for this load; see ``WebImageRequest``.
    public static let cacheScope = WebImageContextOption(rawValue: "cacheScope")
    /// ``Image``: set by the manager for a loader that refreshes what is cached (`.refreshCached`); such a loader may
    /// fail with `.cacheNotModified`.
    public static let loaderCachedImage = WebImageContextOption(rawValue: "loaderCachedImage")
    /// ``DecodingLimits``: instead of the defaults.
    public static let decodingLimits = WebImageContextOption(rawValue: "decodingLimits")
}

/// Context values as the original's literals write them; read once at entry into typed values.
///
/// Every value must be safe to use from several threads (`Sendable`): a load passes it between them.
public typealias WebImageContext = [WebImageContextOption: Any]
