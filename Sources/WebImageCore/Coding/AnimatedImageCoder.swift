public import Foundation

/// Frames by number, each whole and composited on the full canvas; the shape is the original's.
///
/// Safe on any thread; ``animatedImageFrame(at:)`` decodes, so never on the main thread.
@preconcurrency public protocol AnimatedImageProvider: Sendable {
    /// The encoded animation; nil when there is none to give.
    var animatedImageData: Data? { get }
    /// How many frames there are, or have arrived.
    var animatedImageFrameCount: Int { get }
    /// How often it plays; 0 is for ever.
    var animatedImageLoopCount: Int { get }
    /// A frame; nil when there is none of this number or it cannot be decoded.
    func animatedImageFrame(at index: Int) -> Image?
    /// Seconds a frame is shown, as it is played (under 11 ms becomes 100 ms); 0 when there is none of this number.
    func animatedImageDuration(at index: Int) -> TimeInterval
}

/// A coder that gives the frames of one animation; a new instance is made for each.
@preconcurrency public protocol AnimatedImageCoder: ImageCoder, AnimatedImageProvider {
    /// Opens an animation, or a still as one frame; nil when the data cannot be read or a limit fires.
    init?(animatedImageData data: Data?, options: ImageCoderOptions?)
}

/// An animated coder that says why it failed.
@preconcurrency public protocol DetailedAnimatedImageCoder: AnimatedImageCoder, DetailedImageCoder {
    /// Opens an animation.
    ///
    /// - Throws: `.badImageData`, `.limitExceeded`.
    init(animation data: Data, options: DecodingOptions) throws(WebImageError)
    /// A frame, composited on the full canvas.
    ///
    /// - Throws: `.badImageData` also for a number there is no frame of, `.limitExceeded`.
    func frame(at index: Int) throws(WebImageError) -> Image
}

extension DetailedAnimatedImageCoder {
    /// Opens an animation, or a still as one frame; nil when the data cannot be read or a limit fires.
    public init?(animatedImageData data: Data?, options: ImageCoderOptions?) {
        guard let data else { return nil }
        try? self.init(animation: data, options: DecodingOptions(options))
    }

    /// A frame; nil when there is none of this number or it cannot be decoded.
    public func animatedImageFrame(at index: Int) -> Image? { try? frame(at: index) }
}

extension DetailedAnimatedImageCoder {
    /// What a decode gives of a file whose first frame it has decoded: the animation, its other frames decoded when they
    /// are needed; the frame alone where the options want no more, the file has no more, or no further one can be read.
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
        // A bound for all frames together makes each of them smaller than a picture of one frame.
        let isBounded = options.scaleDownLimitBytes != nil
        return AnimatedImage(sharing: (isBounded ? try? frames.frame(at: 0) : nil) ?? poster, animatedCoder: frames)
    }
}

/// A coder that writes animations.
@preconcurrency public protocol FrameEncodingImageCoder: ImageCoder {
    /// The encoded animation; a single frame is written as a still.
    ///
    /// - Parameters:
    ///   - frameCount: How many frames there are, at least 1.
    ///   - loopCount: How often it plays; 0 is for ever.
    ///   - frame: Gives the frame of a number, once each and in order, so that only few need be in memory. The first
    ///     one's size is that of the animation.
    /// - Throws: `.encodingFailed`, and what `frame` throws.
    func encode(
        frameCount: Int, loopCount: Int, format: ImageFormat, options: EncodingOptions,
        frame: (Int) throws(WebImageError) -> ImageFrame
    ) throws(WebImageError) -> Data
}

extension FrameEncodingImageCoder {
    /// The encoded animation; a single frame is written as a still.
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

    /// The encoded animation, or nil for any failure. An undefined format means that of the first frame.
    @_disfavoredOverload
    public func encodedData(
        with frames: [ImageFrame], loopCount: Int, format: ImageFormat, options: ImageCoderOptions?
    ) -> Data? {
        let format = format == .undefined ? frames.first?.image.imageFormat ?? format : format
        return try? encode(frames, loopCount: loopCount, format: format, options: EncodingOptions(options))
    }

    /// The encoded animation, or nil for any failure. An undefined format means that of the first frame.
    public func encodedData(
        with frames: [ImageFrame], loopCount: UInt, format: ImageFormat, options: ImageCoderOptions?
    ) -> Data? {
        let loops = Int(clamping: loopCount)
        return encodedData(with: frames, loopCount: loops, format: format, options: options)
    }

    /// All frames of an image that is an animation; nil for a still, or where the options want the first frame alone.
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

/// How long a stored delay is shown.
public enum FrameDuration {
    /// Seconds of a delay stored in milliseconds: under 11 ms becomes 100 ms, as browsers and the original play it.
    public static func played(milliseconds: Double) -> TimeInterval {
        milliseconds < 11 ? 0.1 : milliseconds / 1000
    }
}
