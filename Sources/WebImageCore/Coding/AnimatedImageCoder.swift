public import Foundation

/// Provides the frames of an animation by index. Each frame is complete: it has the size of the canvas and
/// includes the visible parts of earlier frames. The requirements are the same as in SDWebImage.
///
/// Safe on any thread. Do not call ``animatedImageFrame(at:)`` on the main thread, because it blocks during the
/// decode.
@preconcurrency public protocol AnimatedImageProvider: Sendable {
    /// The encoded animation; nil when it is not available.
    var animatedImageData: Data? { get }
    /// The number of frames; during a download, the number of frames that have arrived.
    var animatedImageFrameCount: Int { get }
    /// The number of loops to play; 0 means forever. For a GIF, this is the number in its loop extension, as in SDWebImage.
    var animatedImageLoopCount: Int { get }
    /// The number of times that the animation plays by the rules of its format; 0 means forever. In a GIF, the loop
    /// extension counts the repetitions after the first play. Conversions use this number.
    var animatedImagePlayCount: Int { get }
    /// Returns a frame; nil when the index is out of range or the frame cannot be decoded.
    func animatedImageFrame(at index: Int) -> Image?
    /// Returns the duration of a frame during playback in seconds; 0 when the index is out of range. A stored
    /// delay under 11 ms becomes 100 ms.
    func animatedImageDuration(at index: Int) -> TimeInterval
}

extension AnimatedImageProvider {
    /// The same as ``animatedImageLoopCount`` by default: every format but GIF counts plays.
    public var animatedImagePlayCount: Int { animatedImageLoopCount }
}

extension Image {
    /// The image as a provider of frames; nil for a still image.
    var animationProvider: (any AnimatedImageProvider)? { self as? any AnimatedImageProvider }
}

/// A coder that decodes the frames of one animation. A new instance is created for each animation.
@preconcurrency public protocol AnimatedImageCoder: ImageCoder, AnimatedImageProvider {
    /// Opens an animation. A still image is opened as an animation of one frame. Returns nil when the data cannot
    /// be read or exceeds a limit.
    init?(animatedImageData data: Data?, options: ImageCoderOptions?)
    /// Returns a frame. The error of a ``DetailedAnimatedImageCoder`` contains the reason of a failure; the default
    /// implementation throws a general error.
    ///
    /// - Throws: `.badImageData` when the index is out of range or the frame cannot be decoded, `.limitExceeded` when
    ///   the frame exceeds a limit.
    func frameWithReason(at index: Int) throws(WebImageError) -> Image
    /// The coder, if it reports reasons. Every type that adopts ``DetailedAnimatedImageCoder`` returns itself.
    var detailedAnimated: (any DetailedAnimatedImageCoder)? { get }
}

extension AnimatedImageCoder {
    /// Returns the result of ``AnimatedImageProvider/animatedImageFrame(at:)``, or throws `.badImageData`.
    public func frameWithReason(at index: Int) throws(WebImageError) -> Image {
        if let image = animatedImageFrame(at: index) { return image }
        throw .badData("\(type(of: self))", "returned no frame \(index)")
    }
    /// Nil by default.
    public var detailedAnimated: (any DetailedAnimatedImageCoder)? { nil }
}

/// An ``AnimatedImageCoder`` whose methods throw an error that contains the reason of a failure.
@preconcurrency public protocol DetailedAnimatedImageCoder: AnimatedImageCoder, DetailedImageCoder {
    /// Opens an animation.
    ///
    /// - Throws: `.badImageData` when the data cannot be read, `.limitExceeded` when the animation exceeds a limit.
    init(animation data: Data, options: DecodingOptions) throws(WebImageError)
    /// Returns a complete frame in the size of the canvas.
    ///
    /// - Throws: `.badImageData` when the index is out of range or the frame cannot be decoded, `.limitExceeded` when
    ///   the frame exceeds a limit.
    func frame(at index: Int) throws(WebImageError) -> Image
}

extension DetailedAnimatedImageCoder {
    /// Opens an animation. A still image is opened as an animation of one frame. Returns nil when the data cannot
    /// be read or exceeds a limit.
    public init?(animatedImageData data: Data?, options: ImageCoderOptions?) {
        guard let data else { return nil }
        try? self.init(animation: data, options: DecodingOptions(options))
    }

