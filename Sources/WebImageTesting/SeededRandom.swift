/// Random numbers that are the same for the same seed (SplitMix64), so that a failing test can be run again.
///
/// Put ``seed`` into the message of each expectation.
public struct SeededRandom: RandomNumberGenerator, Sendable {
    /// The start of the sequence.
    public let seed: UInt64
    private var state: UInt64

    /// Starts a sequence; the default seed is random.
    public init(seed: UInt64 = .random(in: .min ... .max)) {
        self.seed = seed
        state = seed
    }

    /// The next 64 random bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
