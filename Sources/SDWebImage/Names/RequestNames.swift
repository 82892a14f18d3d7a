public import Foundation
public import WebImage
import WebImageCompatibility

/// Options of a load. SDWebImage's name for ``WebImageCore/WebImageOptions``.
public typealias SDWebImageOptions = WebImageOptions
/// The context of a load. SDWebImage's name for ``WebImageCore/WebImageContext``.
public typealias SDWebImageContext = WebImageContext
/// SDWebImage's name for a mutable context. This is the same type as ``SDWebImageContext``, because a Swift dictionary
/// in a `var` is mutable.
public typealias SDWebImageMutableContext = WebImageContext
/// The key of a value in a context. SDWebImage's name for ``WebImageCore/WebImageContextOption``.
public typealias SDWebImageContextOption = WebImageContextOption
/// An operation that can be cancelled. SDWebImage's name for ``WebImageCore/WebImageOperation``.
public typealias SDWebImageOperation = WebImageOperation
/// The queue on which completions run. SDWebImage's name for ``WebImageCore/CallbackQueue``.
public typealias SDCallbackQueue = CallbackQueue
/// The rule that decides whether a completion runs inline or on the queue. SDWebImage's name for
/// ``WebImageCore/CallbackQueue/Policy``.
public typealias SDCallbackPolicy = CallbackQueue.Policy
/// Uses a block to create cache keys from URLs. SDWebImage's name for ``WebImageCore/WebImageCacheKeyFilter``.
public typealias SDWebImageCacheKeyFilter = WebImageCacheKeyFilter
/// Creates cache keys from URLs. SDWebImage's name for ``WebImageCore/WebImageCacheKeyFilterProtocol``.
public typealias SDWebImageCacheKeyFilterProtocol = WebImageCacheKeyFilterProtocol
/// Uses a block to change the options and context of every load. SDWebImage's name for
/// ``WebImageCore/WebImageOptionsProcessor``.
public typealias SDWebImageOptionsProcessor = WebImageOptionsProcessor
/// Changes the options and context of every load. SDWebImage's name for
/// ``WebImageCore/WebImageOptionsProcessorProtocol``.
public typealias SDWebImageOptionsProcessorProtocol = WebImageOptionsProcessorProtocol
/// The options and context that an options processor returns. SDWebImage's name for
/// ``WebImageCore/WebImageOptionsResult``.
public typealias SDWebImageOptionsResult = WebImageOptionsResult

extension WebImagePrefetchToken {
    /// The URLs of the list. Never nil; the type is that of SDWebImage.
    public var urls: [URL]? { ownURLs }
}

extension WebImageOptionsResult {
    /// Creates a result without options.
    public init(context: SDWebImageContext?) { self.init(options: [], context: context) }
}

extension WebImageOptionsProcessorProtocol {
    /// Returns the changed options and context of a load without options.
    public func processedResult(for url: URL?, context: SDWebImageContext?) -> SDWebImageOptionsResult? {
        processedResult(for: url, options: [], context: context)
    }
}

// The initialiser has no argument label in SDWebImage.

extension WebImageContextOption {
    /// Makes a key from its text.
    public init(_ rawValue: String) { self.init(rawValue: rawValue) }
}
