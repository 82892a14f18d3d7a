public import Foundation
public import WebImageCore
import WebImageGraphics

/// Draws SVG documents (SVG 1.1 and parts of SVG 2) at the requested size, using librsvg. Documents may be
/// compressed with gzip.
///
/// If the request has no size, a document is drawn at its own width and height at 96 dpi. If width or height
/// is missing in the document, it follows from the view box. A requested size is a box: the document is
/// scaled up or down to fit inside, or stretched to fill the box if the aspect ratio is not preserved.
///
/// Drawing reads no file and no host. All pictures and documents embedded in a document count together
/// against the limits. A document is refused if references in attributes draw more than 50,000 elements again (or more
/// than it has), or if embedded content cannot be checked: if it uses XInclude,
/// entities that are more than plain text, or an encoding that is not a superset of ASCII. librsvg has no
/// callback while it draws; its limits on elements and references bound the time.
///
/// Add ``shared`` to `ImageCodersManager`. Safe on any thread.
public final class ImageSVGCoder: DetailedImageCoder {
    /// The shared instance; it has no state.
    public static let shared = ImageSVGCoder()

    /// Creates a coder, equal to ``shared``.
    public init() {}

    /// Whether the data is an SVG document, compressed or not.
    public func canDecode(from data: Data?) -> Bool {
        guard let data else { return false }
        guard Gunzip.isGzip(data) else { return ImageFormat(sniffing: data) == .svg }
        return Gunzip.start(of: data, limit: 4096).map { ImageFormat(sniffing: $0) == .svg } ?? false
    }

    /// Always false: this coder only decodes.
    public func canEncode(to format: ImageFormat) -> Bool { false }

    /// Reads the document's own size; parses the document without drawing it.
    ///
    /// - Throws: `.badImageData`, `.limitExceeded`.
    public func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try withDocument(data, limits: limits, DecodeDeadline(limits)) { document throws(WebImageError) in
            var info = ImageInfo(format: .svg, storedSize: document.pixelSize)
            info.hasAlpha = true
            return info
        }
    }

    /// Draws the document at the requested size.
    ///
    /// - Throws: `.badImageData`, `.limitExceeded`.
    public func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        let deadline = DecodeDeadline(options.limits)
        return try withDocument(data, limits: options.limits, deadline) { document throws(WebImageError) in
            let size = options.vectorSize(for: document.pixelSize)
            try options.limits.checkPixels(size)
            // Cairo stores coordinates with 16 bits before and 16 bits after the binary point, so 32,767 px is its
            // maximum.
            guard max(size.width, size.height) <= 32767 else {
                throw .badData("cairo", "\(size) px is over 32767 px a side", hint: "Ask for a smaller picture.")
            }
            let pixels = try PixelBuffer(width: size.width, height: size.height, format: .bgra8Premultiplied)
            try document.render(into: pixels)
            try deadline.check()
            var finishing = options
            finishing.thumbnailPixelSize = nil
            finishing.scaleDownLimitBytes = nil
            return try DecodedPicture(
                pixels: pixels, orientation: .up, profile: nil, hasAlpha: true, format: .svg
            ).finished(options: finishing, fullSize: size)
        }
    }

    /// Always throws `.encodingFailed`: this coder only decodes.
    public func encode(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data {
        throw .cannotEncode("librsvg", "this coder only reads", hint: "Choose PNG or WebP.")
    }

    private func withDocument<Result>(
        _ data: Data, limits: DecodingLimits, _ deadline: DecodeDeadline,
        _ body: (SVGDocument) throws(WebImageError) -> Result
    ) throws(WebImageError) -> Result {
        try limits.checkEncodedBytes(data.count)
        let text = Gunzip.isGzip(data) ? try Gunzip.whole(data, limits: limits) : data
        var pictures = EmbeddedPictures(limits, deadline: deadline)
        try pictures.check(text)
        return try text.withFileBytes { bytes throws(WebImageError) in try body(SVGDocument(bytes)) }
    }
}

extension SVGDocument {
    /// The smallest size in whole pixels that contains the document.
    var pixelSize: PixelSize {
        // An excess of up to 0.001 px over a whole number is a rounding error in the file and adds no pixel.
        PixelSize(width: max(Int((width - 0.001).rounded(.up)), 1), height: max(Int((height - 0.001).rounded(.up)), 1))
    }
}

extension DecodingOptions {
    /// The size in pixels to draw at. Unlike a bitmap, a document is also scaled up.
    fileprivate func vectorSize(for size: PixelSize) -> PixelSize {
        guard scaleDownLimitBytes == nil, let box = thumbnailPixelSize else { return targetSize(for: size) }
        return ImageScaling.size(of: size, in: box, preserveAspectRatio: preserveAspectRatio, allowsEnlarging: true)
    }
}
