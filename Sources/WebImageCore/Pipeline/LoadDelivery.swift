import Foundation

/// An event that a load delivers to its caller.
enum LoadDelivery: Sendable {
    case size(PixelSize)
    case progress(received: Int, expected: Int, url: URL?)
    case partial(Image)
    /// The cached image, which is delivered before the refresh. One of the final events below follows.
    case cached(WebImageResult)

    /// The end of a load, with its image. Nil if the image is in no cache and the load must not use the loader.
    case finished(WebImageResult?)
    case failed(WebImageError)
    /// The end of a refresh that found no newer image.
    case unchanged(WebImageResult)
    /// The end of a refresh that failed.
    case notRefreshed(WebImageResult, WebImageError)
}

/// Receives the events of a load that is not a memory hit.
struct LoadSink: Sendable {
    /// The queue of all deliveries except progress and size. Nil delivers on the thread that produced the event.
    var queue: CallbackQueue?
    var wantsSize = false
    var receive: @Sendable (LoadDelivery) -> Void
}
