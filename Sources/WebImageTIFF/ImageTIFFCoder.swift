public import Foundation
public import WebImageCore
import WebImageGraphics

/// Reads and writes TIFF (TIFF 6.0 and BigTIFF) with libtiff. The pages of a file are the frames of an
/// animation.
///
/// A still is the first page. Samples of every depth are decoded to eight bits. Samples that libtiff cannot
/// convert to red, green and blue, such as floating-point samples, are refused. The decode time limit is
/// checked after every strip or row of tiles.
///
/// Add ``shared`` to `ImageCodersManager`. Safe on any thread.
public final class ImageTIFFCoder: DetailedAnimatedImageCoder, FrameEncodingImageCoder {
    /// The instance for stills; it has no state.
    public static let shared = ImageTIFFCoder()

    private let source: (any AnimationSource)?

    /// Makes another coder for stills.
    public init() { source = nil }

    /// Opens a file with its pages as frames.
    ///
    /// - Throws: `.badImageData`, `.limitExceeded`.
    public init(animation data: Data, options: DecodingOptions) throws(WebImageError) {
        source = try TIFFDocument(data, options: options)
    }

    /// Whether the data starts like a TIFF file.
    public func canDecode(from data: Data?) -> Bool {
        data.map { ImageFormat(sniffing: $0.prefix(ImageFormat.signatureLength)) == .tiff } ?? false
    }

    /// Whether the format is TIFF.
    public func canEncode(to format: ImageFormat) -> Bool { format == .tiff }

    /// Reads the facts in the first page's directory, and the number of pages.
    ///
    /// - Throws: `.badImageData`, `.limitExceeded`.
    public func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try limits.checkEncodedBytes(data.count)
        return try data.withFileBytes { bytes throws(WebImageError) in
            let pages = try TIFFPages(bytes, limits: limits)
            pages.countPages()
            return pages.info
        }
    }

    /// Decodes the first page. If the file is truncated, missing pixels are transparent, or black in a page
    /// without alpha.
    ///
    /// - Throws: `.badImageData` if not even the first strip can be decoded; `.limitExceeded`.
    public func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        try options.limits.checkEncodedBytes(data.count)
        let deadline = DecodeDeadline(options.limits)
        return try data.withFileBytes { bytes throws(WebImageError) in
            try TIFFPages(bytes, limits: options.limits).image(at: 0, options: options, deadline: deadline)
        }
    }

    /// Encodes one page with Deflate compression. The file is always lossless, so quality and maximum file size are
    /// ignored.
    public func encode(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data {
        guard canEncode(to: format) else { throw .cannotEncode("libtiff", "\(format) is not TIFF") }
        return try TIFFWriter.encode(pageCount: 1, options: options) { _ in image }
    }

    /// Encodes one page per frame. Durations and the loop count are dropped, because TIFF cannot store them.
    public func encode(
        frameCount: Int, loopCount: Int, format: ImageFormat, options: EncodingOptions,
        frame: (Int) throws(WebImageError) -> ImageFrame
    ) throws(WebImageError) -> Data {
        guard canEncode(to: format), frameCount > 0 else { throw .cannotEncode("libtiff", "no frames, or not TIFF") }
        let count = options.firstFrameOnly ? 1 : frameCount
        return try TIFFWriter.encode(pageCount: count, options: options) { index throws(WebImageError) in
            try frame(index).image
        }
    }

    /// The encoded bytes of the opened file; nil if none is open.
    public var animatedImageData: Data? { source?.data }
    /// The number of pages of the opened file.
    public var animatedImageFrameCount: Int { source?.info.frameCount ?? 0 }
    /// The loop count that the opened file declares; 0 (repeat for ever) if it declares none.
    public var animatedImageLoopCount: Int { source?.info.loopCount ?? 0 }
    /// The seconds for which a page is displayed: always 0.1, because TIFF stores no durations.
    public func animatedImageDuration(at index: Int) -> TimeInterval { source?.playedDuration(at: index) ?? 0 }

    /// Decodes a page of the opened file at the page's own size.
    ///
    /// - Throws: `.badImageData`, also for an index out of range; `.limitExceeded`.
    public func frame(at index: Int) throws(WebImageError) -> Image {
        guard let source else { throw .noAnimation }
        return try source.frame(at: index)
    }
}
