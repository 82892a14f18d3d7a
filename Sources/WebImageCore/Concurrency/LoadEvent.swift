package import Foundation

/// Events of shared work while it runs.
package enum LoadEvent: Sendable {
    /// Bytes received and expected.
    case progress(received: Int, expected: Int, url: URL?)
    /// The loader was started: the image does not come from a cache.
    case loaderStarted
    /// The next bytes of a body and their offset in it.
    case bytes(Data, offset: Int)
    /// The pixel size of the image before transformers.
    case size(PixelSize)
    /// A partial image.
    case partial(Image)
}

package typealias LoadEventListener = @Sendable (LoadEvent) -> Void
