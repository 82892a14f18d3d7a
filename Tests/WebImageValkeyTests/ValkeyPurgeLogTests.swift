import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

@testable import WebImageValkey

/// The log of purges on a real server.
@Suite(
    .enabled(if: ValkeyServer.isAvailable, "redis-server or openssl is not installed"), .serialized,
    .timeLimit(minutes: 1))
struct ValkeyPurgeLogTests {
    private let budget = Sanitizer.time(Duration.seconds(2))

    private func withTier(
        _ server: ValkeyServer, _ change: (inout ValkeyConnection.Configuration) -> Void = { _ in },
        _ test: (ValkeyTier, ValkeyConnection) async throws -> Void
    ) async throws {
        var configuration = try ValkeyConnection.Configuration(url: "valkey://127.0.0.1:\(server.port)")
        configuration.trackedPrefix = ValkeyReports.prefix
        change(&configuration)
        let reports = ValkeyReports()
        let connection = ValkeyConnection(configuration, onEvent: reports.receive)
        defer { connection.shutDown() }
        try #require(await eventually { connection.isUp })
        try await test(ValkeyTier(connection, reports: reports), connection)
    }

    private func purge(_ tag: String, _ stamp: Int) -> CachePurge { CachePurge(.tag(tag), isSoft: false, stamp: stamp) }

    @Test func purgesAreReadInOrderOnceAndStampsGrow() async throws {
        let server = try ValkeyServer()
        try await withTier(server) { tier, _ in
            let empty = try #require(await tier.purges(after: nil, namespace: "n", within: budget))
            #expect(empty.position == nil && empty.purges.isEmpty && empty.missed == 0)
            #expect(await tier.append([purge("a", 100)], namespace: "n", within: budget)?.map(\.stamp) == [100])
            // A machine whose clock is behind: its purge is later nevertheless.
            let late = [purge("b", 5), CachePurge(.prefix("https://x/ y"), isSoft: true, stamp: 200), purge("c", 150)]
            #expect(await tier.append(late, namespace: "n", within: budget)?.map(\.stamp) == [101, 200, 201])
            let first = try #require(await tier.purges(after: nil, namespace: "n", within: budget))
            #expect(first.purges.map(\.stamp) == [100, 101, 200, 201])
            #expect(first.purges[2].subject == .prefix("https://x/ y") && first.purges[2].isSoft)
            let none = try #require(await tier.purges(after: first.position, namespace: "n", within: budget))
            #expect(none.purges.isEmpty && none.position == first.position && none.missed == 0)
            _ = await tier.append([purge("d", 300)], namespace: "n", within: budget)
            let second = try #require(await tier.purges(after: first.position, namespace: "n", within: budget))
            #expect(second.purges == [purge("d", 300)])
            #expect(await tier.purges(after: nil, namespace: "other", within: budget)?.purges.isEmpty == true)
        }
    }

    @Test func concurrentPurgesReceiveDifferentStampsInTheOrderOfTheLog() async throws {
        let server = try ValkeyServer()
        try await withTier(server) { tier, _ in
            let stamps = await withTaskGroup(of: [Int].self) { group in
                for number in 0..<40 {
                    group.addTask {
                        await tier.append(
                            [purge("a\(number)", number % 3 + 1), purge("b\(number)", 1)], namespace: "n",
                            within: budget)?
                            .map(\.stamp) ?? []
                    }
                }
                return await group.reduce([], +)
            }
            #expect(Set(stamps).count == 80)
            let log = try #require(await tier.purges(after: nil, namespace: "n", within: budget)).purges.map(\.stamp)
            #expect(log == log.sorted() && Set(log) == Set(stamps))
        }
    }

    @Test func lostLogBeginsAgainWithAnotherIdentifier() async throws {
        let server = try ValkeyServer()
        try await withTier(server) { tier, connection in
            _ = await tier.append([purge("a", 100), purge("b", 200)], namespace: "n", within: budget)
            let first = try #require(await tier.purges(after: nil, namespace: "n", within: budget))
            _ = await connection.send(RESPCommand(["FLUSHALL"]), within: budget)
            #expect(await tier.purges(after: first.position, namespace: "n", within: budget)?.position == nil)
            _ = await tier.append([purge("c", 50)], namespace: "n", within: budget)
            let second = try #require(await tier.purges(after: first.position, namespace: "n", within: budget))
            #expect(second.purges == [purge("c", 50)] && second.position?.logID != first.position?.logID)
            // Only the list is lost: the stamps still grow.
            let list = ValkeyPurgeLog(namespace: "n").head + ":log"
            _ = await connection.send(RESPCommand(["DEL", .init(list)]), within: budget)
            #expect(
                await tier.purges(after: second.position, namespace: "n", within: budget)?.position == second.position)
            #expect(await tier.append([purge("d", 1)], namespace: "n", within: budget)?.map(\.stamp) == [51])
            let third = try #require(await tier.purges(after: second.position, namespace: "n", within: budget))
            #expect(third.purges == [purge("d", 51)] && third.position?.logID != second.position?.logID)
        }
    }

    @Test func purgeOfAnotherMachineIsReportedWithinMilliseconds() async throws {
        let server = try ValkeyServer()
        let reports = Locked(0)
        try await withTier(server) { watching, _ in
            watching.whenPurged { reports.withLock { $0 += 1 } }
            try await withTier(server) { tier, _ in
                #expect(
                    await tier.put(
                        CacheTierEntry(.absent, stored: Date().timeIntervalSince1970, lifetime: .seconds(9)),
                        for: CacheTierKey(namespace: "n", cacheKey: "k"), within: budget))
                #expect(reports.withLock { $0 } == 0)
                _ = await tier.append([purge("a", 100)], namespace: "n", within: budget)
                #expect(await eventually { reports.withLock { $0 } > 0 })
            }
        }
    }

    /// A user that may not ask for reports still connects.
    @Test func userWithoutReportsWorks() async throws {
        let rules =
            "webimage on >secret ~wi1:* ~wi1p:* resetchannels -@all +get +set +del +eval +lrange +llen +ltrim +rpush"
            + " +pexpire +hello +client|setname"
        let server = try ValkeyServer(arguments: ["--user"] + rules.split(separator: " ").map(String.init))
        try await withTier(server, { ($0.user, $0.password) = ("webimage", "secret") }) { tier, _ in
            #expect(await tier.append([purge("a", 100)], namespace: "n", within: budget)?.count == 1)
            #expect(await tier.purges(after: nil, namespace: "n", within: budget)?.purges.count == 1)
        }
    }
}
