public import Foundation
public import WebImageCore

/// Draws Lottie animations with rlottie: JSON documents, those compressed with gzip (stickers of Telegram), and the first
/// animation of a `.lottie` archive.
///
/// Frames are drawn at the requested size, sharp at every size. The frames, their duration and the size come from the
/// document: rlottie itself counts frames and seconds differently in its versions. Text layers and expressions are not drawn,
/// because rlottie does not support them. Pictures must be inside the document (`data:`); a document that names other files
/// is refused, because rlottie would open any file of the machine.
///
/// rlottie starts a thread for each processor at the first frame of the process, and cannot be interrupted while it draws a
/// frame.
///
/// Add ``shared`` to `ImageCodersManager`. Safe on any thread.
public final class ImageLottieCoder: AnimatedImageCoder {
    /// The shared coder. It has no open animation and no other state.
    public static let shared = ImageLottieCoder()

    private let source: (any AnimationSource)?

    /// Creates a coder without an open animation.
    public init() { source = nil }

    /// Opens an animation.
    ///
    /// - Throws: `.badImageData` if the document cannot be read or is refused. `.limitExceeded` if it exceeds a limit.
    public init(animation data: Data, options: DecodingOptions) throws(WebImageError) {
        source = try LottieAnimation(data, options: options)
    }

    /// The signatures of the files that this coder reads.
    public var signatures: [FileSignature]? { [.format(.lottie), .start([0x1F, 0x8B, 8])] }

    /// Whether the data is a Lottie document: plain, compressed with gzip, or in a `.lottie` archive.
    public func canDecode(from data: Data) -> Bool {
        ImageFormat(sniffing: data) == .lottie || LottieFile.isCompressedDocument(data)
    }

    /// Reads the size, the frames and their duration from the document. Uses no library, and reads no further than to the last
    /// of these values: ``decode(_:options:)`` can refuse a document for its rest.
    ///
    /// - Throws: `.badImageData` if the document does not have these values. `.limitExceeded` if it exceeds a limit.
    public func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try limits.checkEncodedBytes(data.count)
        return try LottieFile(data, limits: limits, isWhole: false).info(limits)
    }

    /// Draws the first frame and opens the animation. If `firstFrameOnly` is set, the first frame is a still image.
    ///
    /// - Throws: `.badImageData` if the document cannot be read or is refused. `.limitExceeded` if it exceeds a limit.
    public func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        let animation = try LottieAnimation(data, options: options)
        let poster = try animation.frame(at: 0)
        return Self.picture(poster, of: data, frameCount: animation.info.frameCount, options: options)
    }

    /// Always throws `.encodingFailed`: this coder only reads.
    public func encode(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data {
        throw .cannotEncode("rlottie", "this coder only reads", hint: "Choose WebP or APNG.")
    }

    /// The bytes of the open animation. Nil if no animation is open.
    public var animatedImageData: Data? { source?.data }
    /// The number of frames of the open animation. 0 if no animation is open.
    public var animatedImageFrameCount: Int { source?.info.frameCount ?? 0 }
    /// The loop count. Always 0: the animation repeats endlessly, because documents store no count.
    public var animatedImageLoopCount: Int { source?.info.loopCount ?? 0 }
    /// Returns the time in seconds for which playback shows a frame. Returns 0 if the animation has no such frame.
    public func animatedImageDuration(at index: Int) -> TimeInterval { source?.playedDuration(at: index) ?? 0 }

    /// Draws a frame of the open animation. Each frame takes the same time in every order.
    ///
    /// - Throws: `.badImageData` if the index is out of range, or no animation is open. `.limitExceeded` if the frame
    ///   exceeds a limit.
    public func frame(at index: Int) throws(WebImageError) -> Image {
        guard let source else { throw .noAnimation }
        return try source.frame(at: index)
    }
}
