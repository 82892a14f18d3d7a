import Foundation
import WebImageCore

/// The identity of the fetch of an original. Loads with equal identities share one fetch.
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
    var streams: Bool
    /// The manager whose delegate decides about the download and the image; nil without a delegate. Managers without a
    /// delegate can share work.
    let delegateOwner: ObjectIdentifier?
    /// The decoding parameters, if a custom cache or loader returns decoded images; otherwise nil.
    let decoding: DecodingOptions?
}

/// The identity of a decoded image. Loads with equal identities share one decode.
struct DecodedIdentity: Hashable, Sendable {
    let original: HashedKey<OriginalIdentity>
    let decoding: DecodingOptions
    let coder: RoleIdentity
    let animatedClass: ObjectIdentifier?
    let options: WebImageOptions
}

/// The identity of the image that the first steps of a transformer produce. Loads with equal identities share this
/// image.
struct TransformIdentity: Hashable, Sendable {
    let decoded: HashedKey<DecodedIdentity>
    let transformerKeys: [String]
    let preservesMetadata: Bool
    let options: WebImageOptions
}

/// The identity of a finished image. Loads with equal identities share this image and the work for it.
struct VariantIdentity: Hashable, Sendable {
    let decoded: HashedKey<DecodedIdentity>
    let key: EntryKey?
    let transformerKey: String?
    let cache: RoleIdentity
    let originalCache: RoleIdentity
    /// The serializer, which returns the bytes to store. Loads with different serializers do not share the result.
    let serializer: RoleIdentity?
    let encoding: ForeignCoderOptions
    let types: [ImageCacheType]
    /// Whether the context of the load contains `.storeCacheType`. If true, a thumbnail is written to disk even if its
    /// original is on disk. Loads that differ in this value store different entries.
    let namesStoreType: Bool
    let options: WebImageOptions
}

extension LoadPlan {
    /// Options that change which bytes are fetched, or whether any bytes are fetched.
    private static let originalOptions: WebImageOptions = [
        .refreshCached, .handleCookies, .allowInvalidSSLCertificates, .fromCacheOnly, .fromLoaderOnly,
    ]
    // This set includes `.progressiveLoad`, because the shared task decodes the partial images. A load with partial
    // images and a load without partial images therefore use different tasks.
    private static let decodingOptions: WebImageOptions = [
        .preloadAllFrames, .matchAnimatedImageClass, .progressiveLoad,
    ]
    private static let transformOptions: WebImageOptions = [.transformAnimatedImage, .transformVectorImage]
    private static let variantOptions: WebImageOptions = [.waitStoreCache, .queryMemoryData]

    var originalIdentity: OriginalIdentity {
        let source = source
        let isLayered = source.cache.layered != nil
        return OriginalIdentity(
            url: url, sharing: sharing, unshared: unshared, key: keys.original,
            cache: RoleIdentity(source.cache.role), loader: RoleIdentity(loader.role),
            options: options.intersection(Self.originalOptions),
            queryType: isLayered ? (source.type.includesDisk ? .disk : .none) : source.type,
            isRefreshing: isRefreshing, cachedVersion: cachedVersion, streams: streams,
            delegateOwner: host.hasDelegate ? ObjectIdentifier(host) : nil,
            decoding: isLayered && sharing != nil ? nil : decoding.options)
    }

    private var decodedIdentity: DecodedIdentity {
        DecodedIdentity(
            original: HashedKey(originalIdentity), decoding: decoding.options, coder: RoleIdentity(decoding.coder),
            animatedClass: decoding.animatedClass.map { ObjectIdentifier($0) },
            options: options.intersection(Self.decodingOptions))
    }

    /// - Parameter decoded: The identity of the decoded image, from ``variantIdentity``.
    func transformIdentity(
        _ steps: ArraySlice<any ImageTransformer>, of decoded: HashedKey<DecodedIdentity>
    ) -> TransformIdentity {
        TransformIdentity(
            decoded: decoded, transformerKeys: steps.map(\.transformerKey),
            preservesMetadata: transformer?.preserveImageMetadata ?? true,
            options: options.intersection(Self.transformOptions))
    }

    /// The identity of the finished image. It contains the identities of the other shared tasks of the load.
    var variantIdentity: VariantIdentity {
        VariantIdentity(
            decoded: HashedKey(decodedIdentity), key: keys.variant, transformerKey: transformer?.transformerKey,
            cache: RoleIdentity(cache.role), originalCache: RoleIdentity(originalCache.role),
            serializer: serializer.map { RoleIdentity($0) },
            encoding: encoding,
            types: [queryType, storeType, originalStoreType],
            namesStoreType: namesStoreType,
            options: options.intersection(Self.variantOptions.union(Self.transformOptions)))
    }
}
