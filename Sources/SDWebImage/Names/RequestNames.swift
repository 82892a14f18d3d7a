public import WebImage

/// Options of a load; ``WebImageCore/WebImageOptions``.
public typealias SDWebImageOptions = WebImageOptions
/// The context of a load; ``WebImageCore/WebImageContext``.
public typealias SDWebImageContext = WebImageContext
/// The same dictionary, which in Swift is mutable as a variable.
public typealias SDWebImageMutableContext = WebImageContext
/// The key of a value in a context; ``WebImageCore/WebImageContextOption``.
public typealias SDWebImageContextOption = WebImageContextOption
/// An operation that can be cancelled; ``WebImageCore/WebImageOperation``.
public typealias SDWebImageOperation = WebImageOperation
/// The queue on which completions run; ``WebImageCore/CallbackQueue``.
public typealias SDCallbackQueue = CallbackQueue
/// The condition for a completion to run inline; ``WebImageCore/CallbackQueue/Policy``.
public typealias SDCallbackPolicy = CallbackQueue.Policy
/// Makes cache keys from URLs, in a block; ``WebImageCore/WebImageCacheKeyFilter``.
public typealias SDWebImageCacheKeyFilter = WebImageCacheKeyFilter
/// Makes cache keys from URLs; ``WebImageCore/WebImageCacheKeyFilterProtocol``.
public typealias SDWebImageCacheKeyFilterProtocol = WebImageCacheKeyFilterProtocol
/// Chooses the bytes that a cache stores, in a block; ``WebImageCore/WebImageCacheSerializer``.
public typealias SDWebImageCacheSerializer = WebImageCacheSerializer
/// Chooses the bytes that a cache stores; ``WebImageCore/WebImageCacheSerializerProtocol``.
public typealias SDWebImageCacheSerializerProtocol = WebImageCacheSerializerProtocol
/// Rewrites options and context of every load, in a block; ``WebImageCore/WebImageOptionsProcessor``.
public typealias SDWebImageOptionsProcessor = WebImageOptionsProcessor
/// Rewrites options and context of every load; ``WebImageCore/WebImageOptionsProcessorProtocol``.
public typealias SDWebImageOptionsProcessorProtocol = WebImageOptionsProcessorProtocol
/// A processor's result for a load; ``WebImageCore/WebImageOptionsResult``.
public typealias SDWebImageOptionsResult = WebImageOptionsResult
