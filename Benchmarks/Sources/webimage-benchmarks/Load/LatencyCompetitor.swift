import Foundation
import Harness

/// A program that loads a list of pictures at 256 px and reports the time of each from its request.
final class LatencyCompetitor {
    let peer: LinePeer
    private(set) var rounds: [Distribution] = []

    init(_ peer: LinePeer) { self.peer = peer }

    /// Our library without caches.
    static func ours() -> LatencyCompetitor {
        LatencyCompetitor(LinePeer("webimage", [MeasuredProcess.itself, LatencyWorker.name, "none"]))
    }

    /// Our library with everything in the disk cache and without a memory cache.
    static func ourCache() -> LatencyCompetitor {
        LatencyCompetitor(LinePeer("webimage, disk cache", [MeasuredProcess.itself, LatencyWorker.name, "disk"]))
    }

    /// The installed peers: aiohttp with pyvips in a thread pool, and libjpeg-turbo alone with one thread per core,
    /// which only reads files.
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

    /// Loads a whole list; the time of the last picture is the time of the round.
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

    /// All waiting times of all rounds.
    var all: Distribution { Distribution(rounds.flatMap(\.sorted)) }

    /// The median over the rounds of a value of each round.
    func median(_ value: (Distribution) -> Double) -> Double { rounds.map(value).median }
}
