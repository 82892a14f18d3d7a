import WebImageCore

/// What decides the quality of a lossy file.
package struct QualitySetting: Sendable, Hashable {
    /// The encoder's number, 0 to 100.
    package var quality: Int
    /// Whether colour is stored at half the width and height. Nil if the encoder has no such choice.
    package var halvesChroma: Bool?
}

/// The scores that one picture has at each quality, as far as they are known, and the setting to try next.
///
/// Before a picture is encoded, its curve is the mean of many pictures. It differs from the mean by a few shapes, whose shares are
/// estimated from the scores that are added (a Kalman filter): those of files, and those of ``looks``. The rest of the error is taken to change evenly between two known
/// scores.
struct QualityCurve {
    /// The settings with equal chroma, in which the score grows with the quality.
    private struct Branch {
        let halvesChroma: Bool?
        let qualities: ClosedRange<Int>
        /// The mean curve, and the shapes by which the curves of pictures differ from it, at each quality from 0 to 100.
        let mean: [Double]
        let shapes: [[Double]]
        /// The scores that were added since the start or since ``QualityCurve/beginWhole()``.
        var known: [Int: Double] = [:]

        init(_ curve: MeasuredCurve, qualities: ClosedRange<Int>) {
            self.qualities = qualities
            halvesChroma = curve.halvesChroma
            mean = QualityCurve.line(curve.qualities, curve.mean)
            shapes = curve.shapes.map { QualityCurve.line(curve.qualities, $0) }
        }
    }

    private let aim: Double
    private var branches: [Branch]
    private var shares: [Double]
    /// The covariance of the shares. Each has a variance of 1 in the pictures that were measured.
    private var covariance: [[Double]]
    /// Pictures without an encoder whose scores tell about the curve. Empty if the format has none.
    let looks: [CurveLook]
    /// The curves of the sample, which the whole picture has with another offset. Nil while a sample or the only picture is tried.
    private var sampled: [[Double]]?
    /// The difference between the last score of the whole picture and that of the sample.
    private var lastOffset = 0.0

    /// The points by which a curve can differ from the sum of its shapes.
    private static let deviation = 2.0
    /// How far the best score with halved chroma may be below the aim before full chroma is tried.
    private static let slack = 0.5

    /// - Parameter qualities: The qualities that may be used.
    init(of format: ImageFormat, aim: Double, qualities: ClosedRange<Int>) {
        self.aim = aim
        let curves = MeasuredCurve.of(format)
        looks = format.container == .avif ? MeasuredCurve.avifLooks : []
        shares = curves[0].shapes.map { _ in 0 }
        covariance = shares.indices.map { row in curves[0].shapes.indices.map { $0 == row ? 1 : 0 } }
        branches = curves.compactMap { curve in
            // Beyond these, the other kind of chroma has the same score in a smaller file. The ranges overlap in their scores, so
            // that there is no gap between them.
            let own = curve.halvesChroma == true ? 1...93 : curve.halvesChroma == false ? 15...100 : 1...100
            return own.overlaps(qualities) ? Branch(curve, qualities: qualities.clamped(to: own)) : nil
        }
        if branches.isEmpty { branches = [Branch(curves[0], qualities: qualities)] }
    }

    /// The setting whose score is expected to be nearest to the aim, of those that are not tried and not excluded by the scores of
    /// others. Nil if there is none.
    var next: QualitySetting? {
        for (index, branch) in branches.enumerated() {
            let isLast = index == branches.count - 1
            let scores = expected(index)
            let below = branch.known.filter { $0.value < aim }.keys.max() ?? branch.qualities.lowerBound - 1
            let above = branch.known.filter { $0.value >= aim }.keys.min() ?? branch.qualities.upperBound + 1
            let reachesNone = above > branch.qualities.upperBound
            if reachesNone, !isLast, scores[branch.qualities.upperBound] < aim - Self.slack { continue }
            guard above - below > 1 else {
                if reachesNone, !isLast { continue }
                return nil
            }
            let nearest = (below + 1..<above).min { abs(scores[$0] - aim) < abs(scores[$1] - aim) }
            return nearest.map { QualitySetting(quality: $0, halvesChroma: branch.halvesChroma) }
        }
        return nil
    }

