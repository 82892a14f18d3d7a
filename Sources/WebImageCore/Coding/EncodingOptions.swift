import Foundation

/// How a picture is to be encoded: the typed reading of ``ImageCoderOptions``.
public struct EncodingOptions: Sendable, Hashable {
    /// Encode the first frame alone.
    public var firstFrameOnly = false
    /// Quality of lossy formats, 0…1.
    public var quality: Double = 1
    /// The box in pixels the encoded picture must fit; nil keeps its size.
    public var maxPixelSize: PixelSize?
    /// Bytes the file should not pass; nil is no bound.
    public var maxFileSize: Int?
    /// Encode without loss where the format can do both.
    public var lossless = false
    /// What WebP's encoder is told beside.
    public var webP = WebPEncodingOptions()

    /// Full size, best quality.
    public init() {}

    /// Reads the open dictionary; a value of the wrong type is logged once and left at its default.
    public init(_ options: ImageCoderOptions?) {
        self.init()
        guard let options else { return }
        firstFrameOnly = options.read(.encodeFirstFrameOnly, as: Bool.self) ?? false
        quality = options.readNumber(.encodeCompressionQuality).map { $0.isNaN ? 1 : min(max($0, 0), 1) } ?? 1
        maxPixelSize = options.read(.encodeMaxPixelSize, as: CGSize.self).flatMap(PixelSize.init(box:))
        maxFileSize = options.readByteCount(.encodeMaxFileSize)
        lossless = options.read(.encodeWebPLossless, as: Bool.self) ?? false
        webP = WebPEncodingOptions(options)
    }

    /// The open dictionary with the same meaning, for coders that know only that.
    public var dictionary: ImageCoderOptions {
        var options: ImageCoderOptions = [
            .encodeFirstFrameOnly: firstFrameOnly,
            .encodeCompressionQuality: quality,
            .encodeWebPLossless: lossless,
        ]
        if let box = maxPixelSize { options[.encodeMaxPixelSize] = CGSize(width: box.width, height: box.height) }
        if let maxFileSize { options[.encodeMaxFileSize] = maxFileSize }
        return options.merging(webP.dictionary) { own, _ in own }
    }
}
