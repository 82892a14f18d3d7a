public import Foundation

/// An image of several frames that returns them one by one; the type of a context's `.animatedImageClass`.
///
/// Adopted by subclasses of ``Image``. Instances are made off the main thread.
@preconcurrency public protocol AnimatedImageProtocol: Image, AnimatedImageProvider {
    /// Reads a file; nil when it is not an image.
    init?(data: Data, scale: CGFloat, options: ImageCoderOptions?)
    /// Makes an animation with the frames of a coder; nil when it has none.
    init?(animatedCoder: any AnimatedImageCoder, scale: CGFloat)
    /// Decodes every frame now, so that playback decodes none.
    func preloadAllFrames()
    /// Releases the preloaded frames.
    func unloadAllFrames()
    /// Whether every frame is in memory.
    var isAllFramesLoaded: Bool { get }
    /// The coder that decodes the frames; nil for a still.
    var animatedCoder: (any AnimatedImageCoder)? { get }
}

/// Defaults for a class without frames of its own.
///
/// Disfavoured, because a subclass may declare counts as `UInt`: an expression with a literal must not choose these.
extension AnimatedImageProtocol {
    /// Reads the coder's file again; nil when the coder has no file.
    public init?(animatedCoder: any AnimatedImageCoder, scale: CGFloat) {
        guard let data = animatedCoder.animatedImageData else { return nil }
        self.init(data: data, scale: scale, options: nil)
    }
    /// Does nothing.
    public func unloadAllFrames() {}
    /// False.
    public var isAllFramesLoaded: Bool { false }
    /// Nil.
    public var animatedCoder: (any AnimatedImageCoder)? { nil }
    /// Nil.
    public var animatedImageData: Data? { nil }
    /// 0.
    @_disfavoredOverload public var animatedImageFrameCount: Int { 0 }
    /// 0.
    @_disfavoredOverload public var animatedImageLoopCount: Int { 0 }
    /// Returns nil.
    @_disfavoredOverload public func animatedImageFrame(at index: Int) -> Image? { nil }
    /// Returns 0.
    @_disfavoredOverload public func animatedImageDuration(at index: Int) -> TimeInterval { 0 }
}
