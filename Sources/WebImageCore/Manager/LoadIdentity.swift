import Foundation

/// What two loads must have in common to share the fetching of the original bytes.
struct OriginalIdentity: Hashable, Sendable {
    let url: URL
    let key: String?
    let cache: ObjectIdentifier?
    let loader: ObjectIdentifier?
    let options: WebImageOptions
    let scope: String?
    let queriesDisk: Bool
}

/// What two loads must have in common to share the finished image.
struct VariantIdentity: Hashable, Sendable {
    let original: OriginalIdentity
    let key: String?
    let decoding: DecodingOptions
    let coder: ObjectIdentifier?
    let queryType: ImageCacheType
    let storeType: ImageCacheType
    let originalStoreType: ImageCacheType
    let options: WebImageOptions
}

extension LoadPlan {
    /// Options that change which bytes are fetched, or whether.
    private static let originalOptions: WebImageOptions = [
        .refreshCached, .handleCookies, .allowInvalidSSLCertificates, .fromCacheOnly, .fromLoaderOnly,
    ]
    /// Options that change what is made of them.
    private static let variantOptions: WebImageOptions = [
        .transformAnimatedImage, .transformVectorImage, .preloadAllFrames, .matchAnimatedImageClass, .waitStoreCache,
        .progressiveLoad,
    ]

    var originalIdentity: OriginalIdentity {
        OriginalIdentity(
            url: url, key: originalKey, cache: Self.identifier(originalCache), loader: Self.identifier(loader),
            options: options.intersection(Self.originalOptions),
            scope: context?.read(.cacheScope, as: String.self), queriesDisk: queriesOriginalOnDisk)
    }

    var variantIdentity: VariantIdentity {
        VariantIdentity(
            original: originalIdentity, key: variantKey, decoding: decoding, coder: Self.identifier(coder),
            queryType: queryType, storeType: storeType, originalStoreType: originalStoreType,
            options: options.intersection(Self.variantOptions))
    }

    /// Whether the disk is asked for the original bytes before the loader.
    var queriesOriginalOnDisk: Bool {
        guard !options.contains(.fromLoaderOnly), originalKey != nil else { return false }
        return isVariant ? originalQueryType.includesDisk : queryType.includesDisk
    }

    /// Values have no identity: two equal-looking loaders that are structs count as the same of their type.
    private static func identifier(_ role: any Sendable) -> ObjectIdentifier? {
        type(of: role) is AnyClass ? ObjectIdentifier(role as AnyObject) : ObjectIdentifier(type(of: role))
    }
}
