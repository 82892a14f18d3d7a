public import Foundation
public import WebImage
import WebImageCompatibility

/// Chooses the bytes that a cache stores. Has SDWebImage's signatures, in which the image is not optional.
///
/// Its method is called on background threads. Several threads can call it at the same time.
@preconcurrency public protocol SDWebImageCacheSerializerProtocol: WebImageCacheSerializerProtocol {
    /// Returns the bytes to store. If the result is nil, the cache stores `data`, the fetched bytes. If `data` is also
    /// nil, the cache encodes the image.
    ///
    /// For the original of a thumbnail, only the thumbnail was decoded. The original is then decoded for this call.
    func cacheData(with image: UIImage, originalData data: Data?, imageURL: URL?) -> Data?
}

extension SDWebImageCacheSerializerProtocol {
    /// Returns the bytes to store. ``WebImageCore/WebImageCacheSerializerProtocol`` requires this overload. Decodes the
    /// original if there is no image. Returns nil if it cannot be decoded.
    public func cacheData(with image: Image?, originalData: Data?, imageURL: URL?) -> Data? {
        guard let image = image ?? UIImage.sd_image(with: originalData) else { return nil }
        return cacheData(with: image, originalData: originalData, imageURL: imageURL)
    }
}

/// Uses a block to choose the bytes that a cache stores.
open class SDWebImageCacheSerializer: SDWebImageCacheSerializerProtocol, @unchecked Sendable {
    // Unchecked is correct because the only stored property is a constant of a `Sendable` type. A subclass must protect
    // the properties that it adds.
    private let block: SDWebImageCacheSerializerBlock

    /// Creates a serializer from a block. The block is not called on the main thread. Several calls of the block can
    /// run at the same time.
    @preconcurrency public init(block: @escaping SDWebImageCacheSerializerBlock) { self.block = block }

    /// Returns the result of the block.
    open func cacheData(with image: UIImage, originalData data: Data?, imageURL: URL?) -> Data? {
        block(image, data, imageURL)
    }
}

extension WebImageManager {
    /// Chooses the bytes that the cache stores, for loads without a serializer in their context.
    public var cacheSerializer: (any SDWebImageCacheSerializerProtocol)? {
        get {
            guard let own = ownCacheSerializer else { return nil }
            return own as? any SDWebImageCacheSerializerProtocol ?? AdoptedSerializer(own)
        }
        set { ownCacheSerializer = (newValue as? AdoptedSerializer)?.own ?? newValue }
    }
}

/// Gives SDWebImage's signatures to a serializer that was written for `WebImage`.
private final class AdoptedSerializer: SDWebImageCacheSerializerProtocol {
    let own: any WebImageCacheSerializerProtocol

    init(_ own: any WebImageCacheSerializerProtocol) { self.own = own }

    func cacheData(with image: UIImage, originalData data: Data?, imageURL: URL?) -> Data? {
        let optional: UIImage? = image
        return own.cacheData(with: optional, originalData: data, imageURL: imageURL)
    }
}
