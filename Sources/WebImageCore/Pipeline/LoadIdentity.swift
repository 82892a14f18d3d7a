import Foundation

/// What two loads must have in common to share the fetching of the original bytes.
struct OriginalIdentity: Hashable, Sendable {
    let url: URL
    let sharing: LoadIdentity?
    let unshared: UInt64?
    let key: EntryKey?
    let cache: RoleIdentity
    let loader: RoleIdentity
    let options: WebImageOptions
    let queryType: ImageCacheType
    let isRefreshing: Bool
    let cachedVersion: ContentDigest?
    let streams: Bool
    /// Of caches and loaders that decode on their own: what they would make of it.
    let decoding: DecodingOptions?
}

/// What two loads must have in common to share the decoded image.
struct DecodedIdentity: Hashable, Sendable {
    let original: OriginalIdentity
    let decoding: DecodingOptions
    let coder: RoleIdentity
    let animatedClass: ObjectIdentifier?
    let options: WebImageOptions
}

/// What two loads must have in common to share the first steps of a transformer.
struct TransformIdentity: Hashable, Sendable {
    let decoded: DecodedIdentity
    let transformerKeys: [String]
    let preservesMetadata: Bool
    let options: WebImageOptions
}

/// What two loads must have in common to share the finished image.
struct VariantIdentity: Hashable, Sendable {
    let decoded: DecodedIdentity
    let key: EntryKey?
    let transformerKey: String?
    let cache: RoleIdentity
    let originalCache: RoleIdentity
    /// What decides the bytes that are stored: loads that store other bytes each store theirs.
    let serializer: RoleIdentity?
    let encoding: FurtherCoderOptions
    let types: [ImageCacheType]
    let options: WebImageOptions
}

extension LoadPlan {
    /// Options that change which bytes are fetched, or whether.
    private static let originalOptions: WebImageOptions = [
        .refreshCached, .handleCookies, .allowInvalidSSLCertificates, .fromCacheOnly, .fromLoaderOnly,
    ]
    // Partial images are decoded by the work that is shared: loads that want them have work of their own.
    private static let decodingOptions: WebImageOptions = [
        .preloadAllFrames, .matchAnimatedImageClass, .progressiveLoad,
    ]
    private static let transformOptions: WebImageOptions = [.transformAnimatedImage, .transformVectorImage]
    private static let variantOptions: WebImageOptions = [.waitStoreCache, .queryMemoryData]

    var originalIdentity: OriginalIdentity {
        let source = source
        let isLayered = source.cache is any LayeredImageCaching
        return OriginalIdentity(
            url: url, sharing: sharing, unshared: unshared, key: keys.original,
            cache: RoleIdentity(source.cache), loader: RoleIdentity(loader),
            options: options.intersection(Self.originalOptions),
            queryType: isLayered ? (source.type.includesDisk ? .disk : .none) : source.type,
            isRefreshing: isRefreshing, cachedVersion: cachedVersion, streams: streams,
            decoding: isLayered && sharing != nil ? nil : decoding.options)
    }

    var decodedIdentity: DecodedIdentity {
        DecodedIdentity(
            original: originalIdentity, decoding: decoding.options, coder: RoleIdentity(decoding.coder),
            animatedClass: decoding.animatedClass.map { ObjectIdentifier($0) },
            options: options.intersection(Self.decodingOptions))
    }

    func transformIdentity(_ steps: ArraySlice<any ImageTransformer>) -> TransformIdentity {
        TransformIdentity(
            decoded: decodedIdentity, transformerKeys: steps.map(\.transformerKey),
            preservesMetadata: transformer?.preserveImageMetadata ?? true,
            options: options.intersection(Self.transformOptions))
    }

    var variantIdentity: VariantIdentity {
        VariantIdentity(
            decoded: decodedIdentity, key: keys.variant, transformerKey: transformer?.transformerKey,
            cache: RoleIdentity(cache), originalCache: RoleIdentity(originalCache),
            serializer: serializer.map { RoleIdentity($0) },
            encoding: encoding,
            types: [queryType, storeType, originalStoreType],
            options: options.intersection(Self.variantOptions.union(Self.transformOptions)))
    }
}
