public import Foundation
public import WebImageCore
import WebImageGraphics

/// Reads JPEG XL stills and animations and writes stills (ISO/IEC 18181), by libjxl.
///
/// libjxl blends the layers of a frame, so every frame covers the canvas. The decode time limit is checked after every
/// 256 KB of the file.
///
/// Add ``shared`` to `ImageCodersManager`. Safe on any thread; one decode uses one thread.
public final class ImageJPEGXLCoder: DetailedAnimatedImageCoder {
    /// The instance for stills; it has no state.
    public static let shared = ImageJPEGXLCoder()

    private let source: (any AnimationSource)?

    /// Makes another coder for stills.
    public init() { source = nil }

    /// Opens an animation, or a still as one frame.
    ///
    /// - Throws: `.badImageData`, `.limitExceeded`.
    public init(animation data: Data, options: DecodingOptions) throws(WebImageError) {
        source = try JXLAnimation(data, options: options)
    }

    /// Whether the data starts like a JPEG XL codestream or container.
    public func canDecode(from data: Data?) -> Bool {
        data.map { ImageFormat(sniffing: $0.prefix(ImageFormat.signatureLength)) == .jpegXL } ?? false
    }

    /// Whether the format is JPEG XL.
    public func canEncode(to format: ImageFormat) -> Bool { format == .jpegXL }

    /// Reads the facts in the header, and in the frame headers of an animation; decodes no pixels.
    ///
    /// - Throws: `.badImageData`, `.limitExceeded`.
    public func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try limits.checkEncodedBytes(data.count)
        let deadline = DecodeDeadline(limits)
        return try data.withFileBytes { bytes throws(WebImageError) in
            let pictures = try JXLPictures(bytes, limits: limits, deadline: deadline)
            try pictures.countFrames(limits: limits, deadline: deadline)
            return pictures.info
        }
    }

    /// Decodes a still, or opens an animation with a poster frame. If `firstFrameOnly` is set, an animation is
    /// decoded as a still of its first frame.
    ///
    /// Decodes only the first frame; the other frames are decoded when they are requested.
    /// - Throws: `.badImageData`, also for a truncated file; `.limitExceeded`.
    public func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        try options.limits.checkEncodedBytes(data.count)
        let deadline = DecodeDeadline(options.limits)
        let (poster, frameCount) = try data.withFileBytes { bytes throws(WebImageError) in
            let pictures = try JXLPictures(bytes, limits: options.limits, deadline: deadline)
            let options = options.resolved(bitDepth: pictures.info.bitDepth)
            try options.checkMemory(for: pictures.info)
            if !options.firstFrameOnly { try pictures.countFrames(limits: options.limits, deadline: deadline) }
            let image = try pictures.picture(at: 0, options: options, deadline: deadline)
                .finished(options: options, fullSize: pictures.info.storedSize)
            // Counting frames reads the whole file, so it is skipped when only the first frame is decoded.
            let isUncounted = options.firstFrameOnly && pictures.declaresAnimation
            return (image, isUncounted ? 2 : pictures.info.frameCount)
        }
        return Self.picture(poster, of: data, frameCount: frameCount, options: options)
    }

    /// Encodes a still, with the image's profile if it has one.
    ///
    /// It is lossless if the options request it, otherwise it has their quality (1 is libjxl's distance 0.1). With
    /// `maxFileSize` the file gets the highest quality at which it fits.
    public func encode(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data {
        guard canEncode(to: format) else { throw .cannotEncode("libjxl", "\(format) is not JPEG XL") }
        return try QualitySearch.encode(options) { options throws(WebImageError) in
            try JXLEncoder().encode(image, options: options)
        }
    }

    /// The encoded bytes of the opened animation; nil if none is open.
    public var animatedImageData: Data? { source?.data }
    /// The number of frames of the opened animation.
    public var animatedImageFrameCount: Int { source?.info.frameCount ?? 0 }
    /// The loop count of the opened animation; 0 repeats for ever.
    public var animatedImageLoopCount: Int { source?.info.loopCount ?? 0 }
    /// The seconds for which a frame is displayed.
    public func animatedImageDuration(at index: Int) -> TimeInterval { source?.playedDuration(at: index) ?? 0 }

    /// Decodes a frame of the opened animation. In ascending order, each call decodes one frame. For any other
    /// order, the decoder restarts at the beginning of the file.
    ///
    /// - Throws: `.badImageData`, also for an index out of range; `.limitExceeded`.
    public func frame(at index: Int) throws(WebImageError) -> Image {
        guard let source else { throw .noAnimation }
        return try source.frame(at: index)
    }
}
