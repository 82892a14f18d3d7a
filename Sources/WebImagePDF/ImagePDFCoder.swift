public import Foundation
public import WebImageCore

/// Draws the pages of PDF documents with PDFium, at any size.
///
/// ``decode(_:options:)`` draws the first page. A coder with an open document draws every page. Pages are not an animation:
/// they can differ in size, and views show the first one. Without a requested size, a page has one pixel for each point
/// (1/72 inch). A requested size is a box, into which the page is scaled up or down. The page is the crop box, turned as
/// the document says; its unit (`UserUnit`) is not applied. Annotations are drawn. Scripts, actions and references to
/// other files are not followed.
///
/// Debian has no package of PDFium. The library is searched as `libpdfium.so`, or at the path in the environment variable
/// `WEBIMAGE_PDFIUM`. No fonts of the system are used: text whose font is not in the document is drawn with the fonts inside
/// PDFium, which have Latin letters only.
///
/// PDFium draws one page at a time in a process, and cannot be interrupted. Use `WebImageSandbox`, whose processes draw
/// beside each other, are ended after their time, and can reach no file.
///
/// Add ``shared`` to `ImageCodersManager`. Safe on any thread.
public final class ImagePDFCoder: AnimatedImageCoder {
    /// The shared coder, which draws on white. It has no open document and no other state.
    public static let shared = ImagePDFCoder()

    /// Whether pages have a transparent background instead of a white one.
    public let isTransparent: Bool
    private let source: (any AnimationSource)?

    /// Creates a coder without an open document.
    ///
    /// - Parameter isTransparent: Whether pages have a transparent background instead of a white one.
    public init(isTransparent: Bool = false) { (self.isTransparent, source) = (isTransparent, nil) }

    /// Opens a document to draw its pages on white.
    ///
    /// - Throws: `.badImageData` if the document cannot be read or has a password. `.limitExceeded` if it exceeds a limit.
    public init(animation data: Data, options: DecodingOptions) throws(WebImageError) {
        isTransparent = false
        source = try PDFPages(data, options: options)
    }

    /// The signatures of the files that this coder reads.
    public var signatures: [FileSignature]? { [.format(.pdf)] }

    /// Reads the size of the first page, and counts the pages. Draws nothing.
    ///
    /// - Throws: `.badImageData` if the document cannot be read or has a password. `.limitExceeded` if it exceeds a limit.
    public func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try limits.checkEncodedBytes(data.count)
        return try data.withFileBytes { bytes throws(WebImageError) in
            try PDFDocument.withDocument(bytes) { document throws(WebImageError) in try document.info(limits) }
        }
    }

    /// Draws the first page.
    ///
    /// - Throws: `.badImageData` if the document cannot be read or has a password. `.limitExceeded` if it exceeds a limit.
    public func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        try options.limits.checkEncodedBytes(data.count)
        let deadline = DecodeDeadline(options.limits)
        return try data.withFileBytes { bytes throws(WebImageError) in
            try PDFDocument.withDocument(bytes) { document throws(WebImageError) in
                try document.image(at: 0, options: options, isTransparent: isTransparent, deadline)
            }
        }
    }

    /// Always throws `.encodingFailed`: this coder only reads.
    public func encode(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data {
        throw .cannotEncode("pdfium", "this coder only reads", hint: "Choose PNG or WebP.")
    }

    /// The bytes of the open document. Nil if no document is open.
    public var animatedImageData: Data? { source?.data }
    /// The number of pages of the open document. 0 if no document is open.
    public var animatedImageFrameCount: Int { source?.info.frameCount ?? 0 }
    /// The loop count. Always 0, because pages are no animation.
    public var animatedImageLoopCount: Int { source?.info.loopCount ?? 0 }
    /// Returns the time in seconds for which playback shows a page. Always 0, because pages are no animation.
    public func animatedImageDuration(at index: Int) -> TimeInterval { source?.playedDuration(at: index) ?? 0 }

    /// Draws a page of the open document. Pages can differ in size.
    ///
    /// - Throws: `.badImageData` if the page is damaged, the index is out of range, or no document is open.
    ///   `.limitExceeded` if the page exceeds a limit.
    public func frame(at index: Int) throws(WebImageError) -> Image {
        guard let source else { throw .noAnimation }
        return try source.frame(at: index)
    }
}

/// An opened document whose pages are drawn by index. It owns a copy of the bytes. Each page opens the document again, so
/// that no document of PDFium outlives a call.
private final class PDFPages: AnimationSource {
    let data: Data
    let info: ImageInfo
    private let options: DecodingOptions

    init(_ data: Data, options: DecodingOptions) throws(WebImageError) {
        try options.limits.checkEncodedBytes(data.count)
        (self.data, self.options) = (data, options)
        info = try data.withFileBytes { bytes throws(WebImageError) in
            try PDFDocument.withDocument(bytes) { document throws(WebImageError) in try document.info(options.limits) }
        }
        guard info.frameCount <= options.limits.maxFrameCount else {
            throw .limit(.frameCount, actual: info.frameCount, allowed: options.limits.maxFrameCount)
        }
    }

    func frame(at index: Int) throws(WebImageError) -> Image {
        try checkIndex(index)
        let deadline = DecodeDeadline(options.limits)
        return try data.withFileBytes { bytes throws(WebImageError) in
            try PDFDocument.withDocument(bytes) { document throws(WebImageError) in
                try document.image(at: index, options: options, isTransparent: false, deadline)
            }
        }
    }
}
