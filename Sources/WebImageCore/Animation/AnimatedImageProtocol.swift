public import Foundation

/// An image class that makes itself from encoded data; named in a context as `.animatedImageClass`.
///
/// Adopted by subclasses of ``Image``. Called off the main thread.
@preconcurrency public protocol AnimatedImageProtocol: Image {
    /// Reads the data; nil when this class cannot.
    init?(data: Data, scale: CGFloat, options: ImageCoderOptions?)
    /// Decodes every frame and keeps it.
    func preloadAllFrames()
}
