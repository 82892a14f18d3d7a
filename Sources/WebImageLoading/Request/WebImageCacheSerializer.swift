public import Foundation
public import WebImageCore

/// Returns the bytes to store on disk for an image, for example in another format.
@preconcurrency public protocol WebImageCacheSerializerProtocol: Sendable {
    /// Returns the bytes to store. If the result is nil, the cache stores `originalData`, the fetched bytes. If
    /// `originalData` is also nil, the cache encodes the image.
    ///
    /// The library calls this method only for complete images that are written to disk, and never on the main thread.
    /// `image` is nil if the original of a thumbnail is stored.
    func cacheData(with image: Image?, originalData: Data?, imageURL: URL?) -> Data?
}

/// A serializer that is created from a block.
public final class WebImageCacheSerializer: WebImageCacheSerializerProtocol {
    private let block: @Sendable (Image?, Data?, URL?) -> Data?

    /// Creates a serializer from a block. The block is not called on the main thread. Several calls of the block can
    /// run at the same time.
    public init(block: @escaping @Sendable (_ image: Image?, _ originalData: Data?, _ imageURL: URL?) -> Data?) {
        self.block = block
    }

    /// Returns the result of the block.
    public func cacheData(with image: Image?, originalData: Data?, imageURL: URL?) -> Data? {
        block(image, originalData, imageURL)
    }
}
