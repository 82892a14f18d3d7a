import Foundation

/// The context of a load. Objects that the user implements receive the whole dictionary. The library itself reads
/// the dictionary only in this type.
///
/// Typed access to values of higher layers is in the files `RequestContext+….swift` of their folders.
/// `Scripts/check-layers` fails if any other code reads a context.
package struct RequestContext: @unchecked Sendable {
    // Unchecked is correct because the dictionary does not change after the load received it, and `WebImageContext`
    // requires Sendable values.
    /// The dictionary. Pass it only to objects that the user implements.
    package private(set) var forRoles: WebImageContext?

    package init(_ context: WebImageContext?) { forRoles = context }

    /// Returns a value of the given type. If the value has another type, returns nil and logs the key and the type
    /// once.
    package func value<Wanted>(_ key: WebImageContextOption, as type: Wanted.Type = Wanted.self) -> Wanted? {
        forRoles?.read(key, as: type)
    }

    /// Whether there is a value of any type.
    package func has(_ key: WebImageContextOption) -> Bool { forRoles?.index(forKey: key) != nil }

    /// Returns a copy with another value for a key; nil removes the value.
    package func with(_ key: WebImageContextOption, _ value: Any?) -> RequestContext {
        // Check first, because removing an absent key would copy the dictionary.
        if value == nil, !has(key) { return self }
        var copy = self
        copy.set(key, value)
        return copy
    }

    /// Sets a value; nil removes it.
    package mutating func set(_ key: WebImageContextOption, _ value: Any?) {
        var context = forRoles.take() ?? [:]
        context[key] = value
        forRoles = context
    }
}

// Delivery.
extension RequestContext {
    package var callbackQueue: CallbackQueue? { value(.callbackQueue) }
    var pixelSizeReceiver: PixelSizeReceiver? { value(.pixelSizeReceiver) }
}

// Keys.
extension RequestContext {
    /// The box to decode into, from `.imageThumbnailPixelSize` or from the decode options.
    var thumbnail: LoadKeys.Thumbnail? {
        guard forRoles != nil else { return nil }
        let further = decodeOptions
        guard
            let box = value(.imageThumbnailPixelSize, as: CGSize.self)
                ?? further?.read(.decodeThumbnailPixelSize, as: CGSize.self)
        else { return nil }
        return LoadKeys.Thumbnail(
            box: box,
            preservesAspectRatio: value(.imagePreserveAspectRatio, as: Bool.self)
                ?? further?.read(.decodePreserveAspectRatio, as: Bool.self) ?? true)
    }

    var thumbnailPixelSize: CGSize? { value(.imageThumbnailPixelSize) }
    var cacheKeyFilter: (any WebImageCacheKeyFilterProtocol)? { has(.cacheKeyFilter) ? value(.cacheKeyFilter) : nil }
    var cacheScope: CacheScope? { value(.cacheScope, as: String.self).map { .scoped($0) } }

    /// Returns the transformer of the context, nil if the context has `NSNull`, and `default` if the context has
    /// neither.
    func transformer(default: (any ImageTransformer)?) -> (any ImageTransformer)? {
        guard let value = forRoles?[.imageTransformer] else { return `default` }
        if value is NSNull { return nil }
        return self.value(.imageTransformer, as: (any ImageTransformer).self) ?? `default`
    }
}

// Coding.
extension RequestContext {
    package var coder: (any ImageCoder)? { value(.imageCoder) }
    package var decodingLimits: DecodingLimits? { value(.decodingLimits) }
    var decodeOptions: ImageCoderOptions? { has(.imageDecodeOptions) ? value(.imageDecodeOptions) : nil }
    var encodeOptions: ImageCoderOptions? { value(.imageEncodeOptions) }
    var hasEncodeOptions: Bool { has(.imageEncodeOptions) }
    var animatedImageClass: (any AnimatedImageProtocol.Type)? { value(.animatedImageClass) }
    /// The class as a subclass of ``Image``, for images in memory.
    var animatedImageType: Image.Type? { value(.animatedImageClass) }
    var scaleFactor: Double? { forRoles?.readNumber(.imageScaleFactor) }
    var scaleDownLimitBytes: Int? { forRoles?.readByteCount(.imageScaleDownLimitBytes) }
    var decodesToHDR: Bool? { forRoles?.readNumber(.imageDecodeToHDR).map { $0 != 0 } }

    enum TypeHint {
        /// No hint, not even the file extension.
        case refused
        case identifier(String)
    }

    var typeHint: TypeHint? {
        if forRoles?[.imageTypeIdentifierHint] is NSNull { return .refused }
        return value(.imageTypeIdentifierHint, as: String.self).map { .identifier($0) }
    }
}

// Caching.
extension RequestContext {
    var cacheSerializer: (any WebImageCacheSerializerProtocol)? { value(.cacheSerializer) }
    var queryCacheType: ImageCacheType? { cacheType(.queryCacheType) }
    var storeCacheType: ImageCacheType? { cacheType(.storeCacheType) }
    var originalQueryCacheType: ImageCacheType? { cacheType(.originalQueryCacheType) }
    var originalStoreCacheType: ImageCacheType? { cacheType(.originalStoreCacheType) }

    /// Returns a cache type. The value may also be a raw number, as in the contexts of SDWebImage.
    func cacheType(_ key: WebImageContextOption) -> ImageCacheType? {
        guard let value = forRoles?[key] else { return nil }
        if let number = value as? Int { return ImageCacheType(rawValue: number) }
        return self.value(key)
    }

    package var entryIdentity: EntryIdentity? { forRoles?[.entryIdentity] as? EntryIdentity }

    /// Returns the context for a cache that stores an entry. The cache's completion runs on the thread that calls it.
    func forCache(_ identity: EntryIdentity?) -> RequestContext {
        with(.callbackQueue, CallbackQueue.invoking).with(.entryIdentity, identity)
    }

    /// Returns the context for a cache that looks up an entry. If the key is the key of the thumbnail itself, the
    /// entry is decoded at its stored size, without the thumbnail size of the load.
    func forCache(_ key: EntryKey?, takesEntryAsStored: Bool) -> RequestContext {
        let context = forCache(key.map { EntryIdentity(key: $0) })
        guard takesEntryAsStored else { return context }
        return context.with(.imageThumbnailPixelSize, nil).with(.imagePreserveAspectRatio, nil)
    }
}

extension WebImageContextOption {
    /// ``EntryIdentity``: identifies the entry that a cache looks up or stores. The manager passes it to its caches.
    package static let entryIdentity = WebImageContextOption(rawValue: "webimage.entryIdentity")
}

extension RequestContext {
    /// The transformers of the request in their order. Empty for `NSNull`; nil if the context names no transformer.
    var transformerList: [any ImageTransformer]? {
        guard let value = forRoles?[.imageTransformer] else { return nil }
        if value is NSNull { return [] }
        let transformer = self.value(.imageTransformer, as: (any ImageTransformer).self)
        if let pipeline = transformer as? ImagePipelineTransformer { return pipeline.transformers }
        return transformer.map { [$0] }
    }
}
