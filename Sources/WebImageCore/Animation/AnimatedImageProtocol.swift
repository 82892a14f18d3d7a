public import Foundation

/// An animated image: a subclass of ``Image`` that returns its frames one by one. The value of the
/// context key `.animatedImageClass` has this type.
///
/// Loads create instances off the main thread.
@preconcurrency public protocol AnimatedImageProtocol: Image, AnimatedImageProvider {
    /// Reads the data of an image file; nil when it is not an image.
    init?(data: Data, scale: CGFloat, options: ImageCoderOptions?)
    /// Makes an animation with the frames of a coder; nil when the coder has no frames.
    init?(animatedCoder: any AnimatedImageCoder, scale: CGFloat)
    /// Decodes every frame on the calling thread, so that playback does not decode.
    func preloadAllFrames()
    /// Releases the preloaded frames.
    func unloadAllFrames()
    /// Whether every frame is in memory.
    var isAllFramesLoaded: Bool { get }
    /// The coder that decodes the frames; nil for a still.
    var animatedCoder: (any AnimatedImageCoder)? { get }
}

/// Default implementations for a class that stores no frames.
///
/// They are marked as disfavored overloads: a subclass may declare its counts as `UInt`, and an
/// expression with an integer literal must then use the subclass's property.
extension AnimatedImageProtocol {
    /// Makes an image from ``AnimatedImageProvider/animatedImageData`` of the coder; nil when the coder
    /// returns no data.
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
    /// Returns nil by default.
    @_disfavoredOverload public func animatedImageFrame(at index: Int) -> Image? { nil }
    /// Returns 0.
    @_disfavoredOverload public func animatedImageDuration(at index: Int) -> TimeInterval { 0 }
}