    mutating func add(_ score: Double, at setting: QualitySetting) {
        guard let index = branches.firstIndex(where: { $0.halvesChroma == setting.halvesChroma }) else { return }
        branches[index].known[setting.quality] = score
        if let sampled {
            lastOffset = score - sampled[index][setting.quality]
        } else {
            let branch = branches[index]
            update(
                by: score, shape: branch.shapes.map { $0[setting.quality] }, mean: branch.mean[setting.quality],
                deviation: Self.deviation)
        }
    }

    mutating func add(_ score: Double, of look: CurveLook) {
        update(by: score, shape: look.shapes, mean: look.mean, deviation: look.deviation)
    }

    /// Begins with the whole picture after its sample.
    mutating func beginWhole() {
        sampled = branches.indices.map { expected($0) }
        for index in branches.indices { branches[index].known = [:] }
    }

    private mutating func update(by score: Double, shape: [Double], mean: Double, deviation: Double) {
        let spread = covariance.map { row in zip(row, shape).reduce(0) { $0 + $1.0 * $1.1 } }
        let variance = zip(spread, shape).reduce(deviation * deviation) { $0 + $1.0 * $1.1 }
        let error = score - mean - zip(shares, shape).reduce(0) { $0 + $1.0 * $1.1 }
        for row in shares.indices {
            shares[row] += spread[row] / variance * error
            for column in shares.indices { covariance[row][column] -= spread[row] * spread[column] / variance }
        }
    }

    /// The expected score at each quality from 0 to 100, which never falls.
    private func expected(_ index: Int) -> [Double] {
        let branch = branches[index]
        var scores =
            sampled?[index]
            ?? branch.mean.indices.map { quality in
                zip(shares, branch.shapes).reduce(branch.mean[quality]) { $0 + $1.0 * $1.1[quality] }
            }
        let known = branch.known.keys.sorted()
        let errors = known.map { (branch.known[$0] ?? 0) - scores[$0] }
        let offsets =
            known.isEmpty
            ? Array(repeating: lastOffset, count: scores.count) : Self.line(known, errors, isFlat: true)
        var highest = -Double.infinity
        for quality in scores.indices {
            highest = max(highest, scores[quality] + offsets[quality])
            scores[quality] = highest
        }
        return scores
    }

    /// Returns the values at 0 to 100 of lines between points. Beyond the first and the last point, the value stays, or the line
    /// goes on.
    fileprivate static func line(_ places: [Int], _ values: [Double], isFlat: Bool = false) -> [Double] {
        guard places.count > 1 else { return Array(repeating: values.first ?? 0, count: 101) }
        var segment = 0
        return (0...100).map { place in
            while segment < places.count - 2, place > places[segment + 1] { segment += 1 }
            let (first, last) = (Double(places[segment]), Double(places[segment + 1]))
            var part = (Double(place) - first) / (last - first)
            if isFlat { part = min(max(part, 0), 1) }
            return values[segment] + part * (values[segment + 1] - values[segment])
        }
    }
}

/// A picture whose transform was quantised with equal steps, as ``PictureScore/Reference/loss(ofTransform:halvesChroma:before:)`` makes it.
struct CurveLook {
    let step: UInt16
    let halvesChroma: Bool
    /// The mean of its scores, the shares of the curve's shapes in them, and what the shapes leave.
    let mean: Double
    let shapes: [Double]
    let deviation: Double
}

/// Curves of 150 to 400 crops of photos, drawings, texts and scans, 90 to 900 px a side, encoded with our encoders
/// (Documentation/Decisions/quality-by-aim.md, quality-drafts.md).
private struct MeasuredCurve {
    var halvesChroma: Bool?
    let qualities: [Int]
    let mean: [Double]
    /// The principal components of the differences from the mean, each multiplied by its standard deviation.
    let shapes: [[Double]]

    private static let all = [5, 15, 30, 45, 60, 72, 82, 89, 90, 94, 98]

    static func of(_ format: ImageFormat) -> [MeasuredCurve] {
        switch format.container {
        case .jpeg: jpeg
        case .avif: avif
        case .jpegXL: [jpegXL]
        // Curves of HEIC were not measured. The coder is of the same age as WebP's, and scores correct the curve.
        default: [webP]
        }
    }

