import Foundation

/// The parameters of an encode: the typed form of ``ImageCoderOptions``.
public struct EncodingOptions: Sendable, Hashable {
    /// Encode only the first frame.
    public var firstFrameOnly = false
    /// Quality of lossy formats, 0…1, clamped; a value that is not a number means 1.
    public var quality: Double {
        get { boundedQuality }
        set { boundedQuality = newValue.isNaN ? 1 : min(max(newValue, 0), 1) }
    }
    private var boundedQuality = 1.0
    /// The box in pixels that the encoded image must fit; nil keeps its size.
    public var maxPixelSize: PixelSize?
    /// The maximum size of the file in bytes, if the format can reach it; nil means no limit.
    public var maxFileSize: Int?
    /// Encode without loss if the format supports both.
    public var lossless = false
    /// The background of transparent pixels in formats without alpha; its own opacity is not used.
    public var backgroundColor = ImageColor.white
    /// Whether the file shows a coarse image early (JPEG).
    public var progressive = false
    /// Whether a small image of at most 320 px per side is stored beside the large one (JPEG, HEIC).
    public var embedsThumbnail = false
    /// Whether more than eight bits per channel are kept if the format supports both (AVIF).
    public var keepsHDR = false
    /// EXIF and XMP to write (JPEG); none by default, because a decoded image carries none.
    public var metadata = EmbeddedMetadata()
    /// Further parameters of WebP's encoder.
    public var webP = WebPEncodingOptions()

    /// Makes options for full size and best quality.
    public init() {}

    /// Reads an option dictionary; a value of the wrong type is logged once, and its default applies.
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

    /// The equivalent option dictionary, for coders that support only that.
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
