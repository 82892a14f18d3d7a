import Foundation
import Testing
import WebImage
import WebImageServer
import WebImageServerTesting
import WebImageTestTraits
import WebImageTesting

/// `webimage serve` within small limits of the process: it says what it needs, or works with less.
@Suite(.timeLimit(minutes: 4), .serialized) struct ServeLimitsTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func shell(_ limits: String) -> [String] { ["/bin/sh", "-c", "\(limits) && exec \"$@\"", "sh"] }

    @Test(arguments: [
        ("ulimit -n 24", "the limit of open files is 24, and the service needs at least "),
        ("ulimit -n 60", "the limit of open files is 60, and the service needs at least "),
        ("ulimit -v 2000000", "the limit of the address space is 1953 MB, and the service needs "),
    ])
    func limitThatIsTooSmallIsRefusedWithItsNumbers(limits: String, message: String) throws {
        let outcome = try Tool.run(
            ["serve", "--listen", "127.0.0.1:0", "--cache-dir", scratch.url.path], through: shell(limits))
        #expect(outcome.code != 0 && outcome.errors.contains(message), "\(outcome.errors)")
    }

    @Test func fewDescriptorsServeFewConnections() async throws {
        let origin = try FaultServer()
        defer { origin.stop() }
        let picture = try ImageCodersManager.shared.encode(
            try TestImages.solid(width: 8, height: 8), format: .png, options: EncodingOptions())
        origin.routeOthers(.body(picture, headers: ["Cache-Control": "max-age=600"]))
        let service = try await RunningService(in: scratch, through: shell("ulimit -n 150"))
        defer { service.stop() }
        #expect(service.errors.contains("max-connections: "), "\(service.errors)")
        let address = try service.address
        // More clients than connections. Each is answered, with a picture or with 503 or 429.
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<200 {
                group.addTask {
                    try await onThread {
                        try RawClient(address).get("/_/w:4/plain/\(origin.url("/\(number).png").absoluteString)").status
                    }
                }
            }
            return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
        }
        #expect(Set(statuses.keys).isSubset(of: [200, 503, 429]) && statuses[200, default: 0] > 0, "\(statuses)")
        #expect(try await onThread { service.stop() } == 0)
    }

    /// One line when a tier goes, and one when it is back.
    @Test(.needsValkey) func tierThatGoesAndComesBackIsInTheLog() async throws {
        let server = try ValkeyServer()
        defer { server.stop() }
        let service = try await RunningService(["--tier", server.address], in: scratch)
        defer { service.stop() }
        func count(_ text: String) -> Int { service.errors.components(separatedBy: "tier valkey: \(text)").count - 1 }
        #expect(count("does not answer") == 0)
        server.kill()
        #expect(await eventually { count("does not answer") == 1 })
        try server.start()
        #expect(await eventually { count("answers again") == 1 })
        #expect(count("does not answer") == 1)
    }
}
