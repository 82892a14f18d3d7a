import Foundation
import WebImageCore

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
    ///
    /// `Scripts/test` sets `WEBIMAGE_SEEDS` to a word that it states. Each test then computes a seed of its
    /// own from it, so that each run has the same seeds.
    package static func printingSeed(of test: String = #function) -> SeededRandom {
        let environment = ProcessInfo.processInfo.environment
        let random =
            if let seed = environment["WEBIMAGE_SEED"].flatMap({ UInt64($0) }) {
                SeededRandom(seed: seed)
            } else if let tree = environment["WEBIMAGE_SEEDS"], !tree.isEmpty {
                SeededRandom(seed: seed(of: test, number: uses.next(of: test), in: tree))
            } else {
                SeededRandom()
            }
        print("\(test): WEBIMAGE_SEED=\(random.seed)")
        return random
    }

    /// The seed of the nth sequence of a test. It is a hash (FNV-1a) of all three.
    package static func seed(of test: String, number: Int, in tree: String) -> UInt64 {
        "\(tree) \(test) \(number)".utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// Counts the sequences of each test: a test with arguments starts one for each of them.
    private static let uses = Uses()

    private final class Uses: Sendable {
        private let counts = Locked([String: Int]())

        func next(of test: String) -> Int {
            counts.withLock {
                $0[test, default: 0] += 1
                return $0[test] ?? 0
            }
        }
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