    /// With the table of ``JPEGQuantization``.
    private static let jpeg = [
        MeasuredCurve(
            halvesChroma: true, qualities: [5, 15, 30, 45, 60, 72, 82, 89, 93],
            mean: [-10.7, 31.1, 50.2, 58.5, 63.4, 67.9, 72.1, 75.5, 78],
            shapes: [
                [-21.5, -28, -26.7, -24.8, -23.3, -21.9, -20.2, -18.6, -17.5],
                [-23.7, -9.2, 1.1, 4.4, 6, 7.3, 8.2, 8.8, 9.3],
                [7.7, -3.8, -1.3, 0.1, 1, 1.8, 2.4, 3, 3.5],
            ]),
        MeasuredCurve(
            halvesChroma: false, qualities: [15, 30, 45, 60, 72, 82, 89, 94, 98],
            mean: [34.5, 55.6, 64.8, 70.2, 75.5, 80.4, 84.7, 89, 93.6],
            shapes: [
                [-26.2, -21.8, -18.8, -16.4, -14.1, -11.6, -9.2, -6.7, -3.6],
                [-9.6, -1.7, 0.5, 1.5, 2, 2.4, 2.2, 2, 1.2],
                [-5.1, -3, -1.9, -1.1, -0.5, -0.1, 0.2, 0.4, 0.3],
            ]),
    ]

    /// Of 190 crops.
    private static let avif = [
        MeasuredCurve(
            halvesChroma: true, qualities: [5, 13, 29, 45, 61, 69, 77, 85, 93],
            mean: [2.3, 17.7, 40.8, 58.5, 70.4, 73.4, 77.3, 80.6, 83.8],
            shapes: [
                [24.8, 26.7, 26.4, 22.2, 17.8, 16.4, 14.5, 13.1, 12.1],
                [-16.2, -10.7, -0.9, 5.7, 8.3, 8.8, 8.9, 9.1, 9.4],
                [-4.1, -1.4, 0.7, 0.5, -0.6, -1.1, -2.1, -3, -4.2],
                [3.2, -0.6, -2.7, -0.8, 0.8, 0.8, 0.5, 0.2, -0.3],
            ]),
        MeasuredCurve(
            halvesChroma: false, qualities: [15, 27, 39, 51, 63, 75, 87, 99],
            mean: [25, 44.6, 60, 70.4, 77.9, 83, 89.2, 96.1],
            shapes: [
                [24.7, 22.6, 18.3, 13.9, 9.9, 7.1, 3.7, 0.8],
                [-9.5, -2.6, 2.1, 3.8, 4, 3.4, 2.4, 0.4],
                [0.9, 3.3, 3.3, 2.6, 2, 1.5, 0.8, 0.1],
                [0.5, 0.2, 1.4, 2.2, 2, 1.6, 0.9, 0.4],
            ]),
    ]

    static let avifLooks = [
        CurveLook(step: 6, halvesChroma: true, mean: 79.5, shapes: [13.2, 8.7, -2.7, 0.3], deviation: 1.3),
        CurveLook(step: 24, halvesChroma: true, mean: 59.1, shapes: [20.9, 5.1, 1.7, 0.8], deviation: 3.5),
        CurveLook(step: 12, halvesChroma: false, mean: 76.5, shapes: [9.2, 4, 1.6, 1.9], deviation: 3),
    ]

    /// With method 2 and luma that keeps the luminance, of 400 crops.
    private static let webP = MeasuredCurve(
        qualities: [5, 15, 30, 45, 60, 72, 82, 90, 94, 98],
        mean: [32.1, 44, 52.8, 59, 63.4, 66.6, 72.1, 77.7, 80.3, 82.3],
        shapes: [
            [24.3, 24.2, 23.1, 21.6, 20.2, 19.1, 16.8, 14.5, 13.5, 12.9],
            [10.4, 5, 0.7, -1.8, -3.3, -4.2, -5.2, -5.9, -6.4, -6.8],
            [1.6, 0, -0.9, -1.2, -0.8, -0.4, 0.7, 2, 2.9, 3.4],
        ])

    private static let jpegXL = MeasuredCurve(
        qualities: all,
        mean: [20.1, 34.5, 42.7, 49.3, 54.5, 61.3, 67.4, 73.2, 74.2, 78.6, 84.8],
        shapes: [
            [25, 28.3, 29.1, 29.1, 27.9, 26.5, 24.6, 21.9, 21.4, 18.3, 13],
            [-15.6, -8.4, -4.3, -1.2, 1.4, 3.8, 5.5, 6.7, 6.8, 7.2, 6.9],
            [-2.6, -0.2, 0.8, 1.7, 1.8, 1.5, 0.6, -0.6, -0.8, -1.8, -3.7],
        ])
}
