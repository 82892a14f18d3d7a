public import Foundation

/// Chooses the bytes that are stored on disk for an image.
@preconcurrency public protocol WebImageCacheSerializerProtocol: Sendable {
    /// Returns the bytes to store; nil stores the fetched bytes or, without them, encodes the image. Called off the
    /// main thread for complete images that go to disk. `image` is nil when the original of a thumbnail is stored.
    func cacheData(with image: Image?, originalData: Data?, imageURL: URL?) -> Data?
}

/// A serializer made of a block.
public final class WebImageCacheSerializer: WebImageCacheSerializerProtocol {
    private let block: @Sendable (Image?, Data?, URL?) -> Data?

    /// Wraps a block, which is called off the main thread and may run concurrently.
    public init(block: @escaping @Sendable (_ image: Image?, _ originalData: Data?, _ imageURL: URL?) -> Data?) {
        self.block = block
    }

    /// The result of the block.
    public func cacheData(with image: Image?, originalData: Data?, imageURL: URL?) -> Data? {
        block(image, originalData, imageURL)
    }
}
