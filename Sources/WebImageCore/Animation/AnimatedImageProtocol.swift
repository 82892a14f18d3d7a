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

/// What a class without frames of its own need not say.
///
/// Disfavoured: where a subclass counts in `UInt`, a literal beside it must not choose these.
extension AnimatedImageProtocol {
    /// Reads the coder's file again; nil when it has none to give.
    public init?(animatedCoder: any AnimatedImageCoder, scale: CGFloat) {
        guard let data = animatedCoder.animatedImageData else { return nil }
        self.init(data: data, scale: scale, options: nil)
    }
    /// Nothing.
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
    /// Nil.
    @_disfavoredOverload public func animatedImageFrame(at index: Int) -> Image? { nil }
    /// 0.
    @_disfavoredOverload public func animatedImageDuration(at index: Int) -> TimeInterval { 0 }
}
