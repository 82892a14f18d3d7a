public import WebImage

/// Options of a load; ``WebImageCore/WebImageOptions``.
public typealias SDWebImageOptions = WebImageOptions
/// The context of a load; ``WebImageCore/WebImageContext``.
public typealias SDWebImageContext = WebImageContext
/// The context of a load. The same type as ``SDWebImageContext``, because a Swift dictionary in a `var` is mutable.
public typealias SDWebImageMutableContext = WebImageContext
/// The key of a value in a context; ``WebImageCore/WebImageContextOption``.
public typealias SDWebImageContextOption = WebImageContextOption
/// An operation that can be cancelled; ``WebImageCore/WebImageOperation``.
public typealias SDWebImageOperation = WebImageOperation
/// The queue on which completions run; ``WebImageCore/CallbackQueue``.
public typealias SDCallbackQueue = CallbackQueue
/// Whether a completion runs inline or on the queue; ``WebImageCore/CallbackQueue/Policy``.
public typealias SDCallbackPolicy = CallbackQueue.Policy
/// Makes cache keys from URLs with a block; ``WebImageCore/WebImageCacheKeyFilter``.
public typealias SDWebImageCacheKeyFilter = WebImageCacheKeyFilter
/// Makes cache keys from URLs; ``WebImageCore/WebImageCacheKeyFilterProtocol``.
public typealias SDWebImageCacheKeyFilterProtocol = WebImageCacheKeyFilterProtocol
/// Chooses the bytes that a cache stores with a block; ``WebImageCore/WebImageCacheSerializer``.
public typealias SDWebImageCacheSerializer = WebImageCacheSerializer
/// Chooses the bytes that a cache stores; ``WebImageCore/WebImageCacheSerializerProtocol``.
public typealias SDWebImageCacheSerializerProtocol = WebImageCacheSerializerProtocol
/// Changes the options and context of every load with a block; ``WebImageCore/WebImageOptionsProcessor``.
public typealias SDWebImageOptionsProcessor = WebImageOptionsProcessor
/// Changes the options and context of every load; ``WebImageCore/WebImageOptionsProcessorProtocol``.
public typealias SDWebImageOptionsProcessorProtocol = WebImageOptionsProcessorProtocol
/// The options and context that an options processor returns; ``WebImageCore/WebImageOptionsResult``.
public typealias SDWebImageOptionsResult = WebImageOptionsResult