    /// Returns a frame; nil when the index is out of range or the frame cannot be decoded.
    public func animatedImageFrame(at index: Int) -> Image? { try? frame(at: index) }

    /// Returns the result of ``frame(at:)``.
    public func frameWithReason(at index: Int) throws(WebImageError) -> Image { try frame(at: index) }
    /// The coder itself.
    public var detailedAnimated: (any DetailedAnimatedImageCoder)? { self }
}

extension DetailedAnimatedImageCoder {
    /// Returns the final image of a decode. `poster` is the decoded first frame. The returned image is an animation
    /// that decodes its other frames when they are needed. Returns `poster` itself if the options request only the
    /// first frame, if the file has only one frame, or if the other frames cannot be read.
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
        // If there is a byte limit for all frames together, each frame can be smaller than `poster`. Therefore decode
        // the first frame again at the smaller size.
        let isBounded = options.scaleDownLimitBytes != nil
        return AnimatedImage(sharing: (isBounded ? try? frames.frame(at: 0) : nil) ?? poster, animatedCoder: frames)
    }
}

/// A coder that writes animations.
@preconcurrency public protocol FrameEncodingImageCoder: ImageCoder {
    /// Returns the encoded animation. A single frame is written as a still image.
    ///
    /// - Parameters:
    ///   - frameCount: the number of frames, at least 1.
    ///   - loopCount: the number of times that the animation plays; 0 means forever.
    ///   - frame: returns the frame at an index. `frame` is called once per frame, in order, so that only a few frames
    ///     are in memory at a time. The first frame determines the size of the animation.
    /// - Throws: `.encodingFailed` when the animation cannot be encoded, and every error that `frame` throws.
    func encode(
        frameCount: Int, loopCount: Int, format: ImageFormat, options: EncodingOptions,
        frame: (Int) throws(WebImageError) -> ImageFrame
    ) throws(WebImageError) -> Data
}

extension FrameEncodingImageCoder {
    /// The coder itself.
    public var frameEncoder: (any FrameEncodingImageCoder)? { self }

    /// Returns the encoded animation. A single frame is written as a still image.
    ///
    /// - Throws: `.encodingFailed` when the animation cannot be encoded or `frames` is empty.
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

    /// Returns the encoded animation; nil when it cannot be encoded. An undefined format means the format of the first
    /// frame.
    ///
    /// As in SDWebImage, a GIF stores `loopCount` itself, so that ``AnimatedImageProvider/animatedImageLoopCount`` of the
    /// result is the same number. A GIF with the count 1 has no loop extension.
    @_disfavoredOverload
    public func encodedData(
        with frames: [ImageFrame], loopCount: Int, format: ImageFormat, options: ImageCoderOptions?
    ) -> Data? {
        let format = format == .undefined ? frames.first?.image.imageFormat ?? format : format
        let plays = format == .gif && loopCount > 1 ? min(loopCount, .max - 1) + 1 : loopCount
        return try? encode(frames, loopCount: plays, format: format, options: EncodingOptions(options))
    }

    /// Returns the encoded animation; nil when it cannot be encoded. An undefined format means the format of the first
    /// frame.
    public func encodedData(
        with frames: [ImageFrame], loopCount: UInt, format: ImageFormat, options: ImageCoderOptions?
    ) -> Data? {
        let loops = Int(clamping: loopCount)
        return encodedData(with: frames, loopCount: loops, format: format, options: options)
    }

    /// Encodes all frames of an animated image. Returns nil if the image is a still image or the options request
    /// only the first frame.
    package func encodeAnimation(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data? {
        guard !options.firstFrameOnly, let animation = image.animationProvider,
            animation.animatedImageFrameCount > 1
        else { return nil }
        return try encode(
            frameCount: animation.animatedImageFrameCount, loopCount: animation.animatedImagePlayCount,
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

/// Converts the delay that a file stores for a frame to the duration during playback.
public enum FrameDuration {
    /// Returns the duration in seconds for a delay in milliseconds. A delay under 11 ms becomes 100 ms, as in
    /// browsers and in SDWebImage.
    public static func played(milliseconds: Double) -> TimeInterval {
        milliseconds < 11 ? 0.1 : milliseconds / 1000
    }
}
