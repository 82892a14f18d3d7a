package import Foundation
package import WebImageCore

/// Encodes a still so that it has the score of ``EncodingOptions/qualityAim``.
///
/// A large picture has a sample, nine parts of it, whose score at a few settings predicts the score of the whole. Then the whole
/// is encoded, decoded and scored, with at most ``mostEncodes`` settings, until its score is near enough.
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
    private static let mostSamples = 4
    /// The sample decides only where to begin, but a better beginning saves an encode of the whole.
    private static let sampleTolerance = 0.75
    private static let sampleParts = 3
    private static let samplePartSide = 96
    /// A smaller picture than this many samples is not sampled: that would take as long as an encode of the whole.
    private static let leastSamples = 2

    private let aim: QualityAim
    private let image: Image
    private let format: ImageFormat
    private let options: EncodingOptions
    private let coder: any DetailedImageCoder
    /// The pixels that are encoded.
    private let pixels: PixelBuffer

    /// Returns nil if the options have no aim, or if it does not apply: to a lossless file, and to a picture with a side below
    /// 8 px.
    package init?(
        of image: Image, as format: ImageFormat, _ options: EncodingOptions, by coder: some DetailedImageCoder
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
        var pixelCount = 0
        if let sample = try sample() {
            let trial = Trial(sample, of: image, pixels, format: format, options: options, coder: coder)
            var trials = 0
            while trials < Self.mostSamples, let setting = curve.next {
                let score = try trial.run(setting).score
                curve.add(score, at: setting)
                trials += 1
                if abs(score - aim.score) <= Self.sampleTolerance { break }
            }
            pixelCount += trials * sample.size.pixelCount
            curve.beginWhole()
        }
        let trial = Trial(nil, of: image, pixels, format: format, options: options, coder: coder)
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

    /// Nine parts of the picture, side by side. Nil if the picture is small.
    private func sample() throws(WebImageError) -> PixelBuffer? {
        let side = Self.samplePartSide * Self.sampleParts
        guard pixels.size.pixelCount >= Self.leastSamples * side * side else { return nil }
        return try pixels.parts(Self.sampleParts, side: Self.samplePartSide)
    }
}

/// Encodes one picture with several settings.
private struct Trial {
    private let image: Image
    private let format: ImageFormat
    private let options: EncodingOptions
    private let coder: any DetailedImageCoder
    private let reference: PictureScore.Reference

    /// - Parameters:
    ///   - sample: The pixels to encode instead of the image; nil encodes the image.
    ///   - pixels: The pixels that the image has in the file.
    init(
        _ sample: PixelBuffer?, of image: Image, _ pixels: PixelBuffer, format: ImageFormat,
        options: EncodingOptions, coder: any DetailedImageCoder
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

    func run(_ setting: QualitySetting) throws(WebImageError) -> (data: Data, score: Double) {
        try WorkBudget.checkCurrent()
        var options = options
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
