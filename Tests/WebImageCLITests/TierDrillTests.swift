import Foundation
import Testing
import WebImage
import WebImageCore
import WebImageServerTesting
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting
import WebImageValkey

/// Services under load while their tier fails in one way. No client receives an error or a wrong picture, the time of an
/// answer grows by the budget at most, and memory stays bounded.
@Suite(
    .serialized, .enabled(if: ValkeyServer.isAvailable, "no Valkey or Redis server is installed"),
    .timeLimit(minutes: 10))
struct TierDrillTests: TierBench {
    let origin: FaultServer
    let folders = Locked([ScratchFolder]())

    init() throws { origin = try FaultServer() }

    enum Drill: String, CaseIterable, CustomTestStringConvertible {
        case killed, paused, slow, garbage, partition, truncatedValues, foreignValues, full, wrongPassword, empty

        var testDescription: String { rawValue }
    }

    @Test(arguments: Drill.allCases) func failingTierCostsOnlyTime(drill: Drill) async throws {
        try await DrillPhase.check(drill.rawValue) { try await run(drill) }
    }

    private func run(_ drill: Drill) async throws -> [DrillPhase] {
        // A full server refuses every new entry.
        let server = try ValkeyServer(arguments: drill == .full ? ["--maxmemory", "2mb"] : [])
        defer { server.stop() }
        let link = try TierLink(to: server.port)
        defer { link.stop() }
        try route(DrillPhase.pictures)
        // The tier's writes also pass the link.
        let tier = ["valkey://127.0.0.1:\(link.port)?budget=\(Int(DrillPhase.budget * 1000))"]
        let further = ["--isolation", "none"]
        let services = [
            try await service(tiers: tier, further: further), try await service(tiers: tier, further: further),
            // The same load on the same machine without a tier: the measure of what the machine can do now.
            try await service(tiers: [], further: further),
        ]
        defer { for service in services { service.stop() } }
        let forms = Locked([Int: Data]())
        let next = Locked(0)
        var phases: [DrillPhase] = []
        phases.append(try await load(services, "before", forms: forms, next: next))
        let memory = services.map { residentBytes($0.identifier) }
        let saboteur = try await begin(drill, server, link)
        phases.append(try await load(services, "during", forms: forms, next: next))
        saboteur.cancel()
        try await end(drill, server, link)
        phases.append(try await load(services, "after", forms: forms, next: next))
        for (service, before) in zip(services, memory) {
            #expect(residentBytes(service.identifier) < before + 200 << 20)
        }
        // The tier is used again: what one service makes, the other finds.
        if drill != .wrongPassword, drill != .full { try await sharesAgain(services, next) }
        return phases
    }

    private func connection(_ server: ValkeyServer) throws -> ValkeyConnection {
        ValkeyConnection(try ValkeyConnection.Configuration(url: "valkey://127.0.0.1:\(server.port)"))
    }

