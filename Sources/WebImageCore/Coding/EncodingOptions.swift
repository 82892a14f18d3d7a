import Foundation

/// How a picture is to be encoded: the typed reading of ``ImageCoderOptions``.
public struct EncodingOptions: Sendable, Hashable {
    /// Encode the first frame alone.
    public var firstFrameOnly = false
    /// Quality of lossy formats, 0…1, clamped; what is no number is 1.
    public var quality: Double {
        get { boundedQuality }
        set { boundedQuality = newValue.isNaN ? 1 : min(max(newValue, 0), 1) }
    }
    private var boundedQuality = 1.0
    /// The box in pixels the encoded picture must fit; nil keeps its size.
    public var maxPixelSize: PixelSize?
    /// Bytes the file should not pass; nil is no bound.
    public var maxFileSize: Int?
    /// Encode without loss where the format can do both.
    public var lossless = false
    /// What shows through transparency in formats without alpha; its own opacity is not used.
    public var backgroundColor = ImageColor.white
    /// Whether the file shows a coarse picture early (JPEG).
    public var progressive = false
    /// Whether a small picture of at most 320 px a side is stored beside the large one (JPEG, HEIC).
    public var embedsThumbnail = false
    /// Whether more than eight bits a channel are kept where the format has a choice (AVIF).
    public var keepsHDR = false
    /// EXIF and XMP to write (JPEG); none unless given: a decoded picture carries none.
    public var metadata = EmbeddedMetadata()
    /// What WebP's encoder is told beside.
    public var webP = WebPEncodingOptions()

    /// Full size, best quality.
    public init() {}

    /// Reads the open dictionary; a value of the wrong type is logged once and left at its default.
    public init(_ options: ImageCoderOptions?) {
        self.init()
        guard let options else { return }
        firstFrameOnly = options.read(.encodeFirstFrameOnly, as: Bool.self) ?? false
        quality = options.readNumber(.encodeCompressionQuality) ?? 1
        maxPixelSize = options.read(.encodeMaxPixelSize, as: CGSize.self).flatMap(PixelSize.init(box:))
        maxFileSize = options.readByteCount(.encodeMaxFileSize)
        lossless = options.read(.encodeWebPLossless, as: Bool.self) ?? false
        backgroundColor = options.read(.encodeBackgroundColor, as: ImageColor.self) ?? .white
        progressive = options.read(.encodeProgressive, as: Bool.self) ?? false
        embedsThumbnail = options.read(.encodeEmbedThumbnail, as: Bool.self) ?? false
        keepsHDR = (options.readNumber(.encodeToHDR) ?? 0) != 0
        metadata = options.read(.encodeMetadata, as: EmbeddedMetadata.self) ?? EmbeddedMetadata()
        webP = WebPEncodingOptions(options)
    }

    /// The open dictionary with the same meaning, for coders that know only that.
    public var dictionary: ImageCoderOptions {
        var options: ImageCoderOptions = [
            .encodeFirstFrameOnly: firstFrameOnly,
            .encodeCompressionQuality: NSNumber(value: quality),
            .encodeWebPLossless: lossless,
            .encodeBackgroundColor: backgroundColor,
            .encodeProgressive: progressive,
            .encodeEmbedThumbnail: embedsThumbnail,
            .encodeToHDR: NSNumber(value: keepsHDR ? 1 : 0),
            .encodeMetadata: metadata,
        ]
        if let box = maxPixelSize { options[.encodeMaxPixelSize] = CGSize(width: box.width, height: box.height) }
        if let maxFileSize { options[.encodeMaxFileSize] = NSNumber(value: maxFileSize) }
        return options.merging(webP.dictionary) { own, _ in own }
    }
}
