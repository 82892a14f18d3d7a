public import Foundation
public import WebImage
public import WebImageCodecs

// The built-in coders with SDWebImage's signatures.

extension ImageGIFCoder: SDAnimatedImageCoder, SDProgressiveImageCoder {
    /// The partial image, by the name that Apple's importer gives the method; nil before the first row.
    public func incrementalDecodedImage(options: SDImageCoderOptions? = nil) -> UIImage? {
        incrementalDecodedImage(with: options)
    }
    /// The number of complete frames, for an incremental coder those that have arrived.
    public var animatedImageFrameCount: UInt { UInt(clamping: ownFrames) }
    /// The loop count; 0 is for ever.
    public var animatedImageLoopCount: UInt { UInt(clamping: ownLoops) }
    /// A frame, composited on the whole canvas.
    public func animatedImageFrame(at index: UInt) -> UIImage? { animatedImageFrame(at: Int(clamping: index)) }
    /// The seconds that a frame is shown.
    public func animatedImageDuration(at index: UInt) -> TimeInterval {
        animatedImageDuration(at: Int(clamping: index))
    }
}

extension ImagePNGCoder: SDAnimatedImageCoder, SDProgressiveImageCoder {
    /// The partial image, by the name that Apple's importer gives the method; nil before the first row.
    public func incrementalDecodedImage(options: SDImageCoderOptions? = nil) -> UIImage? {
        incrementalDecodedImage(with: options)
    }
    /// The number of complete frames, for an incremental coder those that have arrived.
    public var animatedImageFrameCount: UInt { UInt(clamping: ownFrames) }
    /// The loop count; 0 is for ever.
    public var animatedImageLoopCount: UInt { UInt(clamping: ownLoops) }
    /// A frame, composited on the whole canvas.
    public func animatedImageFrame(at index: UInt) -> UIImage? { animatedImageFrame(at: Int(clamping: index)) }
    /// The seconds that a frame is shown.
    public func animatedImageDuration(at index: UInt) -> TimeInterval {
        animatedImageDuration(at: Int(clamping: index))
    }
}

extension ImageWebPCoder: SDAnimatedImageCoder, SDProgressiveImageCoder {
    /// The partial image, by the name that Apple's importer gives the method; nil before the first row.
    public func incrementalDecodedImage(options: SDImageCoderOptions? = nil) -> UIImage? {
        incrementalDecodedImage(with: options)
    }
    /// The number of complete frames; 0 for an instance without an animation.
    public var animatedImageFrameCount: UInt { UInt(clamping: ownFrames) }
    /// The loop count; 0 is for ever.
    public var animatedImageLoopCount: UInt { UInt(clamping: ownLoops) }
    /// A frame, composited on the whole canvas.
    public func animatedImageFrame(at index: UInt) -> UIImage? { animatedImageFrame(at: Int(clamping: index)) }
    /// The seconds that a frame is shown.
    public func animatedImageDuration(at index: UInt) -> TimeInterval {
        animatedImageDuration(at: Int(clamping: index))
    }
}

extension ArrivingAnimation: SDAnimatedImageCoder {
    /// The number of frames that have arrived completely.
    public var animatedImageFrameCount: UInt { UInt(clamping: ownFrames) }
    /// The loop count that the arrived part declares.
    public var animatedImageLoopCount: UInt { UInt(clamping: ownLoops) }
    /// A frame.
    public func animatedImageFrame(at index: UInt) -> UIImage? { animatedImageFrame(at: Int(clamping: index)) }
    /// The seconds that a frame is shown.
    public func animatedImageDuration(at index: UInt) -> TimeInterval {
        animatedImageDuration(at: Int(clamping: index))
    }
}

extension ImageJPEGCoder: SDProgressiveImageCoder {
    /// The partial image, by the name that Apple's importer gives the method; nil before the first row.
    public func incrementalDecodedImage(options: SDImageCoderOptions? = nil) -> UIImage? {
        incrementalDecodedImage(with: options)
    }
}

extension ImageCodersManager {
    /// Encodes an animation with the last added coder that can write it; nil when none can. Blocks while it encodes.
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
