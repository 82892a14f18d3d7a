import Foundation
import Harness

/// A file that lists when each picture is requested. Every competitor reads the same file. Each line contains the
/// request time of a picture and its URL or path. The request time is in milliseconds after the start of the round.
struct Arrivals {
    let file: String
    let count: Int

    /// Writes arrivals that all have request time 0. `places` are URLs or paths.
    static func burst(_ places: [String]) throws -> Arrivals { try Arrivals(places.map { (0, $0) }) }

    /// Writes arrivals at random times. They are a Poisson process of `rate` pictures per second for `seconds`. The
    /// request times do not depend on when earlier pictures are complete (an open loop). Equal seeds produce equal
    /// times.
    static func steady(_ places: [String], rate: Double, seconds: Double, seed: UInt64) throws -> Arrivals {
        var random = SplitMix(state: seed)
        var (time, arrivals) = (0.0, [(Double, String)]())
        while true {
            time -= log(1 - Double.random(in: 0..<1, using: &random)) / rate
            guard time < seconds else { break }
            arrivals.append((time * 1000, places[arrivals.count % places.count]))
        }
        return try Arrivals(arrivals)
    }

    private init(_ arrivals: [(milliseconds: Double, place: String)]) throws {
        file = Inputs.kept.appendingPathComponent("arrivals-\(UUID().uuidString)").path
        count = arrivals.count
        let lines = arrivals.map { String(format: "%.3f ", $0.milliseconds) + $0.place + "\n" }
        try Data(lines.joined().utf8).write(to: URL(fileURLWithPath: file))
    }

    /// Returns the arrivals that a file contains.
    static func read(_ file: String) throws -> [(milliseconds: Double, place: String)] {
        try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ", maxSplits: 1)
            guard words.count == 2, let time = Double(words[0]) else { return nil }
            return (time, String(words[1]))
        }
    }

    private struct SplitMix: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = state
            value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
            return value ^ (value >> 31)
        }
    }
}

/// The waiting times of the pictures of one or more rounds, in milliseconds.
struct Distribution {
    let sorted: [Double]

    init(_ milliseconds: [Double]) { sorted = milliseconds.sorted() }

    var first: Double { sorted.first ?? .nan }
    var median: Double { sorted.median }
    var last: Double { sorted.last ?? .nan }

    /// Returns a percentile by the nearest-rank method.
    func percentile(_ percent: Double) -> Double {
        guard !sorted.isEmpty else { return .nan }
        return sorted[min(max(Int((percent / 100 * Double(sorted.count)).rounded(.up)) - 1, 0), sorted.count - 1)]
    }
}
