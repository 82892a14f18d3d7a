public import Foundation

/// Returns the bytes to store on disk for an image, for example in another format.
@preconcurrency public protocol WebImageCacheSerializerProtocol: Sendable {
    /// Returns the bytes to store. Nil stores the fetched bytes; if there are none, the cache encodes the image.
    /// Called for complete images that are written to disk, not on the main thread. `image` is nil if the original of
    /// a thumbnail is stored.
    func cacheData(with image: Image?, originalData: Data?, imageURL: URL?) -> Data?
}

/// A serializer that is created from a block.
public final class WebImageCacheSerializer: WebImageCacheSerializerProtocol {
    private let block: @Sendable (Image?, Data?, URL?) -> Data?

    /// Wraps a block. The block is not called on the main thread and may run several times concurrently.
    public init(block: @escaping @Sendable (_ image: Image?, _ originalData: Data?, _ imageURL: URL?) -> Data?) {
        self.block = block
    }

    /// Returns the result of the block.
    public func cacheData(with image: Image?, originalData: Data?, imageURL: URL?) -> Data? {
        block(image, originalData, imageURL)
    }
}
