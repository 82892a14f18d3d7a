import Foundation
import Harness

/// A program that loads the pictures of an ``Arrivals`` file as thumbnails of 256 px and reports, for each
/// picture, the milliseconds from its request time until it is decoded.
final class LatencyCompetitor {
    let peer: LinePeer
    private(set) var rounds: [Distribution] = []

    init(_ peer: LinePeer) { self.peer = peer }

    /// Our library without caches.
    static func ours() -> LatencyCompetitor {
        LatencyCompetitor(LinePeer("webimage", [MeasuredProcess.itself, LatencyWorker.name, "none"]))
    }

    /// Our library without a memory cache, with the originals of all pictures in its disk cache before
    /// timing.
    static func ourCache() -> LatencyCompetitor {
        LatencyCompetitor(LinePeer("webimage, disk cache", [MeasuredProcess.itself, LatencyWorker.name, "disk"]))
    }

    /// Starts the peers and returns those that are installed: aiohttp with pyvips in a thread pool and,
    /// unless `network` is true, `webimage-latency-turbo`. That program runs libjpeg-turbo alone on one
    /// thread per core and cannot download.
    static func peers(network: Bool) -> [LatencyCompetitor] {
        let turbo = URL(fileURLWithPath: MeasuredProcess.itself).deletingLastPathComponent()
            .appendingPathComponent("webimage-latency-turbo").path
        let candidates =
            [LinePeer("aiohttp + pyvips", script: "latency.py")]
            + (network ? [] : [LinePeer("libjpeg-turbo in C, the limit", [turbo])])
        return candidates.filter { peer in
            do {
                try peer.start()
                return true
            } catch {
                print("without \(peer.name): \(error)")
                return false
            }
        }.map(LatencyCompetitor.init)
    }

    /// Runs one round: loads all pictures of a file and adds their waiting times to ``rounds``. Throws if a
    /// picture failed.
    @discardableResult
    func run(_ arrivals: Arrivals) throws -> Distribution {
        try peer.start()
        let answer = try peer.answer(to: "run \(arrivals.file)")
        let times = answer.split(separator: " ").compactMap { Double($0) }
        guard times.count == arrivals.count, times.allSatisfy({ $0 >= 0 }) else {
            throw ScenarioError.disagree(
                "\(peer.name) gave \(times.count { $0 >= 0 }) of \(arrivals.count) pictures")
        }
        let distribution = Distribution(times)
        rounds.append(distribution)
        return distribution
    }

    func forgetRounds() { rounds = [] }
    /// Removes the first round, for scenarios whose first round is a warm-up.
    func forgetFirstRound() { rounds = Array(rounds.dropFirst()) }

    /// The waiting times of the pictures of all rounds together.
    var all: Distribution { Distribution(rounds.flatMap(\.sorted)) }

    /// Computes a value for each round and returns the median of these values.
    func median(_ value: (Distribution) -> Double) -> Double { rounds.map(value).median }
}
