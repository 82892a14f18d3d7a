public import Foundation
public import WebImage
public import WebImageCodecs

// The built-in coders in the original's shape.

extension ImageGIFCoder: SDAnimatedImageCoder, SDProgressiveImageCoder {
    /// What can be shown now, under the name that Apple's importer gives; nil before the first row is there.
    public func incrementalDecodedImage(options: SDImageCoderOptions? = nil) -> UIImage? {
        incrementalDecodedImage(with: options)
    }
    /// Whole frames, of an incremental coder those that have arrived.
    public var animatedImageFrameCount: UInt { UInt(clamping: ownFrames) }
    /// How often it plays; 0 is for ever.
    public var animatedImageLoopCount: UInt { UInt(clamping: ownLoops) }
    /// A frame on the whole canvas.
    public func animatedImageFrame(at index: UInt) -> UIImage? { animatedImageFrame(at: Int(clamping: index)) }
    /// Seconds a frame is shown.
    public func animatedImageDuration(at index: UInt) -> TimeInterval {
        animatedImageDuration(at: Int(clamping: index))
    }
}

extension ImagePNGCoder: SDAnimatedImageCoder, SDProgressiveImageCoder {
    /// What can be shown now, under the name that Apple's importer gives; nil before the first row is there.
    public func incrementalDecodedImage(options: SDImageCoderOptions? = nil) -> UIImage? {
        incrementalDecodedImage(with: options)
    }
    /// Whole frames, of an incremental coder those that have arrived.
    public var animatedImageFrameCount: UInt { UInt(clamping: ownFrames) }
    /// How often it plays; 0 is for ever.
    public var animatedImageLoopCount: UInt { UInt(clamping: ownLoops) }
    /// A frame on the whole canvas.
    public func animatedImageFrame(at index: UInt) -> UIImage? { animatedImageFrame(at: Int(clamping: index)) }
    /// Seconds a frame is shown.
    public func animatedImageDuration(at index: UInt) -> TimeInterval {
        animatedImageDuration(at: Int(clamping: index))
    }
}

extension ImageWebPCoder: SDAnimatedImageCoder, SDProgressiveImageCoder {
    /// What can be shown now, under the name that Apple's importer gives; nil before the first row is there.
    public func incrementalDecodedImage(options: SDImageCoderOptions? = nil) -> UIImage? {
        incrementalDecodedImage(with: options)
    }
    /// Whole frames; 0 for an instance that holds no animation.
    public var animatedImageFrameCount: UInt { UInt(clamping: ownFrames) }
    /// How often it plays; 0 is for ever.
    public var animatedImageLoopCount: UInt { UInt(clamping: ownLoops) }
    /// A frame on the whole canvas.
    public func animatedImageFrame(at index: UInt) -> UIImage? { animatedImageFrame(at: Int(clamping: index)) }
    /// Seconds a frame is shown.
    public func animatedImageDuration(at index: UInt) -> TimeInterval {
        animatedImageDuration(at: Int(clamping: index))
    }
}

extension ArrivingAnimation: SDAnimatedImageCoder {
    /// Frames that have arrived whole.
    public var animatedImageFrameCount: UInt { UInt(clamping: ownFrames) }
    /// How often it plays, as far as the part says.
    public var animatedImageLoopCount: UInt { UInt(clamping: ownLoops) }
    /// A frame.
    public func animatedImageFrame(at index: UInt) -> UIImage? { animatedImageFrame(at: Int(clamping: index)) }
    /// Seconds a frame is shown.
    public func animatedImageDuration(at index: UInt) -> TimeInterval {
        animatedImageDuration(at: Int(clamping: index))
    }
}

extension ImageJPEGCoder: SDProgressiveImageCoder {
    /// What can be shown now, under the name that Apple's importer gives; nil before the first row is there.
    public func incrementalDecodedImage(options: SDImageCoderOptions? = nil) -> UIImage? {
        incrementalDecodedImage(with: options)
    }
}

extension ImageCodersManager {
    /// The frames as an animation, by the last added coder that writes them; nil when none does. Blocks while it encodes.
    public func encodedData(
        with frames: [SDImageFrame], loopCount: UInt, format: SDImageFormat, options: SDImageCoderOptions? = nil
    ) -> Data? {
        guard let first = frames.first else { return nil }
        let format = format == .undefined ? first.image.imageFormat : format
        return ownCoders.reversed().lazy.filter { $0.canEncode(to: format) }.compactMap {
            $0.encodedData(with: frames, loopCount: loopCount, format: format, options: options)
        }.first
    }
}
