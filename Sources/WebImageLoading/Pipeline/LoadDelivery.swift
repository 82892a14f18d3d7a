import Foundation
import WebImageCore

/// An event that a load delivers to its caller.
enum LoadDelivery: Sendable {
    case size(PixelSize)
    case progress(received: Int, expected: Int, url: URL?)
    case partial(Image)
    /// The cached image, before the load refreshes it. The load later delivers one of the events below.
    case cached(WebImageResult)

    /// The end of a load, with its image. Nil if the image is in no cache and the load must not use the loader.
    case finished(WebImageResult?)
    case failed(WebImageError)
    /// The end of a refresh that found no newer image. Contains the cached image.
    case unchanged(WebImageResult)
    /// The end of a refresh that failed. Contains the cached image and the error.
    case notRefreshed(WebImageResult, WebImageError)
}

/// Receives the events of a load that is not a memory hit.
struct LoadSink: Sendable {
    /// The queue on which `receive` is called. Nil means the thread that produced the event. For progress and size,
    /// `receive` is always called on that thread.
    var queue: CallbackQueue?
    var wantsSize = false
    var receive: @Sendable (LoadDelivery) -> Void
}
