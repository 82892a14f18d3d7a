import Foundation
import Harness
import WebImage
import WebImageTesting

/// Starts 10,000 concurrent loads of 100 different pictures and cancels a random tenth of the loads. Each
/// received picture is decoded. Compares our library with aiohttp and Pillow.
///
/// Each competitor runs in a separate process, and this process is the server. A competitor starts all loads and then
/// requests `open`. The server sends no picture before this request. It counts the HTTP requests for pictures. This
/// process prints the resident memory of the competitor after each round to show whether the memory becomes stable.
/// The reported growth of memory is the growth during the first round, which is not counted.
enum FloodScenario {
    static let pictures = 100

    static func run(_ options: Options, _ report: Report) throws {
        let server = try FaultServer()
        defer { server.stop() }
        let body = try Inputs(folder: options.data).smallPhoto()
        let (ours, peer) = (
            LinePeer("webimage", [MeasuredProcess.itself, FloodWorker.name]),
            LinePeer("aiohttp + Pillow", script: "flood.py")
        )
        let requests = options.isQuick ? 1000 : 10_000
        var floods = [Flood(ours, server, body, requests)]
        do {
            try peer.start()
            floods.append(Flood(peer, server, body, requests))
        } catch { print("flood: without aiohttp, \(error)") }
        let contest = Contest(
            "flood, \(requests) requests of \(pictures) pictures, a tenth cancelled", changesState: true,
            floods.map(\.competitor))
        var result = try contest.run(rounds: options.rounds(8, quick: 3), warmUps: 1)
        for (index, flood) in floods.enumerated() {
            let memory = flood.memory.map { String(format: "%.0f", $0) }.joined(separator: " ")
            print("\(flood.peer.name), MB after each round: \(memory)")
            result.entries[index].cost.counts = [
                "hits a round": flood.hits.median, "finished": flood.finished.median,
                "MB at the end": flood.memory.last ?? .nan,
            ]
        }
        report.add(result)
    }
}

/// Runs the rounds of one competitor and collects the figures of all rounds, including the warm-up round.
private final class Flood {
    let peer: LinePeer
    private(set) var hits: [Double] = []
    private(set) var finished: [Double] = []
    /// The resident memory after each round, in MB. Memory that is backed by a file is not included.
    private(set) var memory: [Double] = []
    private let server: FaultServer
    private let body: Data
    private let requests: Int

    init(_ peer: LinePeer, _ server: FaultServer, _ body: Data, _ requests: Int) {
        self.peer = peer
        self.server = server
        self.body = body
        self.requests = requests
    }

    var competitor: Contest.Competitor {
        let plain = peer.competitor("")
        return Contest.Competitor(
            plain.name, prepare: plain.prepare, process: plain.process,
            run: { [self] in
                try round()
                memory.append(Double(plain.process().flatMap { ProcessMeter($0).anonymous } ?? 0) / 1e6)
            })
    }

    private func round() throws {
        let (gate, folder) = (FaultGate(), "/\(peer.name.prefix(3))/\(hits.count)")
        for number in 0..<FloodScenario.pictures {
            server.route("\(folder)/\(number).jpg", .gated(gate, .body(body, type: "image/jpeg")))
        }
        server.route(
            "\(folder)/open",
            .dynamic { _ in
                gate.open()
                return .status(200)
            })
        let before = server.requests.count
        let answer = try peer.answer(to: "flood \(server.url(folder).absoluteString) \(requests)")
        // Subtract the request for `open`, because it is not a request for a picture.
        hits.append(Double(server.requests.count - before - 1))
        finished.append(Double(answer) ?? .nan)
    }
}
