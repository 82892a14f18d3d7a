public import Foundation

/// An image of several frames that gives them one by one; what a context's `.animatedImageClass` must be.
///
/// Adopted by subclasses of ``Image``. Made off the main thread.
@preconcurrency public protocol AnimatedImageProtocol: Image, AnimatedImageProvider {
    /// Reads a file; nil when it is no picture.
    init?(data: Data, scale: CGFloat, options: ImageCoderOptions?)
    /// Takes the frames of a coder; nil when it has none.
    init?(animatedCoder: any AnimatedImageCoder, scale: CGFloat)
    /// Decodes every frame now, so that playing decodes none.
    func preloadAllFrames()
    /// Forgets the frames that were preloaded.
    func unloadAllFrames()
    /// Whether every frame is in memory.
    var isAllFramesLoaded: Bool { get }
    /// The coder the frames come from; nil for a still.
    var animatedCoder: (any AnimatedImageCoder)? { get }
}
