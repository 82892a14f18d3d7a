import Foundation
import Harness
import WebImageTesting

/// Requests pictures at random times and measures the waiting time of each picture. The request times do not depend
/// on when earlier pictures arrive.
///
/// The request rates are 0.5, 0.8 and 0.95 of the slowest competitor's throughput. At a rate above this throughput,
/// the queue of this competitor would grow until the end of the run. Every competitor gets the same request times.
/// Each picture is a photo of 1 MP that is loaded as a thumbnail of 256 px.
struct SteadyScenario {
    private let options: Options
    private let nginx: NginxServer
    private let folder: ScratchFolder

    private var seconds: Double { options.isQuick ? 3 : 20 }
    private static let pictures = 200

    static func run(_ options: Options, _ report: Report) throws {
        guard NginxServer.isAvailable else { throw ScenarioError.missing("nginx or openssl is not installed") }
        let scenario = SteadyScenario(options: options, nginx: try NginxServer(), folder: try ScratchFolder())
        defer { scenario.nginx.stop() }
        let photo = try Data(contentsOf: options.data.appendingPathComponent("photo-1000x1000.jpg"))
        var (files, urls) = ([String](), [String]())
        for number in 0..<pictures {
            let name = "\(number).jpg"
            try photo.write(to: scenario.nginx.root.appendingPathComponent(name))
            let file = scenario.folder.url.appendingPathComponent(name)
            try photo.write(to: file)
            files.append(file.path)
            urls.append(scenario.nginx.url("/" + name).absoluteString)
        }
        try scenario.contests(
            "from files and the disk cache", [.ours(), .ourCache()] + LatencyCompetitor.peers(network: false), files,
            report)
        try scenario.contests("from the network", [.ours()] + LatencyCompetitor.peers(network: true), urls, report)
    }

    private func contests(
        _ name: String, _ rivals: [LatencyCompetitor], _ places: [String], _ report: Report
    ) throws {
        let burst = try Arrivals.burst(places)
        var capacities: [Double] = []
        for rival in rivals {
            for _ in 0..<3 { try rival.run(burst) }
            let capacity = Double(places.count) / rival.rounds.map(\.last).min()! * 1000
            capacities.append(capacity)
            print(String(format: "steady \(name): \(rival.peer.name) can do %.0f pictures a second", capacity))
        }
        guard let least = capacities.min() else { return }
        for part in [0.5, 0.8, 0.95] {
            for rival in rivals { rival.forgetRounds() }
            for turn in 0..<options.rounds(3, quick: 1) {
                let arrivals = try Arrivals.steady(
                    places, rate: least * part, seconds: seconds, seed: UInt64(turn + 1))
                for offset in rivals.indices { try rivals[(offset + turn) % rivals.count].run(arrivals) }
            }
            let entries = rivals.map { rival in
                ContestResult.Entry(
                    name: rival.peer.name, milliseconds: rival.all.sorted,
                    cost: Cost(counts: [
                        "ms, 99th of 100": rival.all.percentile(99), "ms, 90th of 100": rival.all.percentile(90),
                    ]))
            }
            report.add(
                ContestResult(
                    name: "steady \(name), at \(Int(part * 100)) % of \(Int(least)) a second",
                    target: part == 0.8 ? 1 : nil, entries: entries))
        }
    }
}
