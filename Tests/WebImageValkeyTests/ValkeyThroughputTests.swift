import Foundation
import Testing
import WebImageHTTP
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCore
@testable import WebImageLoading
@testable import WebImageValkey

/// Measures reads beside the server's own benchmark. Only `Scripts/measure tiers` runs it, with optimisation.
@Suite(
    .enabled(if: ProcessInfo.processInfo.environment["WEBIMAGE_MEASURE"] != nil, "only Scripts/measure tiers runs it"),
    .enabled(if: ValkeyServer.benchmark != nil, "no valkey-benchmark or redis-benchmark is installed"), .serialized,
    .timeLimit(minutes: 5))
struct ValkeyThroughputTests {
    private static let inFlight = 64

    @Test(arguments: [20_000, 200_000]) func readsReachTheThroughputOfTheServersBenchmark(bytes: Int) async throws {
        let server = try ValkeyServer()
        defer { server.stop() }
        let connection = ValkeyConnection(.init(.init(.host("127.0.0.1", port: server.port))))
        defer { connection.shutDown() }
        try #require(await eventually { connection.isUp })
        let tier = ValkeyTier(connection)
        let key = CacheTierKey(namespace: "measure", cacheKey: "key")
        let budget = Duration.seconds(10)
        let entry = CacheTierEntry(
            .value(data: Data(repeating: 7, count: bytes), metadata: nil, extended: nil),
            stored: Date().timeIntervalSince1970, lifetime: .seconds(600))
        #expect(await tier.put(entry, for: key, within: budget))
        let reads = 20_000_000 / bytes * 20
        var best = (tier: 0.0, raw: 0.0, benchmark: 0.0)
        for _ in 0..<3 {
            best.benchmark = max(best.benchmark, try ValkeyServer.measure(server, bytes: bytes, reads: reads))
            best.tier = max(
                best.tier,
                await rate(reads) { await tier.entry(for: key, within: budget) != nil })
            let name = ValkeyTier.name(of: key)
            best.raw = max(
                best.raw,
                await rate(reads) {
                    if case .success(.bulk) = await connection.send(RESPCommand(["GET", .init(name)]), within: budget) {
                        return true
                    }
                    return false
                })
        }
        let ratios = [best.raw / best.benchmark, best.tier / best.benchmark].map { String(plainFormat: "%.2f", $0) }
        print(
            "reads \(bytes) \(Int(best.benchmark)) \(Int(best.raw)) \(Int(best.tier)) \(ratios.joined(separator: " "))")
    }

    /// Reads in a second, with ``inFlight`` callers.
    private func rate(_ reads: Int, _ read: @escaping @Sendable () async -> Bool) async -> Double {
        let start = ContinuousClock.now
        let failures = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<Self.inFlight {
                group.addTask {
                    var failures = 0
                    for _ in 0..<(reads / Self.inFlight) {
                        let isRead = await read()
                        if !isRead { failures += 1 }
                    }
                    return failures
                }
            }
            return await group.reduce(0, +)
        }
        #expect(failures == 0)
        return Double(reads) / ((ContinuousClock.now - start) / .seconds(1))
    }
}
