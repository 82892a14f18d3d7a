public import Foundation
public import WebImageCore

/// Reads and writes TIFF (TIFF 6.0 and BigTIFF) with libtiff.
///
/// ``decode(_:options:)`` returns the first page. A coder with an open file returns every page. Pages are not an
/// animation: they can differ in size, and views show the first one. A directory that declares a smaller copy or a mask
/// (`NewSubfileType`) is no page.
///
/// Reads grey, palettes, RGB, CMYK, CIE L*a*b* and what libtiff converts from luminance and chroma, in strips, tiles and
/// planes, with whole numbers of 1 to 32 bits and real numbers from 0 to 1. More than 8 bits are kept if the options
/// request a format with 16 bits. Other samples and compressions are `.unsupportedFormat`. The decode time limit is
/// checked every few rows and for each tile.
///
/// Add ``shared`` to `ImageCodersManager`. Safe on any thread.
public final class ImageTIFFCoder: AnimatedImageCoder {
    /// The shared coder. It has no open file and no other state.
    public static let shared = ImageTIFFCoder()

    private let source: (any AnimationSource)?

    /// Creates a coder without an open file.
    public init() { source = nil }

    /// Opens a file to read its pages.
    ///
    /// - Throws: `.badImageData` if the first page's directory cannot be read. `.limitExceeded` if the file exceeds a
    ///   limit.
    public init(animation data: Data, options: DecodingOptions) throws(WebImageError) {
        source = try TIFFDocument(data, options: options)
    }

    /// The signatures of the files that this coder reads. Many raw files of cameras are TIFF files.
    public var signatures: [FileSignature]? { [.format(.tiff), .format(.raw)] }

    /// Whether the data starts with the signature of a TIFF file.
    public func canDecode(from data: Data) -> Bool {
        ImageFormat(sniffing: data.prefix(ImageFormat.signatureLength)) == .tiff
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
            try TIFFPages(bytes, limits: limits).info
        }
    }

    /// Returns EXIF, XMP, colour profile and density of the first page. EXIF is a copy of the directories that describe the
    /// picture, without the maker note.
    public func imageProperties(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageProperties {
        var properties = ImageProperties(info: try imageInfo(of: data, limits: limits))
        try data.withFileBytes { bytes throws(WebImageError) in
            TIFFMetadata.read(bytes, limits: limits, into: &properties)
        }
        return properties
    }

    /// Decodes the first page.
    ///
    /// - Throws: `.badImageData` if the file is truncated or damaged. `.unsupportedFormat` if its samples or its
    ///   compression are not supported. `.limitExceeded` if the file exceeds a limit.
    public func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        try options.limits.checkEncodedBytes(data.count)
        let deadline = DecodeDeadline(options.limits)
        return try data.withFileBytes { bytes throws(WebImageError) in
            try TIFFPages(bytes, limits: options.limits).image(at: 0, options: options, deadline: deadline)
        }
    }

    /// Encodes one page with Deflate compression. This encoding is lossless, so quality and maximum file size are
    /// ignored. The metadata of the options are written, without the maker note of EXIF.
    public func encode(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data {
        guard canEncode(to: format) else { throw .cannotEncode("libtiff", "\(format) is not TIFF") }
        return try TIFFWriter.encode(pageCount: 1, options: options) { _ in image }
    }

    /// Whether this coder writes the format. Each of its files can have frames.
    public func canEncodeFrames(to format: ImageFormat) -> Bool { canEncode(to: format) }

    /// Encodes one page per frame. EXIF and XMP of the options are written to the first page. Durations and loop count are ignored, because TIFF cannot store them.
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
    /// The loop count. Always 0, because TIFF stores no loop count.
    public var animatedImageLoopCount: Int { source?.info.loopCount ?? 0 }
    /// Returns the time in seconds for which playback shows a page. Always 0, because TIFF stores no durations.
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
