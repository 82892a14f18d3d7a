import Foundation
package import WebImageCore

/// The values of a request, except for URL and options: an ``ImageRequest`` without them. A cache's queries have a key
/// instead of a URL. ``RequestFields`` declares the values; each is a member of this type, such as `context.coder`.
///
/// A context is parsed once, when it enters the library. The copies of a context share their values until one of them
/// is changed.
@dynamicMemberLookup package struct RequestContext: Equatable, Sendable {
    // `@unchecked Sendable` is correct, because a box is changed only while it has a single reference.
    private final class Box: @unchecked Sendable {
        var fields: RequestFields
        var count: Int
        /// The context from which the values were parsed; nil after a change.
        var parsed: WebImageContext?

        init(_ fields: RequestFields, count: Int, parsed: WebImageContext? = nil) {
            self.fields = fields
            self.count = count
            self.parsed = parsed
        }

        static let empty = Box(RequestFields(), count: 0)
    }

    private var box: Box

    package init(_ context: WebImageContext?) {
        guard let context, !context.isEmpty else {
            box = .empty
            return
        }
        box = Box(RequestFields(context), count: context.count, parsed: context)
    }

    /// The number of values.
    package var count: Int { box.count }

    /// The values as a dictionary, for custom objects of the user, such as a cache or a loader.
    package var dictionary: WebImageContext? { box.count == 0 ? nil : box.parsed ?? box.fields.context }

    package static func == (left: Self, right: Self) -> Bool {
        left.box === right.box || left.box.count == right.box.count && left.box.fields == right.box.fields
    }

    // The getters are inlined, so that optimized builds read the stored value directly: reading it through a key path takes
    // 600 instructions.

    /// A value of ``RequestFields/Picture``; nil means the default.
    package subscript<Value>(dynamicMember path: WritableKeyPath<RequestFields.Picture, Value?>) -> Value? {
        @inline(__always) get { box.fields.picture[keyPath: path] }
        set { set(path, of: \.picture, newValue) }
    }

    /// A value of ``RequestFields/Caching``; nil means the default.
    package subscript<Value>(dynamicMember path: WritableKeyPath<RequestFields.Caching, Value?>) -> Value? {
        @inline(__always) get { box.fields.caching[keyPath: path] }
        set { set(path, of: \.caching, newValue) }
    }

    /// A value of ``RequestFields/Loading``; nil means the default.
    package subscript<Value>(dynamicMember path: WritableKeyPath<RequestFields.Loading, Value?>) -> Value? {
        @inline(__always) get { box.fields.loading[keyPath: path] }
        set { set(path, of: \.loading, newValue) }
    }

    private mutating func set<Group, Value>(
        _ path: WritableKeyPath<Group, Value?>, of group: WritableKeyPath<RequestFields, Group>, _ newValue: Value?
    ) {
        unshare()
        box.count += (newValue == nil ? 0 : 1) - (box.fields[keyPath: group][keyPath: path] == nil ? 0 : 1)
        box.fields[keyPath: group][keyPath: path] = newValue
    }

    /// Returns a value of the given type. If the value has another type, returns nil and logs the key and the type
    /// once.
    package func value<Wanted>(_ key: WebImageContextOption, as type: Wanted.Type = Wanted.self) -> Wanted? {
        guard box.count > 0, let value = box.parsed?[key] ?? box.fields[key] else { return nil }
        return value as? Wanted ?? [key: value].read(key, as: type)
    }

    /// Whether the context has a value for a key. The type of the value does not matter.
    package func has(_ key: WebImageContextOption) -> Bool { box.count > 0 && box.fields[key] != nil }

    /// Returns a copy of the context in which the key has the new value; nil removes the value.
    package func with(_ key: WebImageContextOption, _ value: Any?) -> RequestContext {
        // Check first, because removing an absent key would copy the values.
        if value == nil, !has(key) { return self }
        var copy = self
        copy.set(key, value)
        return copy
    }

    /// Sets the value of a key; nil removes the value.
    package mutating func set(_ key: WebImageContextOption, _ value: Any?) {
        unshare()
        box.count += (value == nil ? 0 : 1) - (has(key) ? 1 : 0)
        box.fields[key] = value
    }

    private mutating func unshare() {
        if isKnownUniquelyReferenced(&box) {
            box.parsed = nil
        } else {
            box = Box(box.fields, count: box.count)
        }
    }
}

