import Foundation
import WebImageCodecs
import WebImageCore
import WebImageGraphics

/// Describes a source as JSON, for `/info/` and thumbor's `meta`.
struct SourceInfo: Sendable {
    let settings: OutputSettings
    var coders = ImageCodersManager.shared

    private struct Report: Encodable {
        var format: String
        var mime_type: String
        var width: Int
        var height: Int
        var orientation: Int
        var size: Int
        var frames: Int
        var alpha: Bool
        var bits: Int
        var average_color: String?
        var blurhash: String?
        var thumbhash: String?
    }

    /// The options of the decode for the mean colour and the hashes.
    private var decoding: DecodingOptions {
        var options = DecodingOptions()
        options.limits = settings.decoding
        options.firstFrameOnly = true
        options.thumbnailPixelSize = PixelSize(width: 100, height: 100)
        return options
    }

    /// The memory in bytes that a description needs. Reads only the header of the source.
    func cost(of source: Data) -> Int {
        guard let info = try? settings.info(of: source, coders) else { return 0 }
        return min(info.decodeBytes(decoding), settings.maxWorkBytes)
    }

    /// Makes the answer of `/info/`.
    ///
    /// - Throws: `WebImageError` if the source cannot be read.
    func make(from source: Data) throws -> EncodedResult {
        try settings.decoding.checkEncodedBytes(source.count)
        let info = try settings.info(of: source, coders)
        // The colour and the hashes are means of many pixels.
        let image = try JPEGThumbnailLoop.$allowsCoarseChroma.withValue(true) {
            try coders.decode(source, options: decoding)
        }
        let format = OutputFormat(info.format)
        let report = Report(
            format: info.format.description, mime_type: format?.mediaType ?? "application/octet-stream",
            width: info.pixelSize.width, height: info.pixelSize.height,
            orientation: ImageCoderHelper.exifOrientation(from: info.orientation),
            size: VideoParts.fileByteCount(of: source), frames: info.frameCount, alpha: info.hasAlpha,
            bits: info.bitDepth,
            average_color: image.averageColor().map { Self.hex($0) }, blurhash: image.blurHash()?.description,
            thumbhash: image.thumbHash().map { $0.data.base64EncodedString() })
        return EncodedResult(data: try Self.json(report), format: nil, size: nil)
    }

    private static func hex(_ color: ImageColor) -> String {
        "#"
            + [color.red, color.green, color.blue].map { String(plainFormat: "%02x", Int(($0 * 255).rounded())) }
            .joined()
    }

    // MARK: thumbor's meta

    private struct Meta: Encodable {
        struct Body: Encodable {
            var source: Source
            var operations: [Operation]
            var target: Size
        }
        struct Source: Encodable {
            var url: String
            var width: Int
            var height: Int
            var frameCount: Int
        }
        struct Operation: Encodable {
            var type: String
            var width: Int?
            var height: Int?
        }
        struct Size: Encodable {
            var width: Int
            var height: Int
        }
        var thumbor: Body
    }

    /// Makes the answer of thumbor's `meta`. It lists the operations that the target requests. The operations are not
    /// performed.
    func meta(of source: Data, url: String, options: ProcessingOptions) throws -> EncodedResult {
        try settings.decoding.checkEncodedBytes(source.count)
        let info = try settings.info(of: source, coders)
        let size = info.pixelSize
        let geometry = ResultGeometry(source: size, options: options, isVector: info.format.isVector)
        var operations: [Meta.Operation] = []
        if geometry.crop != geometry.turned {
            operations.append(Meta.Operation(type: "crop", width: geometry.crop.width, height: geometry.crop.height))
        }
        if geometry.scaled != geometry.crop {
            operations.append(
                Meta.Operation(type: "resize", width: geometry.scaled.width, height: geometry.scaled.height))
        }
        if geometry.cut != geometry.scaled {
            operations.append(Meta.Operation(type: "crop", width: geometry.cut.width, height: geometry.cut.height))
        }
        if options.flipHorizontal { operations.append(Meta.Operation(type: "flip_horizontally")) }
        if options.flipVertical { operations.append(Meta.Operation(type: "flip_vertically")) }
        let body = Meta.Body(
            source: Meta.Source(url: url, width: size.width, height: size.height, frameCount: info.frameCount),
            operations: operations, target: Meta.Size(width: geometry.result.width, height: geometry.result.height))
        return EncodedResult(data: try Self.json(Meta(thumbor: body)), format: nil, size: nil)
    }

    private static func json(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value) + Data("\n".utf8)
    }
}
