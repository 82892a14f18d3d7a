import Foundation

/// A random number generator (SplitMix64). The same seed produces the same numbers, so that a failing test can be
/// repeated.
public struct SeededRandom: RandomNumberGenerator, Sendable {
    /// The seed of the sequence.
    public let seed: UInt64
    private var state: UInt64

    /// Starts a sequence with a seed; the default seed is random.
    public init(seed: UInt64 = .random(in: .min ... .max)) {
        self.seed = seed
        state = seed
    }

    /// Starts a sequence for one test and prints its seed.
    ///
    /// The seed is random, unless the environment variable `WEBIMAGE_SEED` contains a seed. To repeat a failure, set
    /// that variable to the printed seed. The seed is printed immediately, so that it is in the output even if the test
    /// traps.
    package static func printingSeed(of test: String = #function) -> SeededRandom {
        let given = ProcessInfo.processInfo.environment["WEBIMAGE_SEED"].flatMap { UInt64($0) }
        let random = given.map { SeededRandom(seed: $0) } ?? SeededRandom()
        print("\(test): WEBIMAGE_SEED=\(random.seed)")
        return random
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
