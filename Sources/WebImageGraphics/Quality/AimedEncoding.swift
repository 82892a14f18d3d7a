package import Foundation
package import WebImageCore

/// Encodes a still so that it has the score of ``EncodingOptions/qualityAim``.
///
/// First, what is cheaper than an encode of the whole predicts its score at a few settings: see ``Draft``. For JPEG this is so exact
/// that the file is encoded once: a larger picture is scored at its coarse scales alone, and parts of it at the fine ones. Of other
/// formats the whole is encoded, decoded and scored, with at most ``mostEncodes`` settings, until its score is near enough.
package struct AimedEncoding {
    package struct Outcome: Sendable {
        package var data: Data
        package var setting: QualitySetting
        /// The score of the file; of a JPEG that of its transform, within 0.3 points. From 166,000 px on, the two fine scales of a
        /// JPEG's score are those of parts of it, with an error of 0.3 points (standard deviation). A larger picture than
        /// ``PictureScore/largestWhole`` is scored by parts of it.
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
        let draft = Draft(of: pixels, as: format, options, hasAlpha: image.hasAlpha)
        var pixelCount = 0
        var parts: Trial?
        if case .parts(let count, let side) = draft {
            let trial = try Trial(
                of: image, pixels: pixels, format: format, options: options, coder: coder, squares: (count, side))
            pixelCount = try predict(&curve, draft, by: trial)
            parts = trial
        }
        let fine = hasTransform && PictureScore.hasAllScales(pixels.size) ? parts : nil
        let trial = try Trial(
            of: image, pixels: pixels, format: format, options: options, coder: coder, fine: fine)
        if hasTransform { return try predicted(&curve, by: trial) }
        if parts == nil { pixelCount = try predict(&curve, draft, by: trial) }
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
        return logged(
            Outcome(
                data: best.data, setting: best.setting, score: best.score, encodeCount: count,
                encodedShare: Double(pixelCount) / Double(pixels.size.pixelCount)))
    }

    /// Whether the score of a file is that of its picture after the transform of JPEG.
    private var hasTransform: Bool {
        format.container == .jpeg && pixels.format.bitsPerComponent == 8 && !image.hasAlpha
    }

    /// Returns the file whose score is the nearest one after the transform of JPEG.
    private func predicted(_ curve: inout QualityCurve, by trial: Trial) throws(WebImageError) -> Outcome {
        var best: (score: Double, setting: QualitySetting)?
        for _ in 0..<Self.mostEncodes {
            guard let setting = curve.next else { break }
            let score = try trial.score(ofTransform: setting)
            curve.add(score, at: setting)
            if abs(score - aim.score) < best.map({ abs($0.score - aim.score) }) ?? .infinity { best = (score, setting) }
            if abs(score - aim.score) <= Self.draftTolerance { break }
        }
        guard let best else { throw .cannotEncode("SSIMULACRA 2", "no quality is allowed") }
        return logged(
            Outcome(
                data: try trial.encoded(best.setting), setting: best.setting, score: best.score, encodeCount: 1,
                encodedShare: 1))
    }

    private func logged(_ outcome: Outcome) -> Outcome {
        WebImageLog.shared.log(
            .debug,
            "\(format): quality \(outcome.setting.quality) has the score \(String(plainFormat: "%.1f", outcome.score)) for "
                + "\(String(plainFormat: "%.1f", aim.score)); \(outcome.encodeCount) whole encodes, with parts "
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
    private func predict(_ curve: inout QualityCurve, _ draft: Draft?, by trial: Trial) throws(WebImageError) -> Int {
        guard let draft else { return 0 }
        if draft == .looks {
            for look in curve.looks { curve.add(try trial.score(of: look), of: look) }
            return 0
        }
        var count = 0
        while count < draft.most(format), let setting = curve.next {
            count += 1
            let draftScore =
                hasTransform
                ? try trial.score(ofTransform: setting) : try trial.run(setting, isFast: draft.isFast).score
            let score = draftScore - draft.gap(draftScore, at: setting.quality, format)
            curve.add(score, at: setting)
            if abs(score - aim.score) <= Self.draftTolerance { break }
        }
        curve.beginWhole()
        return count * trial.pixelCount
    }
}

/// What predicts the score of a file in less time than an encode of the whole picture. The sizes and gaps are measured
/// (Documentation/Decisions/quality-drafts.md).
private enum Draft: Equatable {
    /// `count` × `count` parts of the picture are encoded, or transformed as JPEG does it.
    case parts(Int, side: Int)
    /// The whole picture is encoded by WebP's method 0.
    case fast
    /// The transform of JPEG with the tables of AVIF's looks.
    case looks

    var isFast: Bool { self == .fast }

    /// Returns the greatest number of drafts. A third one of small parts takes longer than the work on the whole that it saves.
    func most(_ format: ImageFormat) -> Int { [.jpegXL, .heic].contains(format.container) ? 3 : 2 }

    /// Returns nil if nothing pays for this picture.
    init?(of pixels: PixelBuffer, as format: ImageFormat, _ options: EncodingOptions, hasAlpha: Bool) {
        let count = pixels.size.pixelCount
        let hasTransform = pixels.format.bitsPerComponent == 8 && !hasAlpha
        switch format.container {
        case .jpeg where count >= (hasTransform ? 166_000 : 60_000):
            // At most a third of the picture. Its blocks do not depend on each other, so that small parts are like the whole.
            let side = Int((Double(count) / 108).squareRoot()) / 16 * 16
            self = .parts(6, side: min(max(side, 32), count < 1_000_000 ? 48 : 64))
        case .avif where count >= 60_000: self = .parts(6, side: 48)
        case .avif where hasTransform: self = .looks
        case .webP where count >= 90_000: self = .parts(6, side: 48)
        case .webP where (options.webP.method ?? 2) > 1: self = .fast
        case .jpegXL where count >= 166_000, .heic where count >= 166_000: self = .parts(3, side: 96)
        default: return nil
        }
    }

    /// Returns by how much the score of the draft is above that of the whole.
    func gap(_ score: Double, at quality: Int, _ format: ImageFormat) -> Double {
        var gap = 0.0
        if case .parts = self {
            // The metric blurs the borders of parts into each other, which hides losses: most of all in JPEG's parts, the smallest.
            let missing = max(100 - score, 0)
            switch format.container {
            case .jpeg: gap = missing * (0.05 + 0.0018 * missing)
            case .jpegXL: gap = 0
            default: gap = 0.5
            }
        }
        // The fast method of WebP leaves more at low qualities.
        if isFast { gap += 0.4 * max(-0.5, min(1.5, Double(82 - quality) * 0.029)) }
        return gap
    }
}

/// Encodes one picture with several settings.
private final class Trial {
    private let image: Image
    private let format: ImageFormat
    private let options: EncodingOptions
    private let coder: any ImageCoder
    private let reference: PictureScore.Reference
    /// The number and the sides of the squares that are encoded instead of the picture.
    private let squares: (count: Int, side: Int)?
    /// Has the fine scales, of which the whole has only the others. They take most of the time of a comparison, and are nearly the
    /// same in parts of the picture, while the other scales are not.
    private let fine: Trial?

    /// The first scale that is compared in the whole picture if parts have the finer ones.
    private static let firstWholeScale = 2
    /// By how much the score is above that of the whole if the fine scales are those of these parts, whose borders are blurred into
    /// each other.
    private var fineGap: Double { squares.map { 10 / Double($0.side) } ?? 0 }

    var pixelCount: Int { reference.pixels.size.pixelCount }

    /// - Parameter pixels: The pixels that the image has in the file.
    init(
        of image: Image, pixels: PixelBuffer, format: ImageFormat, options: EncodingOptions,
        coder: any ImageCoder, squares: (count: Int, side: Int)? = nil, fine: Trial? = nil
    ) throws(WebImageError) {
        (self.format, self.coder, self.squares, self.fine) = (format, coder, squares, fine)
        var options = options
        options.maxFileSize = nil
        options.embedsThumbnail = false
        options.metadata.orientation = .up
        options.webP.targetPSNR = nil
        var sample = pixels
        if let squares {
            options.maxPixelSize = nil
            options.metadata = EmbeddedMetadata()
            options.progressive = false
            sample = try pixels.parts(squares.count, side: squares.side)
            self.image = Image(pixels: sample, colorProfile: image.colorProfile, hasAlpha: image.hasAlpha)
        } else {
            self.image = image
        }
        self.options = options
        reference = PictureScore.Reference(
            sample, hasAlpha: image.hasAlpha, background: options.backgroundColor, sampleOf: pixels.size,
            firstScale: fine == nil ? 0 : Self.firstWholeScale)
    }

    /// Returns the score of a JPEG, without making one. The picture is opaque and has 8 bits.
    func score(ofTransform setting: QualitySetting) throws(WebImageError) -> Double {
        try WorkBudget.checkCurrent()
        let (table, halvesChroma) = (JPEGQuantization.table(quality: setting.quality), setting.halvesChroma ?? false)
        let loss = try reference.loss(ofTransform: table, halvesChroma: halvesChroma)
        guard let fine else { return PictureScore.score([loss]) }
        let other = try fine.reference.loss(
            ofTransform: table, halvesChroma: halvesChroma, before: Self.firstWholeScale)
        return PictureScore.score([loss + other]) - fine.fineGap
    }

    func score(of look: CurveLook) throws(WebImageError) -> Double {
        try WorkBudget.checkCurrent()
        let table = [UInt16](repeating: look.step, count: 64)
        return PictureScore.score([try reference.loss(ofTransform: table, halvesChroma: look.halvesChroma)])
    }

    func encoded(_ setting: QualitySetting, isFast: Bool = false) throws(WebImageError) -> Data {
        try WorkBudget.checkCurrent()
        var options = options
        if isFast { options.webP.method = 0 }
        options.quality = Double(setting.quality) / 100
        options.halvesChroma = setting.halvesChroma
        return try coder.encode(image, format: format, options: options)
    }

    /// - Parameter isFast: Whether the encoder of WebP takes its fastest method.
    func run(_ setting: QualitySetting, isFast: Bool = false) throws(WebImageError) -> (data: Data, score: Double) {
        let data = try encoded(setting, isFast: isFast)
        var decoding = DecodingOptions()
        decoding.limits = .unlimited
        decoding.firstFrameOnly = true
        decoding.pixelFormat = .rgba8
        decoding.colorConversion = .asStored
        let decoded = try coder.decode(data, options: decoding)
        return (data, try reference.score(of: decoded.pixels, hasAlpha: decoded.hasAlpha))
    }
}
