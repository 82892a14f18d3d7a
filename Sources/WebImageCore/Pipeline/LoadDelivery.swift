import Foundation

/// What a load hands to whoever asked for it.
enum LoadDelivery: Sendable {
    case size(PixelSize)
    case progress(received: Int, expected: Int, url: URL?)
    case partial(Image)
    /// The image before its refresh: one more delivery follows.
    case cached(WebImageResult)

    /// The end: the image, or nil for a miss that may not be fetched.
    case finished(WebImageResult?)
    case failed(WebImageError)
    /// The end of a refresh that brought nothing new.
    case unchanged(WebImageResult)
    /// The end of a refresh that failed.
    case notRefreshed(WebImageResult, WebImageError)
}

/// How a load that memory cannot answer is delivered.
struct LoadSink: Sendable {
    /// Where deliveries but progress and size happen; nil is wherever they arise.
    var queue: CallbackQueue?
    var wantsSize = false
    var receive: @Sendable (LoadDelivery) -> Void
}