// The values that a memory look-up reads. In a debug build, a key path to a wrapped or a large value allocates memory.
extension RequestContext {
    package var transformerChoice: RequestFields.TransformerChoice? {
        get { box.fields.picture.transformerChoice }
        set { set(\.transformerChoice, of: \.picture, newValue) }
    }
    package var cache: (any ImageCaching)? {
        get { box.fields.caching.cache }
        set { set(\.cache, of: \.caching, newValue) }
    }
    package var loader: (any ImageLoader)? {
        get { box.fields.loading.loader }
        set { set(\.loader, of: \.loading, newValue) }
    }
    package var cacheScope: CacheScope? {
        get { box.fields.caching.cacheScope }
        set { set(\.cacheScope, of: \.caching, newValue) }
    }
    package var cacheKeyFilter: (any WebImageCacheKeyFilterProtocol)? {
        get { box.fields.caching.cacheKeyFilter }
        set { set(\.cacheKeyFilter, of: \.caching, newValue) }
    }
    package var decodeOptions: ImageCoderOptions? {
        get { box.fields.picture.decodeOptions }
        set { set(\.decodeOptions, of: \.picture, newValue) }
    }
    package var callbackQueue: CallbackQueue? {
        get { box.fields.loading.callbackQueue }
        set { set(\.callbackQueue, of: \.loading, newValue) }
    }
}

// The values that affect cache keys.
extension RequestContext {
    /// The box in pixels into which the image is decoded. The value comes from the request or, if the request has no
    /// size, from the decode options.
    var thumbnail: LoadKeys.Thumbnail? {
        guard count > 0 else { return nil }
        let further = self.decodeOptions
        guard let box = self.size ?? further?.read(.decodeThumbnailPixelSize, as: CGSize.self) else { return nil }
        return LoadKeys.Thumbnail(
            box: box,
            preservesAspectRatio: self.preservesAspectRatio ?? further?.read(.decodePreserveAspectRatio, as: Bool.self)
                ?? true)
    }

    /// Returns the transformer of the request. Returns nil if the request refuses a transformer, and `default` if the
    /// request names none.
    package func transformer(default: (any ImageTransformer)?) -> (any ImageTransformer)? {
        switch self.transformerChoice {
        case nil: `default`
        case .some(.none): nil
        case .some(.transformer(let transformer)): transformer
        }
    }
}

extension RequestContext {
    /// The class of animated images as a subclass of ``Image``. A memory look-up with `.matchAnimatedImageClass` checks
    /// whether the image is an instance of this class.
    var animatedImageType: Image.Type? { value(.animatedImageClass) }

    /// Returns the context for a cache that stores an entry. With this context, the cache calls its completion
    /// directly, without a callback queue.
    func forCache(_ identity: EntryIdentity?) -> RequestContext {
        var context = self
        context.callbackQueue = .invoking
        context.entryIdentity = identity
        return context
    }

    /// Returns the context for a cache that looks up an entry. If `takesEntryAsStored` is true, the cache decodes the
    /// entry at its stored size and ignores the thumbnail size of the load. The caller passes true if `key` is the
    /// key of the requested variant.
    func forCache(_ key: EntryKey?, takesEntryAsStored: Bool) -> RequestContext {
        var context = forCache(key.map { EntryIdentity(key: $0) })
        guard takesEntryAsStored else { return context }
        context.size = nil
        context.preservesAspectRatio = nil
        return context
    }
}

