package import Foundation

/// An event that shared work sends to its subscribers while it runs.
package enum LoadEvent: Sendable {
    /// The numbers of bytes received and expected.
    case progress(received: Int, expected: Int, url: URL?)
    /// The loader was started, because no cache contains the image.
    case loaderStarted
    /// The next bytes of a body and their offset in it.
    case bytes(Data, offset: Int)
    /// The pixel size of the image before transformers.
    case size(PixelSize)
    /// A partial image.
    case partial(Image)
}

package typealias LoadEventListener = @Sendable (LoadEvent) -> Void
