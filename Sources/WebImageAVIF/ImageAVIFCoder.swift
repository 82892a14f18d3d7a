public import Foundation
public import WebImageCore
import WebImageGraphics

/// Reads AVIF stills and sequences and writes both (AV1 Image File Format 1.1), by libavif.
///
/// Only the boxes `clap`, `irot` and `imir` determine crop and orientation; EXIF orientation is ignored. The loop count
/// of a sequence requires libavif 1.0; with an older version every sequence repeats for ever. libavif has no callback
/// while it decodes, so the time limit is checked only before and after a picture. The pixel limit also applies to the
/// AV1 decoder, which bounds the time of one picture.
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

    /// Reads the facts that the boxes declare; decodes no AV1 data.
    ///
    /// - Throws: `.badImageData`, `.limitExceeded`.
    public func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try limits.checkEncodedBytes(data.count)
        return try data.withFileBytes { bytes throws(WebImageError) in try AVIFDecoder(bytes, limits: limits).info }
    }

    /// Decodes a still, or opens a sequence as an animation with a poster frame. If `firstFrameOnly` is set, a
    /// sequence is decoded as a still of its first frame.
    ///
    /// Decodes only the first frame; the other frames are decoded when they are requested.
    /// - Throws: `.badImageData`, also for a truncated file; `.limitExceeded`.
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

    /// Encodes a still, with the image's colour profile if it has one. It is lossless if the options request it. Lossy
    /// files below quality 0.9 with eight bits store chroma at half resolution (4:2:0), all others at full resolution.
    ///
    /// Channels have eight bits, or twelve if the image has sixteen and the options keep high dynamic range. With
    /// `maxFileSize` the file gets the highest quality at which it fits.
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
    /// `maxFileSize` is ignored, because each frame is supplied only once and cannot be encoded again at a lower
    /// quality.
    /// - Throws: `.encodingFailed`, also if the frames differ in size.
    public func encode(
        frameCount: Int, loopCount: Int, format: ImageFormat, options: EncodingOptions,
        frame: (Int) throws(WebImageError) -> ImageFrame
    ) throws(WebImageError) -> Data {
        guard canEncode(to: format) else { throw .cannotEncode("libavif", "\(format) is not AVIF") }
        let count = options.firstFrameOnly ? min(frameCount, 1) : frameCount
        return try AVIFEncoder().encode(frameCount: count, options: options, frame: frame)
    }

    /// The encoded bytes of the opened animation; nil if none is open.
    public var animatedImageData: Data? { source?.data }
    /// The number of frames of the opened animation.
    public var animatedImageFrameCount: Int { source?.info.frameCount ?? 0 }
    /// The loop count that the opened file declares; 0 (repeat for ever) if it declares none.
    public var animatedImageLoopCount: Int { source?.info.loopCount ?? 0 }
    /// The seconds for which a frame is displayed.
    public func animatedImageDuration(at index: Int) -> TimeInterval { source?.playedDuration(at: index) ?? 0 }

    /// Decodes a frame of the opened animation. In ascending order, each call decodes one frame. For any other
    /// order, decoding starts at the key frame before the frame.
    ///
    /// - Throws: `.badImageData`, also for an index out of range; `.limitExceeded`.
    public func frame(at index: Int) throws(WebImageError) -> Image {
        guard let source else { throw .noAnimation }
        return try source.frame(at: index)
    }
}
