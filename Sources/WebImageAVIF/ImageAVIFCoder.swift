public import Foundation
public import WebImageCore
import WebImageGraphics

/// Reads AVIF stills and sequences and writes both (AV1 Image File Format 1.1), by libavif.
///
/// Orientation comes from the boxes `clap`, `irot` and `imir` alone. The loop count of a sequence is
/// read by libavif 1.0 and newer; with an older one every sequence plays for ever. libavif has no callback while it
/// decodes, so the time limit is checked before and after a picture. The pixel limit also applies to the AV1 decoder and
/// bounds the time of one picture.
///
/// Add ``shared`` to `ImageCodersManager`. Safe on any thread; one decode uses one thread.
public final class ImageAVIFCoder: DetailedAnimatedImageCoder, FrameEncodingImageCoder {
    /// The instance for stills; it has no state.
    public static let shared = ImageAVIFCoder()

    private let source: (any AnimationSource)?

    /// Makes another coder for stills.
    public init() { source = nil }

    /// Opens an animation, or a still as one frame.
    ///
    /// - Throws: `.badImageData`, `.limitExceeded`.
    public init(animation data: Data, options: DecodingOptions) throws(WebImageError) {
        source = try AVIFAnimation(data, options: options)
    }

    /// Whether the data starts like an AVIF file.
    public func canDecode(from data: Data?) -> Bool {
        data.map { ImageFormat(sniffing: $0.prefix(256)) == .avif } ?? false
    }

    /// Whether the format is AVIF.
    public func canEncode(to format: ImageFormat) -> Bool { format == .avif }

    /// The facts in the boxes; no AV1 data is decoded.
    ///
    /// - Throws: `.badImageData`, `.limitExceeded`.
    public func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try limits.checkEncodedBytes(data.count)
        return try data.withFileBytes { bytes throws(WebImageError) in try AVIFDecoder(bytes, limits: limits).info }
    }

    /// The still, or the animation of a sequence with its poster frame; only the first frame if the options ask for it.
    ///
    /// Decodes the first frame; the others are decoded when they are needed.
    /// - Throws: `.badImageData`, also for a file that is cut off; `.limitExceeded`.
    public func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        try options.limits.checkEncodedBytes(data.count)
        let deadline = DecodeDeadline(options.limits)
        let (poster, frameCount) = try data.withFileBytes { bytes throws(WebImageError) in
            var limits = options.limits
            if options.firstFrameOnly { limits.maxAnimationPixels = .max }
            let decoder = try AVIFDecoder(bytes, limits: limits)
            let options = options.resolved(bitDepth: decoder.info.bitDepth)
            try options.checkMemory(for: decoder.info)
            let picture = try decoder.picture(at: 0, options: options)
            try deadline.check()
            return (try picture.finished(options: options, fullSize: decoder.info.storedSize), decoder.info.frameCount)
        }
        return Self.picture(poster, of: data, frameCount: frameCount, options: options)
    }

    /// Encodes a still: 4:4:4, with the image's profile if it has one; lossless if the options ask for it.
    ///
    /// Channels have eight bits, or twelve for an image of sixteen when the options keep high dynamic range. With
    /// `maxFileSize` the quality is the highest whose file fits.
    public func encode(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data {
        try QualitySearch.encode(options) { options throws(WebImageError) in
            try encode(frameCount: 1, loopCount: 0, format: format, options: options) { _ in
                ImageFrame(image: image, duration: 0)
            }
        }
    }

    /// Encodes a sequence with durations in milliseconds; a single frame becomes a still.
    ///
    /// All frames get the size of the first. `maxFileSize` is ignored, because each frame is supplied only once.
    public func encode(
        frameCount: Int, loopCount: Int, format: ImageFormat, options: EncodingOptions,
        frame: (Int) throws(WebImageError) -> ImageFrame
    ) throws(WebImageError) -> Data {
        guard canEncode(to: format) else { throw .cannotEncode("libavif", "\(format) is not AVIF") }
        let count = options.firstFrameOnly ? min(frameCount, 1) : frameCount
        return try AVIFEncoder().encode(frameCount: count, options: options, frame: frame)
    }

    /// The encoded animation; nil when none was opened.
    public var animatedImageData: Data? { source?.data }
    /// The number of frames of the opened animation.
    public var animatedImageFrameCount: Int { source?.info.frameCount ?? 0 }
    /// Always 0, for ever.
    public var animatedImageLoopCount: Int { source?.info.loopCount ?? 0 }
    /// The seconds that a frame is played.
    public func animatedImageDuration(at index: Int) -> TimeInterval { source?.playedDuration(at: index) ?? 0 }

    /// A frame of the opened animation. In order, each call decodes one frame; a step back decodes from a key frame.
    ///
    /// - Throws: `.badImageData`, also for an index out of range; `.limitExceeded`.
    public func frame(at index: Int) throws(WebImageError) -> Image {
        guard let source else { throw .noAnimation }
        return try source.frame(at: index)
    }
}
