import Foundation

/// The parameters of an encode: the typed form of ``ImageCoderOptions``.
public struct EncodingOptions: Sendable, Hashable {
    /// Whether only the first frame is encoded.
    public var firstFrameOnly = false
    /// The quality for lossy formats, clamped to 0…1; NaN means 1.
    public var quality: Double {
        get { boundedQuality }
        set { boundedQuality = newValue.isNaN ? 1 : min(max(newValue, 0), 1) }
    }
    private var boundedQuality = 1.0
    /// The score that a lossy still gets, instead of ``quality``; nil uses the quality.
    ///
    /// The built-in coders of JPEG, WebP, AVIF, HEIC and JPEG XL read it. It has no effect on lossless files, on animations and
    /// on pictures with a side below 8 px, which have no score. ``maxFileSize`` counts more: a file of the wanted score that is
    /// larger is encoded again with the best quality that fits.
    public var qualityAim: QualityAim?
    /// The box in pixels into which the encoded image must fit; nil keeps the size of the image.
    public var maxPixelSize: PixelSize?
    /// The maximum size of the file in bytes; nil means no limit. The file can be larger if the encoder cannot
    /// reach this size.
    public var maxFileSize: Int?
    /// Whether colour is stored at half the width and height (only JPEG and AVIF); nil stores it so below quality 0.9.
    package var halvesChroma: Bool?
    /// Whether the file is lossless, for formats that have a lossy and a lossless form.
    public var lossless = false
    /// How much time the encoder may take to make a lossless file small, clamped to 1…9 (only PNG). 1 takes about a
    /// third of the default time for a file that is 5 % larger, 8 takes six times as long for one that is 5 % smaller.
    public var effort: Int {
        get { boundedEffort }
        set { boundedEffort = min(max(newValue, 1), 9) }
    }
    private var boundedEffort = 5
    /// Whether a PNG has 8 or 16 bits for each channel of the pixels. Otherwise it can have a palette, grey or fewer bits, with
    /// the same pixels. Some readers require it.
    package var keepsPixelLayout = false
    /// The colour behind transparent pixels in formats without alpha. The opacity of this colour is ignored.
    public var backgroundColor = ImageColor.white
    /// Whether the file is progressive (only JPEG). A viewer can show a coarse image of a progressive file before the
    /// download is complete.
    public var progressive = false
    /// Whether the file contains a thumbnail of at most 320 px per side in addition to the image (only JPEG and HEIC).
    public var embedsThumbnail = false
    /// Whether more than eight bits per channel are kept. This has an effect only in a format that can store eight bits
    /// per channel and also more bits (AVIF).
    public var keepsHDR = false
    /// The EXIF and XMP data to write into the file (JPEG, PNG, WebP, AVIF, JPEG XL and TIFF). Empty by default, because a decoded
    /// image contains no EXIF or XMP data.
    public var metadata = EmbeddedMetadata()
    /// Additional parameters of the WebP encoder.
    public var webP = WebPEncodingOptions()

    /// Makes options that request full size and the best quality.
    public init() {}

    /// Reads an option dictionary. If a value has the wrong type, the default applies and a warning is logged. The
    /// same warning is logged only once.
    public init(_ options: ImageCoderOptions?) {
        self.init()
        guard let options else { return }
        firstFrameOnly = options.read(.encodeFirstFrameOnly, as: Bool.self) ?? false
        quality = options.readNumber(.encodeCompressionQuality) ?? 1
        qualityAim = options.read(.encodeQualityAim, as: QualityAim.self)
        maxPixelSize = options.read(.encodeMaxPixelSize, as: CGSize.self).flatMap(PixelSize.init(box:))
        maxFileSize = options.readByteCount(.encodeMaxFileSize)
        lossless = options.read(.encodeWebPLossless, as: Bool.self) ?? false
        effort = options.readNumber(.encodeEffort).map { $0 >= 1 ? Int(min($0, 9)) : 1 } ?? 5
        backgroundColor = options.read(.encodeBackgroundColor, as: ImageColor.self) ?? .white
        progressive = options.read(.encodeProgressive, as: Bool.self) ?? false
        embedsThumbnail = options.read(.encodeEmbedThumbnail, as: Bool.self) ?? false
        keepsHDR = (options.readNumber(.encodeToHDR) ?? 0) != 0
        metadata = options.read(.encodeMetadata, as: EmbeddedMetadata.self) ?? EmbeddedMetadata()
        webP = WebPEncodingOptions(options)
    }

    /// The same options as a dictionary, for coders that do not accept the typed options.
    public var dictionary: ImageCoderOptions {
        var options: ImageCoderOptions = [
            .encodeFirstFrameOnly: firstFrameOnly,
            .encodeCompressionQuality: NSNumber(value: quality),
            .encodeWebPLossless: lossless,
            .encodeEffort: NSNumber(value: effort),
            .encodeBackgroundColor: backgroundColor,
            .encodeProgressive: progressive,
            .encodeEmbedThumbnail: embedsThumbnail,
            .encodeToHDR: NSNumber(value: keepsHDR ? 1 : 0),
            .encodeMetadata: metadata,
        ]
        if let qualityAim { options[.encodeQualityAim] = qualityAim }
        if let box = maxPixelSize { options[.encodeMaxPixelSize] = CGSize(width: box.width, height: box.height) }
        if let maxFileSize { options[.encodeMaxFileSize] = NSNumber(value: maxFileSize) }
        return options.merging(webP.dictionary) { own, _ in own }
    }
}
