public import Foundation
public import WebImage

/// Frames by number, in the original's shape: counts are `UInt`. Safe on any thread; a frame is decoded when asked for.
@preconcurrency public protocol SDAnimatedImageProvider: AnimatedImageProvider {
    /// How many frames there are, or have arrived.
    var animatedImageFrameCount: UInt { get }
    /// How often it plays; 0 is for ever.
    var animatedImageLoopCount: UInt { get }
    /// A frame; nil when there is none of this number or it cannot be decoded.
    func animatedImageFrame(at index: UInt) -> UIImage?
    /// Seconds a frame is shown; 0 when there is none of this number.
    func animatedImageDuration(at index: UInt) -> TimeInterval
}

extension SDAnimatedImageProvider {
    /// The same count, for callers that know ``WebImageCore/AnimatedImageProvider`` alone.
    @_disfavoredOverload public var animatedImageFrameCount: Int {
        let count: UInt = animatedImageFrameCount
        return Int(clamping: count)
    }
    /// The same count, for callers that know ``WebImageCore/AnimatedImageProvider`` alone.
    @_disfavoredOverload public var animatedImageLoopCount: Int {
        let count: UInt = animatedImageLoopCount
        return Int(clamping: count)
    }
    /// The same frame, for callers that know ``WebImageCore/AnimatedImageProvider`` alone.
    @_disfavoredOverload public func animatedImageFrame(at index: Int) -> Image? {
        index < 0 ? nil : animatedImageFrame(at: UInt(index))
    }
    /// The same duration, for callers that know ``WebImageCore/AnimatedImageProvider`` alone.
    @_disfavoredOverload public func animatedImageDuration(at index: Int) -> TimeInterval {
        index < 0 ? 0 : animatedImageDuration(at: UInt(index))
    }
}

/// A coder that gives the frames of one animation, in the original's shape; a new instance is made for each.
@preconcurrency public protocol SDAnimatedImageCoder: SDAnimatedImageProvider, AnimatedImageCoder {}

/// An image of several frames that gives them one by one, in the original's shape: a subclass of `UIImage`.
///
/// Made off the main thread. A context's `.animatedImageClass` names such a class.
@preconcurrency public protocol SDAnimatedImageProtocol: SDAnimatedImageProvider, AnimatedImageProtocol {
    /// Takes the frames of a coder; reads the coder's file again unless implemented.
    init?(animatedCoder: any SDAnimatedImageCoder, scale: CGFloat)
    /// The coder the frames come from; nil unless implemented.
    var animatedCoder: (any SDAnimatedImageCoder)? { get }
}

extension SDAnimatedImageProtocol {
    /// The same count, for callers that know ``WebImageCore/AnimatedImageProvider`` alone.
    @_disfavoredOverload public var animatedImageFrameCount: Int {
        let count: UInt = animatedImageFrameCount
        return Int(clamping: count)
    }
    /// The same count, for callers that know ``WebImageCore/AnimatedImageProvider`` alone.
    @_disfavoredOverload public var animatedImageLoopCount: Int {
        let count: UInt = animatedImageLoopCount
        return Int(clamping: count)
    }
    /// The same frame, for callers that know ``WebImageCore/AnimatedImageProvider`` alone.
    @_disfavoredOverload public func animatedImageFrame(at index: Int) -> Image? {
        index < 0 ? nil : animatedImageFrame(at: UInt(index))
    }
    /// The same duration, for callers that know ``WebImageCore/AnimatedImageProvider`` alone.
    @_disfavoredOverload public func animatedImageDuration(at index: Int) -> TimeInterval {
        index < 0 ? 0 : animatedImageDuration(at: UInt(index))
    }
    /// Nothing, unless implemented.
    public func preloadAllFrames() {}
    /// The same coder, for callers that know ``WebImageCore/AnimatedImageProtocol`` alone.
    @_disfavoredOverload public var animatedCoder: (any AnimatedImageCoder)? {
        let coder: (any SDAnimatedImageCoder)? = animatedCoder
        return coder
    }
    /// Reads the coder's file again; nil when it has none to give.
    @_disfavoredOverload public init?(animatedCoder: any SDAnimatedImageCoder, scale: CGFloat) {
        guard let data = animatedCoder.animatedImageData else { return nil }
        self.init(data: data, scale: scale, options: nil)
    }
    /// The same, for callers that know ``WebImageCore/AnimatedImageProtocol`` alone.
    @_disfavoredOverload public init?(animatedCoder: any AnimatedImageCoder, scale: CGFloat) {
        if let coder = animatedCoder as? any SDAnimatedImageCoder {
            self.init(animatedCoder: coder, scale: scale)
        } else {
            guard let data = animatedCoder.animatedImageData else { return nil }
            self.init(data: data, scale: scale, options: nil)
        }
    }
}

// In an extension of its own: a default may stand beside one of the same name and another type only so.
extension SDAnimatedImageProvider where Self: SDAnimatedImageProtocol {
    /// Nil.
    @_disfavoredOverload public var animatedCoder: (any SDAnimatedImageCoder)? { nil }
}

/// A coder that shows what has arrived of a picture, in the original's shape.
@preconcurrency public protocol SDProgressiveImageCoder: ProgressiveImageCoder {
    /// What can be shown now; nil before the first row is there.
    func incrementalDecodedImage(options: SDImageCoderOptions?) -> UIImage?
}

extension SDProgressiveImageCoder {
    /// The same image, for callers that know ``WebImageCore/ProgressiveImageCoder`` alone.
    @_disfavoredOverload public func incrementalDecodedImage(with options: ImageCoderOptions?) -> Image? {
        incrementalDecodedImage(options: options)
    }
}
