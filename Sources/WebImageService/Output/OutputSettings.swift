import Foundation
import WebImageCore

/// The default settings of results, and the limits on the cost of making a result.
struct OutputSettings: Sendable, Hashable {
    /// The quality, 1...100, for formats without an entry in `formatQuality`.
    var quality = 80
    var formatQuality: [OutputFormat: Int] = [.webp: 79, .avif: 63, .jxl: 77]
    var isProgressive = false
    var decoding = DecodingLimits()
    var maxFrames = 128
    /// The maximum total number of pixels in all frames of a result.
    var maxAnimationPixels = 50_000_000
    var maxResultSide = 16_384
    var maxResultPixels = 50_000_000
    /// The maximum memory in bytes of all pixel buffers of a result that exist at the same time.
    var maxWorkBytes = 1 << 30
    /// The accepted formats of sources; nil accepts every format that has a coder.
    var sourceFormats: Set<ImageFormat>?

    /// The settings that can change a byte of a result, in a normalised spelling. The text is part of keys on disk, so
    /// every process must produce the same text. The entries of a dictionary are sorted, because their order differs
    /// between processes.
    var keyText: String {
        let qualities = formatQuality.sorted { $0.key.rawValue < $1.key.rawValue }.map {
            "\($0.key.rawValue):\($0.value)"
        }
        return "q=\(quality) fq=\(qualities.joined(separator: ",")) p=\(isProgressive) f=\(maxFrames) "
            + "ap=\(maxAnimationPixels) s=\(maxResultSide) rp=\(maxResultPixels)"
    }

    /// The quality of one result, 1...100.
    func quality(of format: OutputFormat, _ options: ProcessingOptions) -> Int {
        let chosen = options.formatQuality[format] ?? 0
        if options.quality > 0 { return options.quality }
        if chosen > 0 { return chosen }
        return formatQuality[format] ?? quality
    }

    /// Returns the settings in which each limit is the lower of the server's limit and the request's limit.
    func bounded(by limits: ProcessingOptions.Limits) -> OutputSettings {
        var settings = self
        func lower(_ value: inout Int, _ other: Int?) { value = min(value, other ?? value) }
        lower(&settings.decoding.maxPixels, limits.maxSourcePixels)
        lower(&settings.decoding.maxEncodedBytes, limits.maxSourceBytes)
        lower(&settings.maxFrames, limits.maxFrames)
        lower(&settings.maxResultSide, limits.maxResultDimension)
        return settings
    }

    /// Reads the header of a source, and checks its format and size.
    func info(of source: Data, _ coders: ImageCodersManager) throws -> ImageInfo {
        let sniffed = ImageFormat(sniffing: source)
        // Check the format first, so that no coder of a refused format runs.
        if sniffed != .undefined { try check(sniffed) }
        let info = try coders.imageInfo(of: source, limits: decoding)
        try check(info.format)
        try decoding.checkPixels(info.pixelSize)
        return info
    }

    /// Refuses a source in a format that is not accepted. A file of an unknown format counts as not accepted.
    ///
    /// - Throws: A refusal with status 415.
    func check(_ format: ImageFormat) throws(ServiceRefusal) {
        guard sourceFormats?.contains(format.container) ?? true else {
            throw ServiceRefusal(
                415, .notPicture, "sources of the format \(format.name ?? "of this file") are not accepted here")
        }
    }
}
