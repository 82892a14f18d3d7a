import Foundation

/// An event that a load delivers to its caller.
enum LoadDelivery: Sendable {
    case size(PixelSize)
    case progress(received: Int, expected: Int, url: URL?)
    case partial(Image)
    /// The cached image before its refresh; one more delivery follows.
    case cached(WebImageResult)

    /// The end: the image, or nil for a miss when the loader may not be used.
    case finished(WebImageResult?)
    case failed(WebImageError)
    /// The end of a refresh that found no newer image.
    case unchanged(WebImageResult)
    /// The end of a refresh that failed.
    case notRefreshed(WebImageResult, WebImageError)
}

/// The receiver of a load that is not a memory hit.
struct LoadSink: Sendable {
    /// The queue of all deliveries except progress and size; nil delivers on the thread that produced them.
    var queue: CallbackQueue?
    var wantsSize = false
    var receive: @Sendable (LoadDelivery) -> Void
}
