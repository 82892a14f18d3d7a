public import Foundation
public import WebImage

/// Frames by index, with SDWebImage's signatures: counts are `UInt`.
///
/// Safe on any thread; a frame is decoded when it is requested.
@preconcurrency public protocol SDAnimatedImageProvider: AnimatedImageProvider {
    /// The number of frames, or of those that have arrived.
    var animatedImageFrameCount: UInt { get }
    /// The loop count; 0 is for ever.
    var animatedImageLoopCount: UInt { get }
    /// A frame; nil for an index out of range, or when it cannot be decoded.
    func animatedImageFrame(at index: UInt) -> UIImage?
    /// Returns the duration of a frame in seconds; 0 if `index` is out of range.
    func animatedImageDuration(at index: UInt) -> TimeInterval
}

extension SDAnimatedImageProvider {
    /// The same count, for callers that use ``WebImageCore/AnimatedImageProvider``.
    @_disfavoredOverload public var animatedImageFrameCount: Int {
        let count: UInt = animatedImageFrameCount
        return Int(clamping: count)
    }
    /// The same count, for callers that use ``WebImageCore/AnimatedImageProvider``.
    @_disfavoredOverload public var animatedImageLoopCount: Int {
        let count: UInt = animatedImageLoopCount
        return Int(clamping: count)
    }
    /// The same frame, for callers that use ``WebImageCore/AnimatedImageProvider``.
    @_disfavoredOverload public func animatedImageFrame(at index: Int) -> Image? {
        index < 0 ? nil : animatedImageFrame(at: UInt(index))
    }
    /// The same duration, for callers that use ``WebImageCore/AnimatedImageProvider``.
    @_disfavoredOverload public func animatedImageDuration(at index: Int) -> TimeInterval {
        index < 0 ? 0 : animatedImageDuration(at: UInt(index))
    }
}

/// A coder of the frames of one animation, with SDWebImage's signatures; a new instance is made for each animation.
@preconcurrency public protocol SDAnimatedImageCoder: SDAnimatedImageProvider, AnimatedImageCoder {}

/// An image that supplies its frames one by one, with SDWebImage's signatures: a subclass of `UIImage`.
///
/// Instances are made off the main thread. A context's `.animatedImageClass` is such a class.
@preconcurrency public protocol SDAnimatedImageProtocol: SDAnimatedImageProvider, AnimatedImageProtocol {
    /// Makes an image of a coder's frames; unless implemented, opens the coder's file again.
    init?(animatedCoder: any SDAnimatedImageCoder, scale: CGFloat)
    /// The coder of the frames; nil unless implemented.
    var animatedCoder: (any SDAnimatedImageCoder)? { get }
}

extension SDAnimatedImageProtocol {
    /// The same count, for callers that use ``WebImageCore/AnimatedImageProvider``.
    @_disfavoredOverload public var animatedImageFrameCount: Int {
        let count: UInt = animatedImageFrameCount
        return Int(clamping: count)
    }
    /// The same count, for callers that use ``WebImageCore/AnimatedImageProvider``.
    @_disfavoredOverload public var animatedImageLoopCount: Int {
        let count: UInt = animatedImageLoopCount
        return Int(clamping: count)
    }
    /// The same frame, for callers that use ``WebImageCore/AnimatedImageProvider``.
    @_disfavoredOverload public func animatedImageFrame(at index: Int) -> Image? {
        index < 0 ? nil : animatedImageFrame(at: UInt(index))
    }
    /// The same duration, for callers that use ``WebImageCore/AnimatedImageProvider``.
    @_disfavoredOverload public func animatedImageDuration(at index: Int) -> TimeInterval {
        index < 0 ? 0 : animatedImageDuration(at: UInt(index))
    }
    /// Does nothing unless implemented.
    public func preloadAllFrames() {}
    /// The same coder, for callers that use ``WebImageCore/AnimatedImageProtocol``.
    @_disfavoredOverload public var animatedCoder: (any AnimatedImageCoder)? {
        let coder: (any SDAnimatedImageCoder)? = animatedCoder
        return coder
    }
    /// Opens the coder's file again; nil when the coder has no file.
    @_disfavoredOverload public init?(animatedCoder: any SDAnimatedImageCoder, scale: CGFloat) {
        guard let data = animatedCoder.animatedImageData else { return nil }
        self.init(data: data, scale: scale, options: nil)
    }
    /// Makes the same image, for callers that use ``WebImageCore/AnimatedImageProtocol``.
    @_disfavoredOverload public init?(animatedCoder: any AnimatedImageCoder, scale: CGFloat) {
        if let coder = animatedCoder as? any SDAnimatedImageCoder {
            self.init(animatedCoder: coder, scale: scale)
        } else {
            guard let data = animatedCoder.animatedImageData else { return nil }
            self.init(data: data, scale: scale, options: nil)
        }
    }
}

// In a separate extension: the compiler accepts two defaults of one name and different types only in two extensions.
extension SDAnimatedImageProvider where Self: SDAnimatedImageProtocol {
    /// Always nil.
    @_disfavoredOverload public var animatedCoder: (any SDAnimatedImageCoder)? { nil }
}

/// A coder that decodes partial images, with SDWebImage's signatures.
@preconcurrency public protocol SDProgressiveImageCoder: ProgressiveImageCoder {
    /// The partial image; nil before the first row.
    func incrementalDecodedImage(options: SDImageCoderOptions?) -> UIImage?
}

extension SDProgressiveImageCoder {
    /// The same image, for callers that use ``WebImageCore/ProgressiveImageCoder``.
    @_disfavoredOverload public func incrementalDecodedImage(with options: ImageCoderOptions?) -> Image? {
        incrementalDecodedImage(options: options)
    }
}
