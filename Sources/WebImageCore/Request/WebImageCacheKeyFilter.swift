public import Foundation

/// Derives the cache key of a URL, for example without a signature in its query.
@preconcurrency public protocol WebImageCacheKeyFilter: Sendable {
    /// The key; nil makes every query a miss.
    func cacheKey(for url: URL) -> String?
}

/// Chooses the bytes that go to disk for an image.
@preconcurrency public protocol WebImageCacheSerializer: Sendable {
    /// The bytes; nil lets the cache encode the image itself. Called off the main thread.
    func cacheData(with image: Image?, originalData: Data?, imageURL: URL?) -> Data?
}
