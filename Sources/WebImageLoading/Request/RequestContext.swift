package import Foundation
package import WebImageCore

/// The context of a load. Custom objects of the user, such as a cache or a loader, receive the whole dictionary. The
/// library itself reads the dictionary only in this type.
///
/// Some values are used by only one higher layer. That layer reads these values in an extension of this type. The
/// extension is in a file `RequestContext+….swift` in the layer's folder. `Scripts/check-layers` fails if any other
/// code reads a context.
package struct RequestContext: @unchecked Sendable {
    // `@unchecked Sendable` is correct: the dictionary does not change after the load receives it, and
    // `WebImageContext` requires Sendable values.
    /// The whole dictionary. Pass this dictionary only to custom objects of the user, such as a cache or a loader.
    package private(set) var forRoles: WebImageContext?

    package init(_ context: WebImageContext?) { forRoles = context }

    /// Returns a value of the given type. If the value has another type, returns nil and logs the key and the type
    /// once.
    package func value<Wanted>(_ key: WebImageContextOption, as type: Wanted.Type = Wanted.self) -> Wanted? {
        forRoles?.read(key, as: type)
    }

    /// Whether the context has a value for a key. The type of the value does not matter.
    package func has(_ key: WebImageContextOption) -> Bool { forRoles?.index(forKey: key) != nil }

    /// Returns a copy of the context in which the key has the new value; nil removes the value.
    package func with(_ key: WebImageContextOption, _ value: Any?) -> RequestContext {
        // Check first, because removing an absent key would copy the dictionary.
        if value == nil, !has(key) { return self }
        var copy = self
        copy.set(key, value)
        return copy
    }

    /// Sets the value of a key; nil removes the value.
    package mutating func set(_ key: WebImageContextOption, _ value: Any?) {
        var context = forRoles.take() ?? [:]
        context[key] = value
        forRoles = context
    }
}

// The context values for delivery.
extension RequestContext {
    package var callbackQueue: CallbackQueue? { value(.callbackQueue) }
    var pixelSizeReceiver: PixelSizeReceiver? { value(.pixelSizeReceiver) }
}

// The context values that affect cache keys.
extension RequestContext {
    /// The box in pixels into which the image is decoded. The value comes from `.imageThumbnailPixelSize` or, if the
    /// context does not have this key, from the decode options.
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

    package var thumbnailPixelSize: CGSize? { value(.imageThumbnailPixelSize) }
    var cacheKeyFilter: (any WebImageCacheKeyFilterProtocol)? { has(.cacheKeyFilter) ? value(.cacheKeyFilter) : nil }
    var cacheScope: CacheScope? { value(.cacheScope, as: String.self).map { .scoped($0) } }

    /// Returns the transformer of the context. Returns nil if the value in the context is `NSNull`. Returns `default`
    /// if the context has no value, or if the value is not a transformer.
    package func transformer(default: (any ImageTransformer)?) -> (any ImageTransformer)? {
        guard let value = forRoles?[.imageTransformer] else { return `default` }
        if value is NSNull { return nil }
        return self.value(.imageTransformer, as: (any ImageTransformer).self) ?? `default`
    }
}

// The context values for decoding and encoding.
extension RequestContext {
    package var coder: (any ImageCoder)? { value(.imageCoder) }
    package var decodingLimits: DecodingLimits? { value(.decodingLimits) }
    var decodeOptions: ImageCoderOptions? { has(.imageDecodeOptions) ? value(.imageDecodeOptions) : nil }
    var encodeOptions: ImageCoderOptions? { value(.imageEncodeOptions) }
    var hasEncodeOptions: Bool { has(.imageEncodeOptions) }
    var animatedImageClass: (any AnimatedImageProtocol.Type)? { value(.animatedImageClass) }
    /// The value of `.animatedImageClass` as a subclass of ``Image``. A memory look-up with `.matchAnimatedImageClass`
    /// checks whether the image is an instance of this class.
    var animatedImageType: Image.Type? { value(.animatedImageClass) }
    var scaleFactor: Double? { forRoles?.readNumber(.imageScaleFactor) }
    var scaleDownLimitBytes: Int? { forRoles?.readByteCount(.imageScaleDownLimitBytes) }
    var decodesToHDR: Bool? { forRoles?.readNumber(.imageDecodeToHDR).map { $0 != 0 } }

    enum TypeHint {
        /// The value is `NSNull`. Custom coders then receive no hint, not even the file extension.
        case refused
        case identifier(String)
    }

    var typeHint: TypeHint? {
        if forRoles?[.imageTypeIdentifierHint] is NSNull { return .refused }
        return value(.imageTypeIdentifierHint, as: String.self).map { .identifier($0) }
    }
}

// The context values for caching.
extension RequestContext {
    var cacheSerializer: (any WebImageCacheSerializerProtocol)? { value(.cacheSerializer) }
    var queryCacheType: ImageCacheType? { cacheType(.queryCacheType) }
    var storeCacheType: ImageCacheType? { cacheType(.storeCacheType) }
    var originalQueryCacheType: ImageCacheType? { cacheType(.originalQueryCacheType) }
    var originalStoreCacheType: ImageCacheType? { cacheType(.originalStoreCacheType) }

    /// Returns the cache type for a key. The value in the context can be an ``ImageCacheType`` or its raw number. The
    /// contexts of SDWebImage contain raw numbers.
    func cacheType(_ key: WebImageContextOption) -> ImageCacheType? {
        guard let value = forRoles?[key] else { return nil }
        if let number = value as? Int { return ImageCacheType(rawValue: number) }
        return self.value(key)
    }

    package var entryIdentity: EntryIdentity? { forRoles?[.entryIdentity] as? EntryIdentity }

    /// Returns the context for a cache that stores an entry. With this context, the cache calls its completion
    /// directly, without a callback queue.
    func forCache(_ identity: EntryIdentity?) -> RequestContext {
        with(.callbackQueue, CallbackQueue.invoking).with(.entryIdentity, identity)
    }

    /// Returns the context for a cache that looks up an entry. If `takesEntryAsStored` is true, the cache decodes the
    /// entry at its stored size and ignores the thumbnail size of the load. The caller passes true if `key` is the
    /// key of the requested variant.
    func forCache(_ key: EntryKey?, takesEntryAsStored: Bool) -> RequestContext {
        let context = forCache(key.map { EntryIdentity(key: $0) })
        guard takesEntryAsStored else { return context }
        return context.with(.imageThumbnailPixelSize, nil).with(.imagePreserveAspectRatio, nil)
    }
}

extension WebImageContextOption {
    /// ``EntryIdentity``: identifies the entry that a cache looks up or stores. The manager passes this value to its
    /// caches.
    package static let entryIdentity = WebImageContextOption(rawValue: "webimage.entryIdentity")
}

extension RequestContext {
    /// The transformers of the context in their order. The list is empty for `NSNull`, and nil if the context has no
    /// transformer.
    var transformerList: [any ImageTransformer]? {
        guard let value = forRoles?[.imageTransformer] else { return nil }
        if value is NSNull { return [] }
        let transformer = self.value(.imageTransformer, as: (any ImageTransformer).self)
        if let pipeline = transformer as? ImagePipelineTransformer { return pipeline.transformers }
        return transformer.map { [$0] }
    }
}