    /// Begins the failure. The returned task continues it until it is cancelled.
    private func begin(_ drill: Drill, _ server: ValkeyServer, _ link: TierLink) async throws -> Task<Void, Never> {
        let connection = try connection(server)
        try await wait(until: "the saboteur is connected") { connection.isUp }
        func send(_ words: String...) async -> RESPValue? {
            try? await connection.send(RESPCommand(words.map { .init($0) }), within: .seconds(5)).get()
        }
        switch drill {
        case .slow: link.set(.slow(0.2))
        case .garbage: link.set(.garbage)
        case .partition: link.set(.partition)
        case .full:
            // Fill what is left of the memory.
            for number in 0..<400 {
                _ = await connection.send(
                    RESPCommand(["SET", .init("filler \(number)"), .init(Data(count: 10_000))]), within: .seconds(5))
            }
        case .wrongPassword:
            _ = await send("CONFIG", "SET", "requirepass", "other")
            _ = await send("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        case .killed: server.kill()
        case .paused: server.pause()
        case .truncatedValues, .foreignValues, .empty: break
        }
        return Task {
            while !Task.isCancelled {
                switch drill {
                case .truncatedValues, .foreignValues:
                    let script =
                        drill == .truncatedValues
                        ? """
                        for _, key in ipairs(redis.call('keys', 'wi1:*')) do
                          local value = redis.call('get', key)
                          if value and #value > 90 then redis.call('set', key, string.sub(value, 1, #value - 7), 'PX', 60000) end
                        end
                        """
                        : """
                        local keys = redis.call('keys', 'wi1:*')
                        for index, key in ipairs(keys) do
                          local other = redis.call('get', keys[index % #keys + 1])
                          if other then redis.call('set', key, other, 'PX', 60000) end
                        end
                        """
                    _ = await send("EVAL", script, "0")
                case .empty: _ = await send("FLUSHALL")
                default: break
                }
                try? await Task.sleep(for: .milliseconds(5))
            }
            connection.shutDown()
        }
    }

    private func end(_ drill: Drill, _ server: ValkeyServer, _ link: TierLink) async throws {
        link.set(.none)
        switch drill {
        case .killed: try server.start()
        case .paused: server.resume()
        default: break
        }
        guard drill == .truncatedValues || drill == .foreignValues || drill == .full else { return }
        let connection = try connection(server)
        defer { connection.shutDown() }
        try await wait(until: "the server answers") { connection.isUp }
        _ = await connection.send(RESPCommand(["FLUSHALL"]), within: .seconds(5))
    }

    /// Three masters and a replica of the first one. The last value are connections to them.
    private func cluster() async throws -> (servers: [ValkeyServer], connections: [ValkeyConnection]) {
        let settings = ["--cluster-enabled", "yes", "--cluster-node-timeout", "1000"]
        let servers = try (0..<4).map { _ in try ValkeyServer(arguments: settings) }
        let connections = try servers.map(connection)
        func send(_ index: Int, _ words: String...) async throws -> RESPValue {
            try await connections[index].send(RESPCommand(words.map { .init($0) }), within: .seconds(5)).get()
        }
        try await wait(until: "the nodes answer") { connections.allSatisfy(\.isUp) }
        for (index, range) in [(0, 5460), (5461, 10922), (10923, 16383)].enumerated() {
            _ = try await send(index, "CLUSTER", "ADDSLOTSRANGE", "\(range.0)", "\(range.1)")
        }
        for server in servers.dropFirst() {
            _ = try await send(0, "CLUSTER", "MEET", "127.0.0.1", "\(server.port)", "\(server.busPort)")
        }
        for index in servers.indices {
            try await wait(until: "the cluster forms") {
                let text = try await send(index, "CLUSTER", "INFO").string ?? ""
                return text.contains("cluster_state:ok") && text.contains("cluster_known_nodes:4")
            }
        }
        let master = try #require(try await send(0, "CLUSTER", "MYID").string)
        _ = try await send(3, "CLUSTER", "REPLICATE", master)
        try await wait(until: "the replica follows its master") {
            try await send(3, "INFO", "replication").string?.contains("master_link_status:up") == true
        }
        return (servers, connections)
    }

    /// The node that is named in the services' configuration dies under load, and its replica takes over.
    @Test func failoverOfAClusterCostsOnlyTime() async throws {
        try await DrillPhase.check("failover") { try await failover() }
    }

    private func failover() async throws -> [DrillPhase] {
        let (servers, connections) = try await cluster()
        defer { for server in servers { server.stop() } }
        defer { for connection in connections { connection.shutDown() } }
        try route(DrillPhase.pictures)
        let tier = ["valkey://127.0.0.1:\(servers[0].port)?cluster=yes&budget=\(Int(DrillPhase.budget * 1000))"]
        let further = ["--isolation", "none"]
        let services = [
            try await service(tiers: tier, further: further), try await service(tiers: tier, further: further),
            try await service(tiers: [], further: further),
        ]
        defer { for service in services { service.stop() } }
        let (forms, next) = (Locked([Int: Data]()), Locked(0))
        try await wait(until: "results of all nodes are shared") {
            try await sharedResults(services, next, of: 30) == 30
        }
        var phases = [try await load(services, "before", forms: forms, next: next)]
        let killer = Task {
            try? await Task.sleep(for: .milliseconds(200))
            servers[0].kill()
        }
        phases.append(try await load(services, "during", forms: forms, next: next))
        await killer.value
        try await wait(until: "the replica is a master") {
            let answer = await connections[3].send(RESPCommand(["ROLE"]), within: .seconds(5))
            return (try? answer.get())?.elements?.first?.string == "master"
        }
        phases.append(try await load(services, "after", forms: forms, next: next))
        // Results of all slots are shared again, also those of the dead node.
        try await wait(until: "results of all nodes are shared again") {
            try await sharedResults(services, next, of: 30) == 30
        }
        return phases
    }

    /// The clock of one machine is an hour ahead. Lifetimes that are longer are shared both ways; shorter ones are made
    /// again. No answer fails, no picture is wrong, and purges of either machine hold on both, also without the tier.
    @Test func clockThatIsAnHourAheadCostsOnlyFetches() async throws {
        let server = try ValkeyServer()
        defer { server.stop() }
        let further = ["--isolation", "none"]
        var services: [RunningService] = []
        for clock in [[:], FakeClock.anHourAhead] {
            let environment = purgeToken.merging(clock) { $1 }
            services.append(
                try await service(
                    tiers: [server.address], environment: environment, further: further))
        }
        services.append(try await service(tiers: [], further: further))
        defer { for service in services { service.stop() } }
        let next = Locked(0)
        for (lifetime, isShared) in [(600, false), (86_400, true)] {
            try route(DrillPhase.pictures, headers: ["Cache-Control": "max-age=\(lifetime)", "Cache-Tag": "shop"])
            // The sources that are known until now have the other lifetime.
            #expect(try await purge("tag=shop", at: services[0]) == "purged\n")
            let phase = try await load(services, "\(lifetime)", forms: Locked([Int: Data]()), next: next)
            #expect(phase.errors == [])
            for pair in [services, [services[1], services[0]]] where isShared {
                try await wait(until: "results are shared") { try await sharedResults(pair, next, of: 20) == 20 }
            }
        }
        // The clock of the second purge is behind that of the first one.
        for (number, (from, other)) in [(services[1], services[0]), (services[0], services[1])].enumerated() {
            let target = target(0).replacing("/f:png/", with: "/f:png/cb:p\(number)/")
            let old = try await from.get(target).body
            #expect(try await other.get(target).body == old)
            try route(1, offset: 30 * (number + 1), headers: ["Cache-Control": "max-age=86400", "Cache-Tag": "shop"])
            #expect(try await purge("tag=shop", at: from) == "purged\n")
            #expect(try await from.get(target).body != old)
            try await wait(until: "the purge arrives") { try await other.get(target).body != old }
        }
        // Entries of both have stamps from the clock that is ahead. A purge of the other machine holds there nevertheless,
        // while no tier can give it a stamp.
        let target = target(0).replacing("/f:png/", with: "/f:png/cb:last/")
        let old = try await services[0].get(target).body
        #expect(try await services[1].get(target).body == old)
        server.kill()
        try route(1, offset: 90, headers: ["Cache-Control": "max-age=86400", "Cache-Tag": "shop"])
        #expect(try await purge("tag=shop", at: services[0]) == "purged without valkey\n")
        #expect(try await services[0].get(target).body != old)
        try server.start()
        try await wait(until: "the last purge arrives") { try await services[1].get(target).body != old }
    }

    private func residentBytes(_ process: Int32) -> Int {
        let text = (try? String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
    }

    /// A server whose certificate no authority has signed, and a password that it does not know: the services start, say
    /// so, and answer without it.
    @Test func tierThatRefusesTheServiceIsNamedAndNotUsed() async throws {
        let server = try ValkeyServer(.encrypted)
        defer { server.stop() }
        let closed = try ValkeyServer(arguments: ["--requirepass", "other"])
        defer { closed.stop() }
        try route(4)
        for (tier, environment) in [
            ("valkeys://127.0.0.1:\(server.port)", [:]),
            ("valkey://127.0.0.1:\(closed.port)", ["WEBIMAGE_TIER_PASSWORD": "wrong"]),
        ] as [(String, [String: String])] {
            let service = try await service(tiers: [tier], environment: environment)
            defer { service.stop() }
            for number in 0..<4 { #expect(try await service.get(target(number)).status == 200) }
            #expect(try await service.get("/readyz").text == "ready without valkey\n")
            #expect(service.errors.contains("tier valkey: does not answer"), "\(service.errors)")
        }
    }
}