extension WebImageContextOption {
    /// ``EntryIdentity``: identifies the entry that a cache looks up or stores. The manager passes this value to its
    /// caches.
    package static let entryIdentity = WebImageContextOption(rawValue: "webimage.entryIdentity")
}

/// Receives the pixel size of an image as soon as the image's header has arrived. `receive` can be called on any thread
/// and more than once.
package final class PixelSizeReceiver: Sendable {
    let receive: @Sendable (PixelSize) -> Void

    package init(_ receive: @escaping @Sendable (PixelSize) -> Void) { self.receive = receive }
}

extension WebImageContextOption {
    /// ``PixelSizeReceiver``: receives the pixel size that the image has before transformers run. A load with this key
    /// examines the received bytes during the download.
    package static let pixelSizeReceiver = WebImageContextOption(rawValue: "pixelSizeReceiver")
}

extension DecodingOptions {
    /// Creates the decoding parameters of a load from its options and context. A context key overrides the
    /// corresponding entry of `.imageDecodeOptions`.
    init(_ options: WebImageOptions, context: RequestContext, key: String, thumbnail: LoadKeys.Thumbnail?) {
        self.init(context.decodeOptions)
        firstFrameOnly = options.contains(.decodeFirstFrameOnly)
        scaleFactor = Self.scaleFactor(context, key: key, further: scaleFactor)
        thumbnailPixelSize = thumbnail.flatMap { PixelSize(box: $0.box) }
        if let thumbnail { preserveAspectRatio = thumbnail.preservesAspectRatio }
        if let limit = context.scaleDownLimitBytes {
            scaleDownLimitBytes = limit
        } else if options.contains(.scaleDownLargeImages), scaleDownLimitBytes == nil {
            scaleDownLimitBytes = ImageScaling.defaultScaleDownLimitBytes
        }
        if let limits = context.limits { self.limits = limits }
        if let keepsRange = context.keepsHighDynamicRange { decodesToHDR = keepsRange }
        addHints(context, key: key)
    }

    /// The scale of a load: that of its context, or else that of its decode options or of the key.
    static func scaleFactor(_ context: RequestContext, key: String) -> Double {
        let further = context.decodeOptions.map { DecodingOptions($0).scaleFactor } ?? 1
        return scaleFactor(context, key: key, further: further)
    }

    private static func scaleFactor(_ context: RequestContext, key: String, further: Double) -> Double {
        let scale = context.scale ?? 0
        return scale >= 1 && scale.isFinite ? scale : max(further, CacheKey.scaleFactor(key))
    }

    /// Adds hints about the format for custom coders. The built-in coders do not need these hints, because they detect
    /// the format from the content.
    private mutating func addHints(_ context: RequestContext, key: String) {
        switch context.typeHint {
        case .refused: break
        case .identifier(let identifier): foreignOptions[.decodeTypeIdentifierHint] = identifier
        case nil:
            let fileExtension = key.fileExtension
            if !fileExtension.isEmpty { foreignOptions[.decodeFileExtensionHint] = fileExtension }
        }
    }
}

extension ImageDecoding {
    /// Creates the coder and the decoding parameters of a load or a query from its options and context. `key` is the
    /// cache key of the image. It supplies the default scale and the file extension.
    init(
        _ options: WebImageOptions, context: RequestContext, key: String, thumbnail: LoadKeys.Thumbnail?,
        coders: ImageCodersManager = .shared
    ) {
        self.init(
            coder: context.coder ?? coders,
            options: DecodingOptions(options, context: context, key: key, thumbnail: thumbnail), registered: coders)
        guard !options.contains(.decodeFirstFrameOnly) else { return }
        animatedClass = context.animatedImageClass
        preloadsAllFrames = options.contains(.preloadAllFrames)
        requiresAnimatedClass = options.contains(.matchAnimatedImageClass)
    }
}
