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
    /// Opens an animation. A still image is opened as an animation of one frame.
    ///
    /// - Throws: `.badImageData` when the data cannot be read, `.limitExceeded` when the animation exceeds a limit.
    init(animation data: Data, options: DecodingOptions) throws(WebImageError)
    /// Returns a complete frame in the size of the canvas.
    ///
    /// - Throws: `.badImageData` when the index is out of range or the frame cannot be decoded, `.limitExceeded` when
    ///   the frame exceeds a limit.
    func frame(at index: Int) throws(WebImageError) -> Image
}

extension AnimatedImageCoder {
    /// The coder itself.
    public var animated: (any AnimatedImageCoder)? { self }
    /// Returns a frame; nil when the index is out of range or the frame cannot be decoded.
    public func animatedImageFrame(at index: Int) -> Image? { try? frame(at: index) }
}

extension AnimatedImageCoder {
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

/// Converts the delay that a file stores for a frame to the duration during playback.
public enum FrameDuration {
    /// Returns the duration in seconds for a delay in milliseconds. A delay under 11 ms becomes 100 ms, as in
    /// browsers and in SDWebImage.
    public static func played(milliseconds: Double) -> TimeInterval {
        milliseconds < 11 ? 0.1 : milliseconds / 1000
    }
}
