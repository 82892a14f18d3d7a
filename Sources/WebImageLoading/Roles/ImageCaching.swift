public import Foundation
public import WebImageCore

/// Receives the image, its encoded data, and the layer of the hit. The data is nil if the query did not read it. The
/// layer is `.none` for a miss.
public typealias ImageCacheQueryCompletionBlock =
    @Sendable (_ image: Image?, _ data: Data?, _ cacheType: ImageCacheType) -> Void

/// A cache for images with a memory layer and a disk layer. The methods have the same signatures as in SDWebImage.
///
/// The manager calls the methods on any thread. The cache must call every completion exactly once.
@preconcurrency public protocol ImageCaching: Sendable {
    /// Looks an image up. If `key` is nil or `cacheType` is `.none`, the result is a miss.
    func queryImage(
        forKey key: String?, options: WebImageOptions, context: WebImageContext?, cacheType: ImageCacheType,
        completion: ImageCacheQueryCompletionBlock?
    ) -> (any WebImageOperation)?
    /// Stores an image in memory and its data on disk. `cacheType` selects the layers. If `imageData` is nil, the cache
    /// encodes the image.
    func storeImage(
        _ image: Image?, imageData: Data?, forKey key: String?, options: WebImageOptions, context: WebImageContext?,
        cacheType: ImageCacheType, completion: (@Sendable () -> Void)?
    )
    /// Removes an image from the layers in `cacheType`.
    func removeImage(forKey key: String?, cacheType: ImageCacheType, completion: (@Sendable () -> Void)?)
    /// Reports the layer that contains an image.
    func containsImage(
        forKey key: String?, cacheType: ImageCacheType, completion: (@Sendable (ImageCacheType) -> Void)?)
    /// Removes all images from the layers in `cacheType`.
    func clear(with cacheType: ImageCacheType, completion: (@Sendable () -> Void)?)
    /// The layers of the cache, if they can be used separately; nil by default. Every type that also adopts
    /// ``ImageCacheLayers`` returns itself. Read once, when the cache is given to a manager.
    var layers: (any ImageCacheLayers)? { get }
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
