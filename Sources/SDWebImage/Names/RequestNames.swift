public import WebImage

/// How a load behaves; ``WebImageCore/WebImageOptions``.
public typealias SDWebImageOptions = WebImageOptions
/// The values that go with a load; ``WebImageCore/WebImageContext``.
public typealias SDWebImageContext = WebImageContext
/// The same dictionary, which in Swift is mutable when it is a variable.
public typealias SDWebImageMutableContext = WebImageContext
/// The key of a value in a context; ``WebImageCore/WebImageContextOption``.
public typealias SDWebImageContextOption = WebImageContextOption
/// Something that can be cancelled; ``WebImageCore/WebImageOperation``.
public typealias SDWebImageOperation = WebImageOperation
/// Where completions run; ``WebImageCore/CallbackQueue``.
public typealias SDCallbackQueue = CallbackQueue
/// When a completion runs inline; ``WebImageCore/CallbackQueue/Policy``.
public typealias SDCallbackPolicy = CallbackQueue.Policy
/// Makes cache keys of URLs, in a block; ``WebImageCore/WebImageCacheKeyFilter``.
public typealias SDWebImageCacheKeyFilter = WebImageCacheKeyFilter
/// Makes cache keys of URLs; ``WebImageCore/WebImageCacheKeyFilterProtocol``.
public typealias SDWebImageCacheKeyFilterProtocol = WebImageCacheKeyFilterProtocol
/// Chooses the bytes a cache keeps, in a block; ``WebImageCore/WebImageCacheSerializer``.
public typealias SDWebImageCacheSerializer = WebImageCacheSerializer
/// Chooses the bytes a cache keeps; ``WebImageCore/WebImageCacheSerializerProtocol``.
public typealias SDWebImageCacheSerializerProtocol = WebImageCacheSerializerProtocol
/// Rewrites options and context of every load, in a block; ``WebImageCore/WebImageOptionsProcessor``.
public typealias SDWebImageOptionsProcessor = WebImageOptionsProcessor
/// Rewrites options and context of every load; ``WebImageCore/WebImageOptionsProcessorProtocol``.
public typealias SDWebImageOptionsProcessorProtocol = WebImageOptionsProcessorProtocol
/// A processor's result for a load; ``WebImageCore/WebImageOptionsResult``.
public typealias SDWebImageOptionsResult = WebImageOptionsResult
