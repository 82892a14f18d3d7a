import Foundation

/// One load with everything its options and context say, read once.
struct LoadPlan: @unchecked Sendable {
    // Unchecked is true because `context` is a value nobody changes after entry, and the roles in it are Sendable.
    let url: URL
    let options: WebImageOptions
    let context: WebImageContext?

    let cache: any ImageCaching
    let originalCache: any ImageCaching
    let loader: any ImageLoader
    let coder: any ImageCoder
    let transformer: (any ImageTransformer)?
    let serializer: (any WebImageCacheSerializer)?
    let decoding: DecodingOptions
    let encoding: EncodingOptions

    let queryType: ImageCacheType
    let storeType: ImageCacheType
    let originalQueryType: ImageCacheType
    let originalStoreType: ImageCacheType
    /// Whether the caller asked for the variant to be stored in a layer of his choice.
    let namesStoreType: Bool

    /// Key of the full-size, untransformed image; nil when the key filter refused, which makes every query a miss.
    let originalKey: String?
    /// Key of the image as wanted: its thumbnail size and transformer included.
    let variantKey: String?

    var priority: LoadPriority { LoadPriority(options) }
    var isVariant: Bool { originalKey != variantKey }

    init(url: URL, options: WebImageOptions, context: WebImageContext?, manager: WebImageManager) {
        let settings = manager.settings
        self.url = url
        self.options = options
        self.context = context
        cache = context?.read(.imageCache, as: (any ImageCaching).self) ?? manager.imageCache
        originalCache = context?.read(.originalImageCache, as: (any ImageCaching).self) ?? cache
        loader = context?.read(.imageLoader, as: (any ImageLoader).self) ?? manager.imageLoader
        coder = context?.read(.imageCoder, as: (any ImageCoder).self) ?? ImageCodersManager.shared
        let transformer = Self.transformer(context, default: settings.transformer)
        self.transformer = transformer
        serializer =
            context?.read(.cacheSerializer, as: (any WebImageCacheSerializer).self) ?? settings.cacheSerializer
        queryType = context?.read(.queryCacheType, as: ImageCacheType.self) ?? .all
        let namedStoreType = context?.read(.storeCacheType, as: ImageCacheType.self)
        namesStoreType = namedStoreType != nil
        storeType = namedStoreType ?? .all
        originalQueryType = context?.read(.originalQueryCacheType, as: ImageCacheType.self) ?? .disk
        originalStoreType = context?.read(.originalStoreCacheType, as: ImageCacheType.self) ?? .disk
        encoding = EncodingOptions(context?.read(.imageEncodeOptions, as: ImageCoderOptions.self))

        originalKey = Self.originalKey(url, context: context, filter: settings.cacheKeyFilter)
        decoding = Self.decoding(options, context: context, key: originalKey ?? url.absoluteString)
        variantKey = originalKey.map { Self.variantKey($0, context: context, transformer: transformer) }
    }

    static func originalKey(
        _ url: URL, context: WebImageContext?, filter: (any WebImageCacheKeyFilter)?
    ) -> String? {
        guard let filter = context?.read(.cacheKeyFilter, as: (any WebImageCacheKeyFilter).self) ?? filter else {
            return url.absoluteString
        }
        return filter.cacheKey(for: url)
    }

    /// The thumbnail's part comes first, the transformer's second.
    static func variantKey(
        _ key: String, context: WebImageContext?, transformer: (any ImageTransformer)?
    ) -> String {
        var key = key
        if let box = context?.read(.imageThumbnailPixelSize, as: CGSize.self) {
            let preserves = context?.read(.imagePreserveAspectRatio, as: Bool.self) ?? true
            key = CacheKey.thumbnail(key, box: box, preserveAspectRatio: preserves)
        }
        if let transformer { key = CacheKey.transformed(key, suffix: transformer.transformerKey) }
        return key
    }

    static func transformer(
        _ context: WebImageContext?, default: (any ImageTransformer)?
    ) -> (any ImageTransformer)? {
        guard let value = context?[.imageTransformer] else { return `default` }
        if value is NSNull { return nil }
        return context?.read(.imageTransformer, as: (any ImageTransformer).self) ?? `default`
    }

    private static func decoding(
        _ options: WebImageOptions, context: WebImageContext?, key: String
    ) -> DecodingOptions {
        var decoding = DecodingOptions(context?.read(.imageDecodeOptions, as: ImageCoderOptions.self))
        decoding.firstFrameOnly = options.contains(.decodeFirstFrameOnly)
        let scale = context?.readNumber(.imageScaleFactor) ?? 0
        decoding.scaleFactor = scale >= 1 ? scale : max(decoding.scaleFactor, CacheKey.scaleFactor(key))
        if let box = context?.read(.imageThumbnailPixelSize, as: CGSize.self) {
            decoding.thumbnailPixelSize = PixelSize(box: box)
        }
        if let preserves = context?.read(.imagePreserveAspectRatio, as: Bool.self) {
            decoding.preserveAspectRatio = preserves
        }
        if let limit = context?.readNumber(.imageScaleDownLimitBytes), limit > 0 {
            decoding.scaleDownLimitBytes = Int(min(limit, 1e15))
        } else if options.contains(.scaleDownLargeImages), decoding.scaleDownLimitBytes == nil {
            decoding.scaleDownLimitBytes = ImageScaling.defaultScaleDownLimitBytes
        }
        if let limits = context?.read(.decodingLimits, as: DecodingLimits.self) { decoding.limits = limits }
        if let dynamicRange = context?.readNumber(.imageDecodeToHDR) { decoding.decodesToHDR = dynamicRange != 0 }
        return decoding
    }
}
