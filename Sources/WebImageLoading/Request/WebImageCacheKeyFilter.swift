public import Foundation
import WebImageCore

/// Derives the cache key of a URL. For example, a filter can remove a signature from the query.
@preconcurrency public protocol WebImageCacheKeyFilterProtocol: Sendable {
    /// Returns the cache key of a URL. If the result is nil, every cache query is a miss and nothing is stored.
    func cacheKey(for url: URL) -> String?
}

/// A key filter that is created from a block.
public final class WebImageCacheKeyFilter: WebImageCacheKeyFilterProtocol {
    private let block: @Sendable (URL) -> String?

    /// Creates a filter from a block. The block can be called on any thread. It must return quickly and must not wait.
    public init(block: @escaping @Sendable (_ url: URL) -> String?) { self.block = block }

    /// Returns the result of the block.
    public func cacheKey(for url: URL) -> String? { block(url) }
}
