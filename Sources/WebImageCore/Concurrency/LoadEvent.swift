package import Foundation

/// An event that running shared work sends to its subscribers.
package enum LoadEvent: Sendable {
    /// The number of received bytes and the number of expected bytes.
    case progress(received: Int, expected: Int, url: URL?)
    /// The loader was started, because no cache contains the image.
    case loaderStarted
    /// The next bytes of a body, and the offset of these bytes in the body.
    case bytes(Data, offset: Int)
    /// The pixel size of the image before transformers.
    case size(PixelSize)
    /// A partial image.
    case partial(Image)
}

package typealias LoadEventListener = @Sendable (LoadEvent) -> Void
