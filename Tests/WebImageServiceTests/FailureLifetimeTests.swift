import Foundation
import Testing
import WebImageTestTraits
import WebImageTesting

@testable import WebImageService

private typealias Fix = PictureFixtures

/// A failure is used again no longer than the answer of the origin allows, as the model says, and not longer than the setting.
@Suite(.timeLimit(minutes: 5)) struct FailureLifetimeTests {
    /// What the origin answers: a status, or a body that is no picture.
    private static let answers = [404, 410, 401, 403, 451, 500, 503, 200]

    private enum Kind: String, CaseIterable {
        case picture = "w:2", raw = "raw:1", fallback = "f:png"
    }

    private struct Row {
        var fields: SharedCacheModel.Fields
        var status: Int
        var kind: Kind
        var negativeTTL: Int
        var least: Int
        /// The seconds between the requests.
        var wait: Int
    }

    private static func faults(of rows: [Row], _ kind: Kind, negativeTTL: Int, least: Int) async throws -> [String] {
        let (server, folder) = (try FaultServer(), try ScratchFolder())
        defer { server.stop() }
        let fallback = folder.url.appendingPathComponent("fallback.png")
        try Fix.quadrants().write(to: fallback)
        server.routeOthers(
            .dynamic { request in
                let row = rows[Int(request.path.dropFirst()) ?? 0]
                return .body(Data("gone".utf8), type: "image/png", status: row.status, headers: row.fields.sent)
            })
        let clock = VirtualClock()
        let start = Int(clock.date)
        let service = try ImageService(
            configuration: .with {
                ($0.cacheFolder, $0.offersAVIF, $0.allowedAddresses) = (folder.url.path, false, ["127.0.0.0/8"])
                ($0.negativeTTL, $0.minTTL, $0.queueWait) = (negativeTTL, least, 0)
                if kind == .fallback { $0.fallback = fallback.path }
            }, loader: nil, clock: clock)
        func expected(_ seconds: Int) -> String { seconds > 0 ? "public, max-age=\(seconds)" : "no-store" }
        func ask(_ row: Int) async -> (control: String, asks: Int) {
            let url = server.url("/\(row)").absoluteString
            let before = server.requestCount("/\(row)")
            let answer = await service.respond(to: ServiceRequest(target: "/_/\(kind.rawValue)/plain/\(url)"))
            // The fallback picture can have an age, which counts towards its lifetime.
            let (control, age) = (answer.headers["Cache-Control"] ?? "", Int(answer.headers["Age"] ?? "") ?? 0)
            let seconds = control.split(separator: "=").last.flatMap { Int($0) }
            let asks = server.requestCount("/\(row)") - before
            return (seconds.map { expected($0 - age) } ?? control, asks)
        }
        var faults: [String] = []
        func seconds(_ row: Row) -> Int {
            let model = SharedCacheModel(fields: row.fields, received: start)
            // That bytes are no picture is no statement of the origin. It is only kept if they may be.
            guard row.status != 200 else { return model.isStored ? negativeTTL : 0 }
            return model.secondsOfFailure(.init(least: least), most: negativeTTL)
        }
        for row in rows.indices {
            let first = await ask(row)
            // A source that is sent unchanged is not examined.
            if kind == .raw, rows[row].status == 200 { continue }
            if first.asks == 0 || first.control != expected(seconds(rows[row])) {
                faults.append("\(first), not \(expected(seconds(rows[row]))): \(rows[row])")
            }
        }
        for row in rows.indices.sorted(by: { rows[$0].wait < rows[$1].wait }) where kind != .raw {
            clock.advance(by: .seconds(start + rows[row].wait - Int(clock.date)))
            let (second, left) = (await ask(row), seconds(rows[row]) - rows[row].wait)
            if left > 0, second.asks > 0 || second.control != expected(left) {
                faults.append("\(second), not \(expected(left)) from memory: \(rows[row])")
            }
            // The bytes of no picture may be on the disk.
            if left <= 0, rows[row].status != 200, second.asks == 0 {
                faults.append("an answer without a request: \(rows[row])")
            }
        }
        await service.shutdown()
        return faults
    }

    @Test func failuresFollowTheFieldsOfTheirAnswer() async throws {
        var random = SeededRandom.printingSeed()
        var faults: [String] = []
        for kind in Kind.allCases {
            for (negativeTTL, least) in [(10, 0), (0, 0), (60, 30)] {
                let rows = (0..<40).map { _ in
                    Row(
                        fields: .init(&random, Int(VirtualClock().date)), status: random.pick(Self.answers), kind: kind,
                        negativeTTL: negativeTTL, least: least, wait: random.pick([0, 1, 4, 6, 9, 11, 29, 59, 61]))
                }
                faults += try await Self.faults(of: rows, kind, negativeTTL: negativeTTL, least: least)
            }
        }
        #expect(faults.isEmpty, "\(faults.count) of 360: \(faults.prefix(8).joined(separator: "\n"))")
    }

    /// A client learns when an overloaded origin expects the next request, also from a remembered failure.
    @Test(arguments: [429, 503], [Kind.picture, .raw])
    private func clientsReceiveTheRetryAfterOfTheOrigin(status: Int, kind: Kind) async throws {
        let (server, folder, clock) = (try FaultServer(), try ScratchFolder(), VirtualClock())
        defer { server.stop() }
        let service = try ImageService(
            configuration: .with {
                ($0.cacheFolder, $0.offersAVIF, $0.allowedAddresses) = (folder.url.path, false, ["127.0.0.0/8"])
                $0.queueWait = 0
            }, loader: nil, clock: clock)
        func ask(_ path: String) async -> [String?] {
            let url = server.url(path).absoluteString
            let answer = await service.respond(to: ServiceRequest(target: "/_/\(kind.rawValue)/plain/\(url)"))
            return [String(answer.status), answer.headers["Retry-After"], answer.headers["Cache-Control"]]
        }
        for (path, field) in [("/long", "120"), ("/short", "3"), ("/none", "soon"), ("/now", "0")] {
            server.route(path, .body(Data("busy".utf8), status: status, headers: ["Retry-After": field]))
        }
        server.route("/gone", .body(Data("gone".utf8), status: 404, headers: ["Retry-After": "120"]))
        #expect(await ask("/long") == ["502", "120", "public, max-age=10"])
        #expect(await ask("/short") == ["502", "3", "public, max-age=3"])
        #expect(await ask("/none") == ["502", nil, "public, max-age=10"])
        #expect(await ask("/now") == ["502", nil, "no-store"])
        #expect(await ask("/gone") == ["404", nil, "public, max-age=10"])
        clock.advance(by: .seconds(4))
        // A source that is sent unchanged is not examined, and its failure is not remembered.
        if kind == .picture { #expect(await ask("/long") == ["502", "116", "public, max-age=6"]) }
        #expect(await ask("/short") == ["502", "3", "public, max-age=3"])
        #expect(server.requestCount("/short") == 2)
        await service.shutdown()
    }

    @Test(arguments: Kind.allCases) private func failureThatMustNotBeStoredIsAskedForAgain(kind: Kind) async throws {
        for control in ["no-store", "private", "max-age=0", "no-cache, no-store, must-revalidate", "max-age=3"] {
            let fields = SharedCacheModel.Fields(control: [control])
            let rows = [404, 500].map {
                Row(fields: fields, status: $0, kind: kind, negativeTTL: 10, least: 0, wait: 4)
            }
            #expect(try await Self.faults(of: rows, kind, negativeTTL: 10, least: 0) == [], "\(control)")
        }
    }
}
