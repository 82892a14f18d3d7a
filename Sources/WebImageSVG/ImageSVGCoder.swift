public import Foundation
public import WebImageCore
import WebImageGraphics

/// Draws SVG documents with librsvg (SVG 1.1 and parts of SVG 2). Accepts plain documents and documents compressed with
/// gzip.
///
/// If the request has no size, a document is drawn at its own width and height at 96 dpi. A width or height that is
/// missing in the document is derived from the view box. A requested size is a box. The document is scaled up or down
/// to fit inside the box. If the options do not preserve the aspect ratio, the document is stretched to fill the box.
///
/// Drawing accesses no file and no host. The limits apply to the sum of all pictures and documents that are embedded in
/// a document. A document is refused if references in attributes draw too many additional elements. The maximum is
/// 50,000 or the number of elements in the document, whichever is larger. A document is also refused if its embedded
/// content cannot be checked. The content cannot be checked if the document uses XInclude, entities that are not plain
/// text, or an encoding that is neither a superset of ASCII nor UTF-16 with a byte order mark.
///
/// librsvg before 2.60 cannot be interrupted during drawing. Therefore the time of a drawing is estimated beforehand, from
/// the elements, filters, layers and outlines of the document and the size of the drawing. A document whose time exceeds
/// ``DecodingLimits/maxDecodeTime`` is refused. From librsvg 2.60 on, the drawing also ends when the time is used up.
///
/// Add ``shared`` to `ImageCodersManager`. Safe on any thread.
public final class ImageSVGCoder: ImageCoder {
    /// The shared coder. It has no state.
    public static let shared = ImageSVGCoder()

    /// Creates a coder that behaves like ``shared``.
    public init() {}

    /// The signatures of the files that this coder reads, plain or compressed by gzip.
    public var signatures: [FileSignature]? { [.format(.svg), .start([0x1F, 0x8B, 0x08])] }

    /// Whether the data is a plain or compressed SVG document.
    public func canDecode(from data: Data) -> Bool {
        guard Gunzip.isGzip(data) else { return ImageFormat(sniffing: data) == .svg }
        // A licence can precede the first element.
        return Gunzip.start(of: data, limit: 65_536).map { ImageFormat(sniffing: $0) == .svg } ?? false
    }

    /// Reads the document's own size. Parses the document, but does not draw it.
    ///
    /// - Throws: `.badImageData` if the document is invalid or refused. `.limitExceeded` if the document or its
    ///   embedded content exceeds a limit.
    public func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try withDocument(data, limits: limits, DecodeDeadline(limits)) { document, _ throws(WebImageError) in
            var info = ImageInfo(format: .svg, storedSize: document.pixelSize)
            info.hasAlpha = true
            return info
        }
    }

    /// Draws the document at the requested size.
    ///
    /// - Throws: `.badImageData` if the document is invalid or refused, or if a side of the drawing exceeds 32,767 px.
    ///   `.limitExceeded` if the document, its embedded content or the drawing exceeds a limit.
    public func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        let deadline = DecodeDeadline(options.limits)
        return try withDocument(data, limits: options.limits, deadline) { document, priced throws(WebImageError) in
            let size = options.vectorSize(for: document.pixelSize)
            try options.limits.checkPixels(size)
            // Cairo stores coordinates with 16 bits before and 16 bits after the binary point. The largest possible
            // side is therefore 32,767 px.
            guard max(size.width, size.height) <= 32767 else {
                throw .badData("cairo", "\(size) px is over 32767 px a side", hint: "Ask for a smaller picture.")
            }
            let price = try priced.price(of: document, on: size, deadline)
            try options.limits.checkDecodeBytes(Int(min(price.surfaces * Double(size.pixelCount) * 4, 1e18)))
            let pixels = try PixelBuffer(width: size.width, height: size.height, format: .bgra8Premultiplied)
            try document.render(into: pixels, deadline)
            try deadline.check()
            return try DecodedPicture.drawn(
                pixels, hasAlpha: true, format: .svg, of: document.pixelSize, options: options)
        }
    }

    /// Always throws `.encodingFailed`, because this coder only decodes.
    public func encode(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data {
        throw .cannotEncode("librsvg", "this coder only reads", hint: "Choose PNG or WebP.")
    }

    private func withDocument<Result>(
        _ data: Data, limits: DecodingLimits, _ deadline: DecodeDeadline,
        _ body: (SVGDocument, PricedDocument) throws(WebImageError) -> Result
    ) throws(WebImageError) -> Result {
        try limits.checkEncodedBytes(data.count)
        let text = Gunzip.isGzip(data) ? try Gunzip.whole(data, limits: limits) : data
        var pictures = EmbeddedPictures(limits, deadline: deadline)
        let (priced, replaced) = try pictures.check(text)
        try priced.check(deadline)
        return try replaced.withFileBytes { bytes throws(WebImageError) in try body(SVGDocument(bytes), priced) }
    }
}

extension SVGDocument {
    /// The smallest size in whole pixels that contains the document.
    var pixelSize: PixelSize {
        // A fraction of up to 0.001 px is regarded as a rounding error in the file, so it is not rounded up to a pixel.
        PixelSize(width: max(Int((width - 0.001).rounded(.up)), 1), height: max(Int((height - 0.001).rounded(.up)), 1))
    }
}
