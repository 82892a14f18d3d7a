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

/// A coder that writes animations.
@preconcurrency public protocol FrameEncodingImageCoder: ImageCoder {
    /// The encoded animation; a single frame is written as a still.
    ///
    /// - Throws: `.encodingFailed`.
    func encode(
        _ frames: [ImageFrame], loopCount: Int, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data
}

/// How long a stored delay is shown.
public enum FrameDuration {
    /// Seconds of a delay stored in milliseconds: under 11 ms becomes 100 ms, as browsers and the original play it.
    public static func played(milliseconds: Double) -> TimeInterval {
        milliseconds < 11 ? 0.1 : milliseconds / 1000
    }
}
