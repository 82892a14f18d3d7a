public import Foundation
public import WebImage
public import WebImageCodecs
import WebImageCompatibility

// These extensions add SDWebImage's signatures to the built-in coders.

extension ImageGIFCoder: SDTypedImageCoder, SDAnimatedImageCoder, SDProgressiveImageCoder {
    /// The number of complete frames. For an incremental coder, the number of frames that have arrived.
    public var animatedImageFrameCount: UInt { UInt(clamping: ownFrames) }
    /// The loop count. 0 means that the animation repeats endlessly.
    public var animatedImageLoopCount: UInt { UInt(clamping: ownLoops) }
    /// Returns a frame, composited on the whole canvas of the animation.
    public func animatedImageFrame(at index: UInt) -> UIImage? { animatedImageFrame(at: Int(clamping: index)) }
    /// The duration of a frame in seconds.
    public func animatedImageDuration(at index: UInt) -> TimeInterval {
        animatedImageDuration(at: Int(clamping: index))
    }
}

extension ImagePNGCoder: SDTypedImageCoder, SDAnimatedImageCoder, SDProgressiveImageCoder {
    /// The number of complete frames. For an incremental coder, the number of frames that have arrived.
    public var animatedImageFrameCount: UInt { UInt(clamping: ownFrames) }
    /// The loop count. 0 means that the animation repeats endlessly.
    public var animatedImageLoopCount: UInt { UInt(clamping: ownLoops) }
    /// Returns a frame, composited on the whole canvas of the animation.
    public func animatedImageFrame(at index: UInt) -> UIImage? { animatedImageFrame(at: Int(clamping: index)) }
    /// The duration of a frame in seconds.
    public func animatedImageDuration(at index: UInt) -> TimeInterval {
        animatedImageDuration(at: Int(clamping: index))
    }
}

extension ImageWebPCoder: SDTypedImageCoder, SDAnimatedImageCoder, SDProgressiveImageCoder {
    /// The number of complete frames. 0 if the coder was created without an animation.
    public var animatedImageFrameCount: UInt { UInt(clamping: ownFrames) }
    /// The loop count. 0 means that the animation repeats endlessly.
    public var animatedImageLoopCount: UInt { UInt(clamping: ownLoops) }
    /// Returns a frame, composited on the whole canvas of the animation.
    public func animatedImageFrame(at index: UInt) -> UIImage? { animatedImageFrame(at: Int(clamping: index)) }
    /// The duration of a frame in seconds.
    public func animatedImageDuration(at index: UInt) -> TimeInterval {
        animatedImageDuration(at: Int(clamping: index))
    }
}

extension ArrivingAnimation: SDTypedImageCoder, SDAnimatedImageCoder {
    /// The number of frames that have arrived completely.
    public var animatedImageFrameCount: UInt { UInt(clamping: ownFrames) }
    /// The loop count that the bytes received so far declare.
    public var animatedImageLoopCount: UInt { UInt(clamping: ownLoops) }
    /// Returns a frame, composited on the whole canvas of the animation.
    public func animatedImageFrame(at index: UInt) -> UIImage? { animatedImageFrame(at: Int(clamping: index)) }
    /// The duration of a frame in seconds.
    public func animatedImageDuration(at index: UInt) -> TimeInterval {
        animatedImageDuration(at: Int(clamping: index))
    }
}

extension ImageJPEGCoder: SDTypedImageCoder, SDProgressiveImageCoder {}

extension ImageBMPCoder: SDTypedImageCoder {}

extension ImageICOCoder: SDTypedImageCoder {}

extension ImageCodersManager: SDTypedImageCoder {
    /// Whether any coder recognises the data. Coders with SDWebImage's signatures that are asked for nil decide themselves.
    public func canDecode(from data: Data?) -> Bool {
        if let data { return canDecode(from: data) }
        return ownCoders.contains { ($0 as? any SDImageCoder)?.canDecode(from: nil) ?? false }
    }

    /// Encodes an animation with the registered coders. Tries only the coders that can write `format`. The coder that
    /// was added last is tried first. If a coder fails, the coder that was added before it is tried.
    ///
    /// Returns nil if `frames` is empty or every coder fails. Blocks during encoding.
    public func encodedData(
        with frames: [SDImageFrame], loopCount: UInt, format: SDImageFormat, options: SDImageCoderOptions? = nil
    ) -> Data? {
        guard let first = frames.first else { return nil }
        let format = format == .undefined ? first.image.imageFormat : format
        return ownCoders.reversed().lazy.filter { $0.canEncode(to: format) }.compactMap {
            AdoptedCoder.adopting($0).encodedData(with: frames, loopCount: loopCount, format: format, options: options)
        }.first
    }
}
