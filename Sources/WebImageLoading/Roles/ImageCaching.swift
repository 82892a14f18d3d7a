public import Foundation
public import WebImageCore

/// Receives the image, its encoded data, and the layer of the hit. The data is nil if the query did not read it. The
/// layer is `.none` for a miss.
public typealias ImageCacheQueryCompletionBlock =
    @Sendable (_ image: Image?, _ data: Data?, _ cacheType: ImageCacheType) -> Void

/// A cache of images: the role of the manager's cache.
///
/// A load calls the methods on any thread, several at a time. They need not run in the order of the calls: a cache that
/// stores in the background may answer a look-up from what it had before. If a load is cancelled, the task of its look-up is
/// cancelled, and its answer is no longer used.
public protocol ImageCaching: Sendable {
    /// Looks an image up in the layers of the request. Returns nil for a miss. A cache that has only the encoded data may
    /// return it without an image; the load then decodes it.
    func cachedImage(for request: ImageCacheRequest) async -> ImageCacheHit?
    /// Stores an image, its encoded data, or both, in the layers of the request. Without data, the cache encodes the image
    /// for its disk. Returns when a look-up can find the entry.
    ///
    /// The load waits for this method only with ``WebImageOptions/waitStoreCache``, but its part before the first suspension
    /// runs before the load ends.
    func store(_ image: Image?, data: Data?, for request: ImageCacheRequest) async
    /// Removes an entry from some layers.
    func remove(_ key: String, from layers: ImageCacheType) async
    /// Returns the layer that has an entry: memory or disk; `.none` if none of the given layers has it.
    func layer(of key: String, among layers: ImageCacheType) async -> ImageCacheType
    /// Removes all entries from some layers.
    func removeAll(from layers: ImageCacheType) async
    /// The layers of the cache, if they can be used separately; nil by default. Every type that also adopts
    /// ``ImageCacheLayers`` returns itself. Read once, when the cache is given to a manager.
    var layers: (any ImageCacheLayers)? { get }
}

/// What a cache looks up or stores, and for which load.
public struct ImageCacheRequest: Sendable {
    /// The key of the entry. Two pictures that a load tells apart have different keys.
    public let key: String
    /// The layers to look in or to store in.
    public let layers: ImageCacheType
    /// The options of the load.
    public let options: WebImageOptions
    package let values: RequestContext

    package init(key: String, layers: ImageCacheType, options: WebImageOptions, values: RequestContext) {
        (self.key, self.layers, self.options, self.values) = (key, layers, options, values)
    }

    /// Creates a request that belongs to no load, for example in a test of a cache.
    public init(key: String, layers: ImageCacheType = .all, options: WebImageOptions = []) {
        self.init(key: key, layers: layers, options: options, values: RequestContext(nil))
    }

    /// Creates a request with the options and the context of a load.
    package init(key: String, layers: ImageCacheType, options: WebImageOptions, context: WebImageContext?) {
        self.init(key: key, layers: layers, options: options, values: RequestContext(context))
    }

    /// The values of the load as a context; nil if all are defaults. ``WebImageContextOption/callbackQueue`` is the queue
    /// on which a cache with completions calls them.
    public var context: WebImageContext? { values.dictionary }

    /// How a cache decodes the entry that a look-up finds: its size, its scale, the limits.
    public var decoding: DecodingOptions {
        DecodingOptions(options, context: values, key: key, thumbnail: values.thumbnail)
    }

    /// How a cache encodes an image that is stored without data.
    public var encoding: EncodingOptions { EncodingOptions(values.encodeOptions) }
}

/// What a cache found under a key.
public struct ImageCacheHit: Sendable {
    /// The decoded image; nil if the cache has only the data.
    public var image: Image?
    /// The encoded data; nil if the cache did not read it.
    public var data: Data?
    /// The layer that had the entry: memory or disk.
    public var layer: ImageCacheType

    /// Creates a hit.
    public init(image: Image?, data: Data? = nil, layer: ImageCacheType) {
        (self.image, self.data, self.layer) = (image, data, layer)
    }
}

extension ImageCaching {
    /// Nil by default.
    public var layers: (any ImageCacheLayers)? { nil }
}

extension ImageCaching where Self: ImageCacheLayers {
    /// The cache itself.
    public var layers: (any ImageCacheLayers)? { self }
}

/// Separate access to the memory layer and the disk layer of a cache. With such a cache, the manager decodes the data from
/// disk, and several loads can share one decode.
@preconcurrency public protocol ImageCacheLayers: Sendable {
    /// Returns the image in memory. Every load calls this method at its start. The method must take no longer than a
    /// lock and a look-up.
    func imageFromMemoryCache(forKey key: String?) -> Image?
    /// Stores an image in memory before this method returns.
    func storeImageToMemory(_ image: Image?, forKey key: String?)
    /// Whether loads store their images in memory. The default implementation returns true.
    var keepsImagesInMemory: Bool { get }
    /// Returns the encoded data on disk, after a check that the data is undamaged. A thread of the cache reads the
    /// data.
    func diskImageData(forKey key: String?) async -> Data?
    /// Returns the encoded data on disk, after a check that the data is undamaged. Blocks the caller during the read.
    func diskImageDataSync(forKey key: String?) -> Data?
    /// Returns the verified data on disk with its metadata and extended data. The default implementation
    /// returns only the data.
    func diskResource(forKey key: String?) async -> EncodedResource?
    /// Like ``diskResource(forKey:)``, but blocks the caller during the read.
    func diskResourceSync(forKey key: String?) -> EncodedResource?
    /// Stores a loader's metadata with an existing disk entry. The default implementation does nothing.
    func storeMetadata(_ metadata: Data?, forKey key: String?)
    /// Removes a damaged disk entry, so that the next load fetches its data again.
    func removeCorruptDiskEntry(forKey key: String?)
}

extension ImageCacheLayers {
    /// True by default.
    public var keepsImagesInMemory: Bool { true }
    /// Returns the result of ``diskImageData(forKey:)`` without metadata and extended data.
    public func diskResource(forKey key: String?) async -> EncodedResource? {
        await diskImageData(forKey: key).map { EncodedResource(data: $0) }
    }
    /// Returns the result of ``diskImageDataSync(forKey:)`` without metadata and extended data.
    public func diskResourceSync(forKey key: String?) -> EncodedResource? {
        diskImageDataSync(forKey: key).map { EncodedResource(data: $0) }
    }
    /// Does nothing by default.
    public func storeMetadata(_ metadata: Data?, forKey key: String?) {}
}

/// The layers of a cache. As a parameter, a value selects the layers to query or to store in. In a result, a value
/// identifies the layer from which the image came.
public enum ImageCacheType: Int, Sendable {
    /// As a parameter, this case selects no layer. In a result, it means that the image came from the loader or was not
    /// found.
    case none = 0
    /// The disk layer.
    case disk = 1
    /// The memory layer.
    case memory = 2
    /// Both layers.
    case all = 3

    /// Whether the memory layer is included.
    public var includesMemory: Bool { self == .memory || self == .all }
    /// Whether the disk layer is included.
    public var includesDisk: Bool { self == .disk || self == .all }
}
