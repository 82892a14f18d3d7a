import Foundation
import Harness

/// A program that loads the pictures of an ``Arrivals`` file as thumbnails of 256 px. For each picture, the program
/// reports the milliseconds from the request time until the thumbnail is decoded.
final class LatencyCompetitor {
    let peer: LinePeer
    private(set) var rounds: [Distribution] = []

    init(_ peer: LinePeer) { self.peer = peer }

    /// Our library without caches.
    static func ours() -> LatencyCompetitor {
        LatencyCompetitor(LinePeer("webimage", [MeasuredProcess.itself, LatencyWorker.name, "none"]))
    }

    /// Our library without caches, in which libjpeg-turbo decodes every JPEG thumbnail.
    static func oursByLibjpeg() -> LatencyCompetitor {
        LatencyCompetitor(
            LinePeer(
                "webimage by libjpeg-turbo",
                ["WEBIMAGE_JPEG_THUMBNAILS=libjpeg", MeasuredProcess.itself, LatencyWorker.name, "none"]))
    }

    /// Our library with a disk cache but without a memory cache. The disk cache contains the originals of all pictures
    /// before the measurement starts.
    static func ourCache() -> LatencyCompetitor {
        LatencyCompetitor(LinePeer("webimage, disk cache", [MeasuredProcess.itself, LatencyWorker.name, "disk"]))
    }

    /// Starts the peers and returns the peers that are installed. The first peer is aiohttp with pyvips in a thread
    /// pool. The second peer is `webimage-latency-turbo`, which runs only libjpeg-turbo, on one thread per core. It
    /// cannot download, so it takes part only if `network` is false.
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

    /// Runs one round. The program loads all pictures of a file, and their waiting times are added to ``rounds``.
    /// Throws if a picture fails.
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
    /// Removes the first round. Scenarios call this function if their first round is a warm-up round.
    func forgetFirstRound() { rounds = Array(rounds.dropFirst()) }

    /// The waiting times of the pictures of all rounds together.
    var all: Distribution { Distribution(rounds.flatMap(\.sorted)) }

    /// Computes a value for each round and returns the median of these values.
    func median(_ value: (Distribution) -> Double) -> Double { rounds.map(value).median }
}
