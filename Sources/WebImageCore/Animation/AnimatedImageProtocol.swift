public import Foundation

/// An animated image: a subclass of ``Image`` that returns its frames one by one. The value of the
/// context key `.animatedImageClass` is a class that conforms to this protocol.
///
/// Loads create instances of the class on background threads.
@preconcurrency public protocol AnimatedImageProtocol: Image, AnimatedImageProvider {
    /// Creates an image from the data of an image file; nil when the data is not an image.
    init?(data: Data, scale: CGFloat, options: ImageCoderOptions?)
    /// Creates an animation with the frames of a coder; nil when the coder has no frames.
    init?(animatedCoder: any AnimatedImageCoder, scale: CGFloat)
    /// Decodes every frame on the calling thread, so that playback does not have to decode frames.
    func preloadAllFrames()
    /// Releases the preloaded frames.
    func unloadAllFrames()
    /// Whether every frame is in memory.
    var isAllFramesLoaded: Bool { get }
    /// The coder that decodes the frames; nil for a still.
    var animatedCoder: (any AnimatedImageCoder)? { get }
}

extension Image {
    /// The image if its class is an animated image class; otherwise nil.
    package var animatedImage: (any AnimatedImageProtocol)? { self as? any AnimatedImageProtocol }
}

/// Default implementations for a class that stores no frames.
///
/// The members for counts, frames and durations are disfavored overloads. Reason: a subclass can declare
/// `animatedImageFrameCount` with the type `UInt`. In an expression such as `image.animatedImageFrameCount == 2`, the
/// `UInt` property of the subclass and the `Int` property of this extension both match. Because the `Int` property is
/// disfavored, the compiler selects the `UInt` property.
extension AnimatedImageProtocol {
    /// Creates an image from the ``AnimatedImageProvider/animatedImageData`` of the coder; nil when the coder
    /// returns no data.
    public init?(animatedCoder: any AnimatedImageCoder, scale: CGFloat) {
        guard let data = animatedCoder.animatedImageData else { return nil }
        self.init(data: data, scale: scale, options: nil)
    }
    /// Does nothing by default.
    public func unloadAllFrames() {}
    /// False by default.
    public var isAllFramesLoaded: Bool { false }
    /// Nil by default.
    public var animatedCoder: (any AnimatedImageCoder)? { nil }
    /// Nil by default.
    public var animatedImageData: Data? { nil }
    /// 0 by default.
    @_disfavoredOverload public var animatedImageFrameCount: Int { 0 }
    /// 0 by default.
    @_disfavoredOverload public var animatedImageLoopCount: Int { 0 }
    /// Returns nil by default.
    @_disfavoredOverload public func animatedImageFrame(at index: Int) -> Image? { nil }
    /// Returns 0 by default.
    @_disfavoredOverload public func animatedImageDuration(at index: Int) -> TimeInterval { 0 }
}
