import Foundation

/// The context of a load: user-implemented roles receive it whole, the library reads it here alone.
///
/// Typed readings of roles that higher layers declare stand in `RequestContext+….swift` of their folders;
/// `Scripts/check-layers` fails where a context is read anywhere else.
package struct RequestContext: @unchecked Sendable {
    // Unchecked is true because the dictionary is a value that never changes after entry, and `WebImageContext` requires
    // that what it holds is Sendable.
    /// The dictionary, for user-implemented roles alone.
    package private(set) var forRoles: WebImageContext?

    package init(_ context: WebImageContext?) { forRoles = context }

    /// A value of the wanted type; a wrong type is logged once with key and type.
    package func value<Wanted>(_ key: WebImageContextOption, as type: Wanted.Type = Wanted.self) -> Wanted? {
        forRoles?.read(key, as: type)
    }

    /// Whether there is a value of any type.
    package func has(_ key: WebImageContextOption) -> Bool { forRoles?[key] != nil }

    /// The same with another value; nil removes.
    package func with(_ key: WebImageContextOption, _ value: Any?) -> RequestContext {
        // Asked first: removing what is not there would copy the dictionary.
        if value == nil, !has(key) { return self }
        var copy = self
        copy.set(key, value)
        return copy
    }

    /// Sets a value; nil removes.
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
    /// A box to decode into, from its own key or from the decode options.
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

    /// The transformer that holds: the context's, where `NSNull` is none, else the default.
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
    /// The class as any image's, for images in memory.
    var animatedImageType: Image.Type? { value(.animatedImageClass) }
    var scaleFactor: Double? { forRoles?.readNumber(.imageScaleFactor) }
    var scaleDownLimitBytes: Int? { forRoles?.readByteCount(.imageScaleDownLimitBytes) }
    var decodesToHDR: Bool? { forRoles?.readNumber(.imageDecodeToHDR).map { $0 != 0 } }

    enum TypeHint {
        /// No hint of any kind.
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

    /// A cache type, also as the number the original's literals write.
    func cacheType(_ key: WebImageContextOption) -> ImageCacheType? {
        guard let value = forRoles?[key] else { return nil }
        if let number = value as? Int { return ImageCacheType(rawValue: number) }
        return self.value(key)
    }

    package var entryNote: EntryNote? { forRoles?[.entryNote] as? EntryNote }

    /// For a cache that stores an entry; its completion runs on the calling thread.
    func forCache(_ note: EntryNote?) -> RequestContext {
        with(.callbackQueue, CallbackQueue.invoking).with(.entryNote, note)
    }

    /// For a cache that looks an entry up. An entry under a thumbnail's own key is decoded as it is stored.
    func forCache(_ key: EntryKey?, takesEntryAsStored: Bool) -> RequestContext {
        let context = forCache(key.map { EntryNote(key: $0) })
        guard takesEntryAsStored else { return context }
        return context.with(.imageThumbnailPixelSize, nil).with(.imagePreserveAspectRatio, nil)
    }
}

extension WebImageContextOption {
    /// ``EntryNote``: what the manager looks up or stores, for the caches it asks.
    package static let entryNote = WebImageContextOption(rawValue: "webimage.entryNote")
}

extension RequestContext {
    /// The transformers of the request in their order; empty for `NSNull`, nil where the context names none.
    var transformerList: [any ImageTransformer]? {
        guard let value = forRoles?[.imageTransformer] else { return nil }
        if value is NSNull { return [] }
        let transformer = self.value(.imageTransformer, as: (any ImageTransformer).self)
        if let pipeline = transformer as? ImagePipelineTransformer { return pipeline.transformers }
        return transformer.map { [$0] }
    }
}
