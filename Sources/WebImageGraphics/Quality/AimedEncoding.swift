package import Foundation
package import WebImageCore

/// Encodes a still so that it has the score of ``EncodingOptions/qualityAim``.
///
/// First, what is cheaper than an encode of the whole predicts its score at a few settings: see ``Draft``. Then the whole is encoded,
/// decoded and scored, with at most ``mostEncodes`` settings, until its score is near enough.
package struct AimedEncoding {
    package struct Outcome: Sendable {
        package var data: Data
        package var setting: QualitySetting
        /// The score of the file. A larger picture than ``PictureScore/largestWhole`` is scored by parts of it.
        package var score: Double
        /// How often the whole picture was encoded for its score.
        package var encodeCount: Int
        /// The pixels of all encodes, of parts too, for each pixel of the picture.
        package var encodedShare: Double
    }

    /// How far the score of a file may be from the wanted one.
    package static let tolerance = 1.5
    private static let mostEncodes = 6
    /// A draft decides only where to begin, but a better beginning saves an encode of the whole.
    private static let draftTolerance = 1.0

    private let aim: QualityAim
    private let image: Image
    private let format: ImageFormat
    private let options: EncodingOptions
    private let coder: any ImageCoder
    /// The pixels that are encoded.
    private let pixels: PixelBuffer

    /// Returns nil if the options have no aim, or if it does not apply: to a lossless file, and to a picture with a side below
    /// 8 px.
    package init?(
        of image: Image, as format: ImageFormat, _ options: EncodingOptions, by coder: some ImageCoder
    ) throws(WebImageError) {
        guard let aim = options.qualityAim, !options.lossless,
            min(image.pixelSize.width, image.pixelSize.height) >= PictureScore.leastSide
        else { return nil }
        pixels = try image.pixelsToEncode(options)
        guard min(pixels.width, pixels.height) >= PictureScore.leastSide else { return nil }
        (self.aim, self.image, self.format, self.coder) = (aim, image, format, coder)
        var options = options
        options.qualityAim = nil
        self.options = options
    }

    /// Returns the file that the coder writes.
    package func file() throws(WebImageError) -> Data {
        let outcome = try outcome()
        var final = options
        final.quality = Double(outcome.setting.quality) / 100
        final.halvesChroma = outcome.setting.halvesChroma
        var data = outcome.data
        // The trials have neither an orientation nor a thumbnail.
        if final.embedsThumbnail || final.metadata.orientation != .up {
            final.maxFileSize = nil
            data = try coder.encode(image, format: format, options: final)
        }
        guard let limit = options.maxFileSize, data.count > limit else { return data }
        final.maxFileSize = nil
        final.halvesChroma = nil
        return try QualitySearch.encode(maxBytes: limit) { quality throws(WebImageError) in
            final.quality = Double(quality) / 100
            return try coder.encode(image, format: format, options: final)
        }
    }

    /// Returns the file whose score is near enough, of several the smallest, and if there is none the one with the nearest
    /// score.
    package func outcome() throws(WebImageError) -> Outcome {
        var curve = QualityCurve(
            of: format, aim: aim.score,
            qualities: Int((aim.qualities.lowerBound * 100).rounded())...Int((aim.qualities.upperBound * 100).rounded())
        )
        let trial = Trial(nil, of: image, pixels, format: format, options: options, coder: coder)
        var pixelCount = try predict(&curve, by: trial)
        var best: (data: Data, score: Double, setting: QualitySetting)?
        var count = 0
        while count < Self.mostEncodes, let setting = curve.next {
            let result: (data: Data, score: Double)
            do throws(WebImageError) {
                result = try trial.run(setting)
            } catch {
                // A file with another score is better than none when the time is over.
                guard error.code == .limitExceeded, best != nil else { throw error }
                break
            }
            count += 1
            pixelCount += pixels.size.pixelCount
            curve.add(result.score, at: setting)
            if isBetter(result, than: best.map { ($0.data, $0.score) }) {
                best = (result.data, result.score, setting)
            }
            if abs(result.score - aim.score) <= Self.tolerance { break }
        }
        guard let best else { throw .cannotEncode("SSIMULACRA 2", "no quality is allowed") }
        let outcome = Outcome(
            data: best.data, setting: best.setting, score: best.score, encodeCount: count,
            encodedShare: Double(pixelCount) / Double(pixels.size.pixelCount))
        WebImageLog.shared.log(
            .debug,
            "\(format): quality \(best.setting.quality) has the score \(String(plainFormat: "%.1f", best.score)) for "
                + "\(String(plainFormat: "%.1f", aim.score)); \(count) whole encodes, with parts "
                + "\(String(plainFormat: "%.2f", outcome.encodedShare)) pictures")
        return outcome
    }

    private func isBetter(_ new: (data: Data, score: Double), than old: (data: Data, score: Double)?) -> Bool {
        guard let old else { return true }
        let (distance, oldDistance) = (abs(new.score - aim.score), abs(old.score - aim.score))
        if distance <= Self.tolerance, oldDistance <= Self.tolerance { return new.data.count < old.data.count }
        return distance < oldDistance
    }

    /// Adds the scores of drafts to the curve. Returns the pixels that were encoded.
    private func predict(_ curve: inout QualityCurve, by whole: Trial) throws(WebImageError) -> Int {
        let draft = Draft(of: pixels, as: format, options, hasAlpha: image.hasAlpha)
        if draft == .transform, !curve.looks.isEmpty {
            for look in curve.looks {
                let table = [UInt16](repeating: look.step, count: 64)
                curve.add(try whole.score(ofTransform: table, halvesChroma: look.halvesChroma), of: look)
            }
            return 0
        }
        guard let draft else { return 0 }
        var trial = whole
        var pixelCount = draft == .fast ? pixels.size.pixelCount : 0
        if case .parts(let count, let side) = draft {
            let parts = try pixels.parts(count, side: side)
            trial = Trial(parts, of: image, pixels, format: format, options: options, coder: coder)
            pixelCount = parts.size.pixelCount
        }
        var count = 0
        while count < draft.most(format), let setting = curve.next {
            count += 1
            let score =
                draft == .transform
                ? try whole.score(
                    ofTransform: JPEGQuantization.table(quality: setting.quality),
                    halvesChroma: setting.halvesChroma ?? false)
                : try trial.run(setting, isFast: draft.isFast).score
                    - draft.gap(at: setting.quality, format)
            curve.add(score, at: setting)
            if abs(score - aim.score) <= Self.draftTolerance { break }
        }
        curve.beginWhole()
        return count * pixelCount
    }
}

