public import Foundation

/// Derives the cache key of a URL, for example without a signature in its query.
@preconcurrency public protocol WebImageCacheKeyFilterProtocol: Sendable {
    /// Returns the cache key. If nil, every query is a miss and nothing is stored.
    func cacheKey(for url: URL) -> String?
}

/// A key filter that is created from a block.
public final class WebImageCacheKeyFilter: WebImageCacheKeyFilterProtocol {
    private let block: @Sendable (URL) -> String?

    /// Wraps a block. The block is called on any thread and must not wait.
    public init(block: @escaping @Sendable (_ url: URL) -> String?) { self.block = block }

    /// Returns the result of the block.
    public func cacheKey(for url: URL) -> String? { block(url) }
}
