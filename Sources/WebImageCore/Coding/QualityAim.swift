/// A quality that is chosen by how much the encoded picture looks like the original, instead of by a number that means
/// something else in each format and for each picture.
///
/// The measure is SSIMULACRA 2: 100 is equal, 90 looks like the original even beside it, 70 is high and 50 is medium quality
/// for pictures on the web. An encode for a score takes about three times as long as one with a given quality.
public struct QualityAim: Sendable, Hashable {
    /// The wanted score, clamped to 1…99; NaN means 99. The file has this score within 1.5 points where the encoder can reach
    /// it, and otherwise the nearest score.
    public var score: Double {
        get { boundedScore }
        set { boundedScore = newValue.isNaN ? 99 : min(max(newValue, 1), 99) }
    }
    private var boundedScore = 99.0
    /// The qualities that may be used, clamped to 0…1. They count more than the score.
    public var qualities: ClosedRange<Double> {
        get { boundedQualities }
        set { boundedQualities = newValue.clamped(to: 0...1) }
    }
    private var boundedQualities = 0.0...1.0

    /// Makes an aim.
    public init(score: Double, qualities: ClosedRange<Double> = 0...1) {
        self.score = score
        self.qualities = qualities
    }
}
