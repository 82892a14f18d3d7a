public import Foundation
public import WebImageCore
import WebImageGraphics

/// Reads and writes TIFF (TIFF 6.0 and BigTIFF) with libtiff. The pages of a file are the frames of an
/// animation.
///
/// If a file is decoded as a still image, its first page is decoded. Samples of every depth are decoded to 8 bits. A
/// page is refused if libtiff cannot convert its samples to red, green and blue, for example floating-point samples.
/// The decode time limit is checked once for every few strips and once for every row of tiles.
///
/// Add ``shared`` to `ImageCodersManager`. Safe on any thread.
public final class ImageTIFFCoder: DetailedAnimatedImageCoder, FrameEncodingImageCoder {
    /// The shared coder. It has no open file and no other state.
    public static let shared = ImageTIFFCoder()

    private let source: (any AnimationSource)?

    /// Creates a coder without an open file.
    public init() { source = nil }

    /// Opens a file. The pages of the file are the frames.
    ///
    /// - Throws: `.badImageData` if the first page's directory cannot be read. `.limitExceeded` if the file exceeds a
    ///   limit.
    public init(animation data: Data, options: DecodingOptions) throws(WebImageError) {
        source = try TIFFDocument(data, options: options)
    }

    /// Whether the data starts with the signature of a TIFF file.
    public func canDecode(from data: Data?) -> Bool {
        data.map { ImageFormat(sniffing: $0.prefix(ImageFormat.signatureLength)) == .tiff } ?? false
    }

    /// Whether the format is TIFF.
    public func canEncode(to format: ImageFormat) -> Bool { format == .tiff }

    /// Reads the properties of the first page from its directory, and counts the pages.
    ///
    /// - Throws: `.badImageData` if the first page's directory cannot be read. `.limitExceeded` if the file exceeds a
    ///   limit.
    public func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try limits.checkEncodedBytes(data.count)
        return try data.withFileBytes { bytes throws(WebImageError) in
            let pages = try TIFFPages(bytes, limits: limits)
            pages.countPages()
            return pages.info
        }
    }

    /// Decodes the first page. If the file is truncated, the missing pixels are transparent. In a page without alpha,
    /// the missing pixels are black.
    ///
    /// - Throws: `.badImageData` if the file cannot be read or the first strip cannot be decoded. `.limitExceeded` if
    ///   the file exceeds a limit.
    public func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        try options.limits.checkEncodedBytes(data.count)
        let deadline = DecodeDeadline(options.limits)
        return try data.withFileBytes { bytes throws(WebImageError) in
            try TIFFPages(bytes, limits: options.limits).image(at: 0, options: options, deadline: deadline)
        }
    }

    /// Encodes one page with Deflate compression. This encoding is lossless, so quality and maximum file size are
    /// ignored.
    public func encode(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data {
        guard canEncode(to: format) else { throw .cannotEncode("libtiff", "\(format) is not TIFF") }
        return try TIFFWriter.encode(pageCount: 1, options: options) { _ in image }
    }

    /// Encodes one page per frame. Durations and loop count are ignored, because TIFF cannot store them.
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

    /// The encoded bytes of the open file. Nil if no file is open.
    public var animatedImageData: Data? { source?.data }
    /// The number of pages of the open file. 0 if no file is open.
    public var animatedImageFrameCount: Int { source?.info.frameCount ?? 0 }
    /// The loop count. Always 0, because TIFF stores no loop count. 0 means that the animation repeats endlessly.
    public var animatedImageLoopCount: Int { source?.info.loopCount ?? 0 }
    /// Returns the time in seconds for which playback shows a page. Always 0.1 for a file with several pages, because
    /// TIFF stores no durations.
    public func animatedImageDuration(at index: Int) -> TimeInterval { source?.playedDuration(at: index) ?? 0 }

    /// Decodes a page of the open file. Pages can differ in size.
    ///
    /// - Throws: `.badImageData` if the file is damaged, the index is out of range, or no file is open.
    ///   `.limitExceeded` if the page exceeds a limit.
    public func frame(at index: Int) throws(WebImageError) -> Image {
        guard let source else { throw .noAnimation }
        return try source.frame(at: index)
    }
}