/// What predicts the score of a file in less time than an encode of the whole picture. The sizes and gaps are measured
/// (Documentation/Decisions/quality-drafts.md).
private enum Draft: Equatable {
    /// `count` × `count` parts of the picture are encoded.
    case parts(Int, side: Int)
    /// The whole picture is encoded by WebP's method 0.
    case fast
    /// Only the transform of JPEG is computed, for JPEG with the tables of its qualities, for AVIF with those of its looks.
    case transform

    var isFast: Bool { self == .fast }

    /// Returns the greatest number of drafts. A third one of WebP or AVIF takes longer than the encodes of the whole that it saves.
    func most(_ format: ImageFormat) -> Int { [.webP, .avif].contains(format.container) ? 2 : 3 }

    /// Returns nil if nothing pays for this picture.
    init?(of pixels: PixelBuffer, as format: ImageFormat, _ options: EncodingOptions, hasAlpha: Bool) {
        let count = pixels.size.pixelCount
        let hasTransform = pixels.format.bitsPerComponent == 8 && !hasAlpha
        switch format.container {
        case .jpeg where count >= (hasTransform ? 166_000 : 60_000):
            // At most a third of the picture. Its blocks do not depend on each other, so that small parts are like the whole.
            let side = Int((Double(count) / 108).squareRoot()) / 16 * 16
            self = .parts(6, side: min(max(side, 32), count < 1_000_000 ? 48 : 64))
        case .jpeg where hasTransform: self = .transform
        case .avif where count >= 60_000: self = .parts(6, side: 48)
        case .avif where hasTransform: self = .transform
        case .webP where count >= 90_000: self = .parts(6, side: 48)
        case .webP where (options.webP.method ?? 2) > 1: self = .fast
        case .jpegXL where count >= 166_000, .heic where count >= 166_000: self = .parts(3, side: 96)
        default: return nil
        }
    }

    /// Returns by how much the score of the draft is above that of the whole.
    func gap(at quality: Int, _ format: ImageFormat) -> Double {
        var gap = 0.0
        if case .parts = self { gap = format.container == .jpeg ? 0.6 : format.container == .jpegXL ? 0 : 0.5 }
        // The fast method of WebP leaves more at low qualities.
        if isFast { gap += 0.4 * max(-0.5, min(1.5, Double(82 - quality) * 0.029)) }
        return gap
    }
}

/// Encodes one picture with several settings.
private struct Trial {
    private let image: Image
    private let format: ImageFormat
    private let options: EncodingOptions
    private let coder: any ImageCoder
    private let reference: PictureScore.Reference

    /// - Parameters:
    ///   - sample: The pixels to encode instead of the image; nil encodes the image.
    ///   - pixels: The pixels that the image has in the file.
    init(
        _ sample: PixelBuffer?, of image: Image, _ pixels: PixelBuffer, format: ImageFormat,
        options: EncodingOptions, coder: any ImageCoder
    ) {
        self.format = format
        self.coder = coder
        var options = options
        options.maxFileSize = nil
        options.embedsThumbnail = false
        options.metadata.orientation = .up
        options.webP.targetPSNR = nil
        if let sample {
            options.maxPixelSize = nil
            options.metadata = EmbeddedMetadata()
            options.progressive = false
            self.image = Image(pixels: sample, colorProfile: image.colorProfile, hasAlpha: image.hasAlpha)
        } else {
            self.image = image
        }
        self.options = options
        reference = PictureScore.Reference(
            sample ?? pixels, hasAlpha: image.hasAlpha, background: options.backgroundColor,
            sampleOf: pixels.size)
    }

    /// Returns the score of the picture after the transform of JPEG with this quantisation table.
    func score(ofTransform table: [UInt16], halvesChroma: Bool) throws(WebImageError) -> Double {
        try WorkBudget.checkCurrent()
        let coded = try reference.pixels.blockCoded(table, halvesChroma: halvesChroma)
        return try reference.score(of: coded, hasAlpha: false)
    }

    /// - Parameter isFast: Whether the encoder of WebP takes its fastest method.
    func run(_ setting: QualitySetting, isFast: Bool = false) throws(WebImageError) -> (data: Data, score: Double) {
        try WorkBudget.checkCurrent()
        var options = options
        if isFast { options.webP.method = 0 }
        options.quality = Double(setting.quality) / 100
        options.halvesChroma = setting.halvesChroma
        let data = try coder.encode(image, format: format, options: options)
        var decoding = DecodingOptions()
        decoding.limits = .unlimited
        decoding.firstFrameOnly = true
        decoding.pixelFormat = .rgba8
        decoding.colorConversion = .asStored
        let decoded = try coder.decode(data, options: decoding)
        return (data, try reference.score(of: decoded.pixels, hasAlpha: decoded.hasAlpha))
    }
}
