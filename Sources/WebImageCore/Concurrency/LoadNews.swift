package import Foundation

/// What shared work tells while it runs.
package enum LoadNews: Sendable {
    /// Bytes received and expected.
    case progress(received: Int, expected: Int, url: URL?)
    /// The loader was asked: what comes is not from a cache.
    case loaderStarted
    /// The next bytes of a body and where in it they stand.
    case bytes(Data, offset: Int)
    /// The size the picture will have, before transformers.
    case size(PixelSize)
    /// A preview.
    case partial(Image)
}

package typealias LoadNewsListener = @Sendable (LoadNews) -> Void
