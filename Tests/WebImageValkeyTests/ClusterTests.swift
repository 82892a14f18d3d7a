import Foundation
import Testing
import WebImageHTTP
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

@testable import WebImageLoading
@testable import WebImageValkey

@Suite struct ClusterSlotsTests {
    private let asked = ClusterSlots.Node(host: "asked", port: 1)

    @Test func slotIsTheChecksumOfThePartInBraces() {
        // The specification's check value of CRC-16/XMODEM: 0x31C3.
        #expect(ClusterSlots.slot(of: "123456789") == 0x31C3 % 16384)
        #expect(ClusterSlots.slot(of: "a{123456789}b") == ClusterSlots.slot(of: "123456789"))
        #expect(ClusterSlots.slot(of: "{}123") != ClusterSlots.slot(of: ""))
        #expect(ClusterSlots.slot(of: "x{a}{b}") == ClusterSlots.slot(of: "a"))
    }

    @Test func mapIsReadFromTheAnswer() throws {
        func node(_ host: String, _ port: Int) -> RESPValue { .array([.bulk(Data(host.utf8)), .integer(port)]) }
        let answer = RESPValue.array([
            .array([.integer(0), .integer(99), node("a", 7), node("replica", 8)]),
            .array([.integer(100), .integer(200), node("", 9)]),
        ])
        let slots = try #require(ClusterSlots(answer, asked: asked))
        #expect(slots.node(of: 99) == .init(host: "a", port: 7))
        #expect(slots.node(of: 100) == .init(host: "asked", port: 9))
        #expect(slots.node(of: 201) == nil)
        for wrong in [RESPValue.null, .array([.null]), .array([.array([.integer(5), .integer(20000), node("a", 1)])])] {
            #expect(ClusterSlots(wrong, asked: asked) == nil)
        }
    }

    @Test func redirectionsAreRead() {
        func read(_ text: String) -> ClusterSlots.Redirection? { ClusterSlots.redirection(text, asked: asked) }
        #expect(read("MOVED 3999 10.0.0.1:6381") == .moved(slot: 3999, .init(host: "10.0.0.1", port: 6381)))
        #expect(read("ASK 1 ::1:6381") == .ask(.init(host: "::1", port: 6381)))
        #expect(read("MOVED 3999 :6381") == .moved(slot: 3999, .init(host: "asked", port: 6381)))
        for text in ["ERR x", "MOVED 99999 a:1", "MOVED 1 a", "MOVED 1 a:0", "MOVED"] { #expect(read(text) == nil) }
    }
}

/// A real cluster of three nodes.
@Suite(
    .enabled(if: ValkeyServer.isAvailable, "redis-server or openssl is not installed"), .serialized,
    .timeLimit(minutes: 2))
struct ValkeyClusterTests {
    private let budget = Sanitizer.time(Duration.seconds(2))

    private func key(_ number: Int) -> CacheTierKey {
        CacheTierKey(namespace: "test", cacheKey: "https://example.org/\(number).jpg")
    }

    private func entry(_ number: Int) -> CacheTierEntry {
        CacheTierEntry(
            .value(data: Data("picture \(number)".utf8), metadata: nil, extended: nil),
            stored: Date().timeIntervalSince1970, lifetime: .seconds(600))
    }

    private func withCluster(
        _ test: ([ValkeyServer], [ValkeyConnection], ValkeyTier) async throws -> Void
    ) async throws {
        let settings = [
            "--cluster-enabled", "yes", "--cluster-node-timeout", "1000", "--cluster-require-full-coverage", "no",
        ]
        let servers = try (0..<3).map { _ in try ValkeyServer(arguments: settings) }
        let connections = servers.map {
            ValkeyConnection(ValkeyConnection.Configuration(.init(.host("127.0.0.1", port: $0.port))))
        }
        defer { for connection in connections { connection.shutDown() } }
        try #require(await eventually { connections.allSatisfy(\.isUp) })
        let ranges = [(0, 5460), (5461, 10922), (10923, 16383)]
        for (index, range) in ranges.enumerated() {
            let words = ["CLUSTER", "ADDSLOTSRANGE", "\(range.0)", "\(range.1)"]
            #expect(await send(connections[index], words) == .success(.text("OK")))
            if index > 0 {
                let meet = ["CLUSTER", "MEET", "127.0.0.1", "\(servers[index].port)", "\(servers[index].busPort)"]
                #expect(await send(connections[0], meet) == .success(.text("OK")))
            }
        }
        for connection in connections { try await waitUntilFormed(connection) }
        let cluster = ValkeyCluster(ValkeyConnection.Configuration(.init(.host("127.0.0.1", port: servers[0].port))))
        defer { cluster.shutDown() }
        try await test(servers, connections, ValkeyTier(cluster))
    }

