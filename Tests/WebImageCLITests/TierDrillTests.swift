import Foundation
import Testing
import WebImage
import WebImageCore
import WebImageLoading
import WebImageServerTesting
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
        case slow, garbage, partition, truncatedValues, foreignValues, full, wrongPassword, empty

        var testDescription: String { rawValue }
    }

    private static let budget = 0.05
    private static let pictures = 40

    /// What the clients of one phase have seen.
    private struct Phase {
        var name: String
        var errors: [String] = []
        /// The times of the answers of the services with a tier and of the one without, in seconds.
        var times: [Double] = []
        var plain: [Double] = []

        static func percentile(_ times: [Double]) -> Double {
            times.isEmpty ? 0 : times.sorted()[min(times.count * 99 / 100, times.count - 1)]
        }
    }

    @Test(arguments: Drill.allCases) func failingTierCostsOnlyTime(drill: Drill) async throws {
        // A full server refuses every new entry.
        let server = try ValkeyServer(arguments: drill == .full ? ["--maxmemory", "2mb"] : [])
        defer { server.stop() }
        let link = try TierLink(to: server.port)
        defer { link.stop() }
        try route(Self.pictures)
        // The tier's writes also pass the link.
        let tier = ["valkey://127.0.0.1:\(link.port)?budget=\(Int(Self.budget * 1000))"]
        let further = ["--isolation", "none"]
        let services = [
            try await service(tiers: tier, further: further), try await service(tiers: tier, further: further),
            // The same load on the same machine without a tier: the measure of what the machine can do now.
            try await service(tiers: [], further: further),
        ]
        defer { for service in services { service.stop() } }
        let forms = Locked([Int: Data]())
        let next = Locked(0)
        var phases: [Phase] = []
        phases.append(try await load(services, "before", forms, next))
        let memory = services.map { residentBytes($0.identifier) }
        let saboteur = try await begin(drill, server, link)
        phases.append(try await load(services, "during", forms, next))
        saboteur.cancel()
        try await end(drill, server, link)
        phases.append(try await load(services, "after", forms, next))
        for phase in phases {
            let (with, without) = (Phase.percentile(phase.times), Phase.percentile(phase.plain))
            print(
                "\(drill.rawValue) \(phase.name): p99 \(Int(with * 1000)) ms, without a tier \(Int(without * 1000)) ms")
            #expect(phase.errors == [], "\(phase.name)")
            // A request asks the tier for its purges, its result twice, a lease and its source. The factor is for the
            // noise of a machine that runs six processes.
            #expect(with <= 3 * without + Sanitizer.seconds(6 * Self.budget), "\(phase.name)")
        }
        for (service, before) in zip(services, memory) {
            #expect(residentBytes(service.identifier) < before + 200 << 20)
        }
        // The tier is used again: what one service makes, the other finds.
        if drill != .wrongPassword, drill != .full { try await sharesAgain(services, next) }
    }

    /// Sends requests for results that mostly do not exist yet.
    private func load(
        _ services: [RunningService], _ name: String, _ forms: Locked<[Int: Data]>, _ next: Locked<Int>
    ) async throws -> Phase {
        let addresses = try services.map { try $0.address }
        let clients = 4, requests = 40
        return try await withThrowingTaskGroup(of: Phase.self) { group in
            for _ in 0..<clients {
                group.addTask {
                    try await onThread {
                        let connections = try addresses.map { try RawClient($0) }
                        var phase = Phase(name: name)
                        for _ in 0..<requests {
                            let number = next.withLock { next in
                                next += 1
                                return next
                            }
                            let picture = number % Self.pictures
                            let target = target(picture).replacing("/f:png/", with: "/f:png/cb:\(number)/")
                            for (index, connection) in connections.enumerated() {
                                let start = ContinuousClock.now
                                let answer = try connection.get(target)
                                let time = (ContinuousClock.now - start) / .seconds(1)
                                if index < 2 { phase.times.append(time) } else { phase.plain.append(time) }
                                let form = forms.withLock { forms -> Data in
                                    if forms[picture] == nil, answer.status == 200 { forms[picture] = answer.body }
                                    return forms[picture] ?? Data()
                                }
                                guard answer.status != 200 || answer.body != form || form.isEmpty else { continue }
                                phase.errors.append(
                                    "\(number): \(answer.status), \(answer.body.count) B, not \(form.count)")
                            }
                        }
                        return phase
                    }
                }
            }
            return try await group.reduce(into: Phase(name: name)) { all, part in
                all.errors += part.errors
                all.times += part.times
                all.plain += part.plain
            }
        }
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
        guard drill == .truncatedValues || drill == .foreignValues || drill == .full else { return }
        let connection = try connection(server)
        defer { connection.shutDown() }
        try await wait(until: "the server answers") { connection.isUp }
        _ = await connection.send(RESPCommand(["FLUSHALL"]), within: .seconds(5))
    }

    private func sharesAgain(_ services: [RunningService], _ next: Locked<Int>) async throws {
        try await wait(until: "the services share results") {
            let number = next.withLock { next in
                next += 1
                return next
            }
            let target = target(number % Self.pictures).replacing("/f:png/", with: "/f:png/cb:\(number)/")
            let before = try await answers(services[1], "tier")
            _ = try await services[0].get(target)
            _ = try await services[1].get(target)
            return try await answers(services[1], "tier") > before
        }
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
