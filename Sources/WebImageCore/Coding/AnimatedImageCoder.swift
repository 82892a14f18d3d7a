public import Foundation

/// The frames of an animation by index, each complete and composited on the full canvas; the same requirements as in the
/// original.
///
/// Safe on any thread. ``animatedImageFrame(at:)`` decodes, so do not call it on the main thread.
@preconcurrency public protocol AnimatedImageProvider: Sendable {
    /// The encoded animation; nil when it is not available.
    var animatedImageData: Data? { get }
    /// The number of frames that exist or have arrived.
    var animatedImageFrameCount: Int { get }
    /// The loop count; 0 means forever.
    var animatedImageLoopCount: Int { get }
    /// Returns a frame; nil when the index is out of range or the frame cannot be decoded.
    func animatedImageFrame(at index: Int) -> Image?
    /// Returns the seconds that a frame is shown during playback (a delay under 11 ms becomes 100 ms); 0 when the index
    /// is out of range.
    func animatedImageDuration(at index: Int) -> TimeInterval
}

/// A coder that decodes the frames of one animation; a new instance is made for each animation.
@preconcurrency public protocol AnimatedImageCoder: ImageCoder, AnimatedImageProvider {
    /// Opens an animation, or a still as one frame; nil when the data cannot be read or exceeds a limit.
    init?(animatedImageData data: Data?, options: ImageCoderOptions?)
}

/// An animated coder that reports why it failed.
@preconcurrency public protocol DetailedAnimatedImageCoder: AnimatedImageCoder, DetailedImageCoder {
    /// Opens an animation.
    ///
    /// - Throws: `.badImageData`, `.limitExceeded`.
    init(animation data: Data, options: DecodingOptions) throws(WebImageError)
    /// Returns a frame, composited on the full canvas.
    ///
    /// - Throws: `.badImageData` (also for an index out of range), `.limitExceeded`.
    func frame(at index: Int) throws(WebImageError) -> Image
}

extension DetailedAnimatedImageCoder {
    /// Opens an animation, or a still as one frame; nil when the data cannot be read or exceeds a limit.
    public init?(animatedImageData data: Data?, options: ImageCoderOptions?) {
        guard let data else { return nil }
        try? self.init(animation: data, options: DecodingOptions(options))
    }

    /// Returns a frame; nil when the index is out of range or the frame cannot be decoded.
    public func animatedImageFrame(at index: Int) -> Image? { try? frame(at: index) }
}

extension DetailedAnimatedImageCoder {
    /// Returns the result of a decode whose first frame is `poster`: an animation that decodes its other frames when
    /// they are needed. Returns `poster` itself if the options require only the first frame, the file has no other
    /// frame, or no other frame can be read.
    package static func picture(
        _ poster: Image, of data: Data, frameCount: Int, options: DecodingOptions
    ) -> Image {
        guard frameCount > 1 else { return poster }
        guard !options.firstFrameOnly else {
            poster.omitsFrames = true
            return poster
        }
        guard let frames = try? Self(animation: data, options: options), frames.animatedImageFrameCount > 1 else {
            return poster
        }
        // A limit for all frames together makes each frame smaller than the poster of a single frame.
        let isBounded = options.scaleDownLimitBytes != nil
        return AnimatedImage(sharing: (isBounded ? try? frames.frame(at: 0) : nil) ?? poster, animatedCoder: frames)
    }
}

/// A coder that writes animations.
@preconcurrency public protocol FrameEncodingImageCoder: ImageCoder {
    /// Returns the encoded animation; a single frame is written as a still.
    ///
    /// - Parameters:
    ///   - frameCount: the number of frames, at least 1.
    ///   - loopCount: the loop count; 0 means forever.
    ///   - frame: returns the frame at an index. It is called once per frame, in order, so that only few frames are in
    ///     memory. The first frame sets the size of the animation.
    /// - Throws: `.encodingFailed`, and the errors of `frame`.
    func encode(
        frameCount: Int, loopCount: Int, format: ImageFormat, options: EncodingOptions,
        frame: (Int) throws(WebImageError) -> ImageFrame
    ) throws(WebImageError) -> Data
}

extension FrameEncodingImageCoder {
    /// Returns the encoded animation; a single frame is written as a still.
    ///
    /// - Throws: `.encodingFailed`, also for no frames.
    public func encode(
        _ frames: [ImageFrame], loopCount: Int, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data {
        guard !frames.isEmpty else {
            throw WebImageError(.encodingFailed, stage: .encode, underlying: .message("there are no frames"))
        }
        return try encode(frameCount: frames.count, loopCount: loopCount, format: format, options: options) {
            frames[$0]
        }
    }

    /// Returns the encoded animation, or nil for any failure. An undefined format means the format of the first frame.
    @_disfavoredOverload
    public func encodedData(
        with frames: [ImageFrame], loopCount: Int, format: ImageFormat, options: ImageCoderOptions?
    ) -> Data? {
        let format = format == .undefined ? frames.first?.image.imageFormat ?? format : format
        return try? encode(frames, loopCount: loopCount, format: format, options: EncodingOptions(options))
    }

    /// Returns the encoded animation, or nil for any failure. An undefined format means the format of the first frame.
    public func encodedData(
        with frames: [ImageFrame], loopCount: UInt, format: ImageFormat, options: ImageCoderOptions?
    ) -> Data? {
        let loops = Int(clamping: loopCount)
        return encodedData(with: frames, loopCount: loops, format: format, options: options)
    }

    /// Encodes all frames of an animated image; nil for a still, or if the options require only the first frame.
    package func encodeAnimation(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data? {
        guard !options.firstFrameOnly, let animation = image as? any AnimatedImageProvider,
            animation.animatedImageFrameCount > 1
        else { return nil }
        return try encode(
            frameCount: animation.animatedImageFrameCount, loopCount: animation.animatedImageLoopCount,
            format: format, options: options
        ) { index throws(WebImageError) in
            guard let image = animation.animatedImageFrame(at: index) else {
                throw WebImageError(
                    .encodingFailed, stage: .encode, underlying: .message("frame \(index) cannot be decoded"))
            }
            return ImageFrame(image: image, duration: animation.animatedImageDuration(at: index))
        }
    }
}

/// The playback duration of a stored delay.
public enum FrameDuration {
    /// Returns the seconds for a delay stored in milliseconds: under 11 ms becomes 100 ms, as in browsers and in the
    /// original.
    public static func played(milliseconds: Double) -> TimeInterval {
        milliseconds < 11 ? 0.1 : milliseconds / 1000
    }
}