    private func send(_ connection: ValkeyConnection, _ words: [String]) async -> Result<RESPValue, ValkeyFailure> {
        await connection.send(RESPCommand(words.map { .init($0) }), within: budget)
    }

    private func waitUntilFormed(_ connection: ValkeyConnection) async throws {
        for _ in 0..<2000 {
            if case .success(let answer) = await send(connection, ["CLUSTER", "INFO"]), let text = answer.string,
                text.contains("cluster_state:ok"), text.contains("cluster_slots_ok:16384"),
                text.contains("cluster_known_nodes:3")
            {
                return
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("the cluster does not form")
    }

    private func putAll(_ tier: ValkeyTier, _ numbers: Range<Int>) async {
        for number in numbers {
            var isStored = false
            // A node that was just learned is a miss until its connection stands.
            while !isStored { isStored = await tier.put(entry(number), for: key(number), within: budget) }
        }
    }

    private func hits(_ tier: ValkeyTier, _ numbers: Range<Int>) async -> Int {
        var hits = 0
        for number in numbers {
            if await tier.entry(for: key(number), within: budget)?.content == entry(number).content { hits += 1 }
        }
        return hits
    }

    @Test func keysAreOnTheirNodesAndAreFound() async throws {
        try await withCluster { _, connections, tier in
            await putAll(tier, 0..<100)
            #expect(await hits(tier, 0..<100) == 100)
            for connection in connections {
                guard case .success(.integer(let count)) = await send(connection, ["DBSIZE"]) else {
                    return #expect(Bool(false))
                }
                #expect(count > 10)
            }
            #expect(await tier.remove((0..<100).map(key), within: budget))
            #expect(await hits(tier, 0..<100) == 0)
        }
    }

    @Test func slotsThatMoveAreFollowed() async throws {
        try await withCluster { servers, connections, tier in
            await putAll(tier, 0..<20)
            let moving = ClusterSlots.slot(of: ValkeyTier.name(of: key(3)))
            let from = moving <= 5460 ? 0 : moving <= 10922 ? 1 : 2
            let to = (from + 1) % 3
            func identity(_ index: Int) async throws -> String {
                try #require(try await send(connections[index], ["CLUSTER", "MYID"]).get().string)
            }
            let (source, target) = (try await identity(from), try await identity(to))
            _ = await send(connections[to], ["CLUSTER", "SETSLOT", "\(moving)", "IMPORTING", source])
            _ = await send(connections[from], ["CLUSTER", "SETSLOT", "\(moving)", "MIGRATING", target])
            let name = ValkeyTier.name(of: key(3))
            #expect(
                await send(connections[from], ["MIGRATE", "127.0.0.1", "\(servers[to].port)", name, "0", "2000"])
                    == .success(.text("OK")))
            // ASK: the key has moved, the slot has not.
            #expect(await hits(tier, 3..<4) == 1)
            for index in [to, from, 3 - to - from] {
                _ = await send(connections[index], ["CLUSTER", "SETSLOT", "\(moving)", "NODE", target])
            }
            // MOVED, and from then on the right node at once.
            #expect(await hits(tier, 0..<20) == 20)
        }
    }

    @Test func lostNodeLosesOnlyItsKeys() async throws {
        try await withCluster { servers, _, tier in
            await putAll(tier, 0..<60)
            servers[1].kill()
            let lost = (0..<60).count {
                (5461...10922).contains(ClusterSlots.slot(of: ValkeyTier.name(of: key($0))))
            }
            var found = 0
            for number in 0..<60 where await tierHit(tier, number) { found += 1 }
            #expect(found <= 60 - lost && found > 0)
            // When the breaker has closed again, all other keys are hits.
            var remaining = 0
            while remaining < 60 - lost { remaining = await hits(tier, 0..<60) }
            #expect(remaining == 60 - lost)
        }
    }

    private func tierHit(_ tier: ValkeyTier, _ number: Int) async -> Bool {
        await tier.entry(for: key(number), within: .milliseconds(200)) != nil
    }
}
