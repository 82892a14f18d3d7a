public import Foundation

/// Chooses the bytes that go to disk for an image.
@preconcurrency public protocol WebImageCacheSerializerProtocol: Sendable {
    /// The bytes; nil lets the cache keep what was fetched, or encode the image where nothing was. Called off the main
    /// thread, for finished images that go to disk; without an image when a thumbnail's original is stored.
    func cacheData(with image: Image?, originalData: Data?, imageURL: URL?) -> Data?
}

/// A serializer that is a block.
public final class WebImageCacheSerializer: WebImageCacheSerializerProtocol {
    private let block: @Sendable (Image?, Data?, URL?) -> Data?

    /// Wraps a block; it is called off the main thread, several times at once.
    public init(block: @escaping @Sendable (_ image: Image?, _ originalData: Data?, _ imageURL: URL?) -> Data?) {
        self.block = block
    }

    /// What the block says.
    public func cacheData(with image: Image?, originalData: Data?, imageURL: URL?) -> Data? {
        block(image, originalData, imageURL)
    }
}
