import Foundation
import Testing
import WebImageHTTP
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCore
@testable import WebImageLoading
@testable import WebImageValkey

/// The tier against a real server, and against servers that fail or lie.
@Suite(
    .enabled(if: ValkeyServer.isAvailable, "redis-server or openssl is not installed"), .serialized,
    .timeLimit(minutes: 2))
struct ValkeyTierTests {
    let budget = Sanitizer.time(Duration.seconds(2))

    private func key(_ number: Int = 0) -> CacheTierKey {
        CacheTierKey(namespace: "test", cacheKey: "https://example.org/\(number).jpg")
    }

    private func entry(_ bytes: Int = 20_000, lifetime: Duration = .seconds(60), seed: UInt8 = 1) -> CacheTierEntry {
        CacheTierEntry(
            .value(
                data: Data((0..<bytes).map { UInt8(truncatingIfNeeded: $0) &+ seed }), metadata: Data("m".utf8),
                extended: nil),
            stored: Date().timeIntervalSince1970, lifetime: lifetime)
    }

    private func connection(
        port: Int, _ change: (inout ValkeyConnection.Configuration) -> Void = { _ in },
        onEvent: @escaping @Sendable (ValkeyConnection.Event) -> Void = { _ in }
    ) -> ValkeyConnection {
        var configuration = ValkeyConnection.Configuration(.init(.host("127.0.0.1", port: port)))
        change(&configuration)
        return ValkeyConnection(configuration, onEvent: onEvent)
    }

    func withTier(
        _ server: ValkeyServer, _ change: (inout ValkeyConnection.Configuration) -> Void = { _ in },
        _ test: (ValkeyTier, ValkeyConnection) async throws -> Void
    ) async throws {
        let connection = connection(port: server.port, change)
        defer { connection.shutDown() }
        try #require(await eventually { connection.isUp })
        try await test(ValkeyTier(connection), connection)
    }

    @Test func entriesAreStoredReadAndRemoved() async throws {
        let server = try ValkeyServer()
        try await withTier(server) { tier, _ in
            let stored = entry()
            #expect(await tier.entry(for: key(), within: budget) == nil)
            #expect(await tier.put(stored, for: key(), within: budget))
            let read = try #require(await tier.entry(for: key(), within: budget))
            #expect(read.content == stored.content)
            #expect(await tier.remove([key()], within: budget))
            #expect(await tier.entry(for: key(), within: budget) == nil)
            #expect(tier.statistics.hits == 1 && tier.statistics.misses == 2 && tier.statistics.stored == 1)
        }
    }

    @Test func manyConcurrentCommandsAreAnsweredEachByItsOwn() async throws {
        let server = try ValkeyServer()
        try await withTier(server) { tier, _ in
            let wrong = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<300 {
                    group.addTask {
                        let own = entry(500 + number * 400, seed: UInt8(truncatingIfNeeded: number))
                        guard await tier.put(own, for: key(number), within: budget) else { return true }
                        return await tier.entry(for: key(number), within: budget)?.content != own.content
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(wrong == 0)
        }
    }

    /// A connection that keeps answered commands would hold hundreds of pictures.
    @Test func answeredCommandReleasesItsBytes() async throws {
        let server = try ValkeyServer()
        let released = Locked(0)
        try await withTier(server) { _, connection in
            for _ in 0..<20 {
                let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 100_000, alignment: 8)
                memory.initializeMemory(as: UInt8.self, repeating: 7)
                guard let start = memory.baseAddress else { continue }
                let picture = Data(
                    bytesNoCopy: start, count: memory.count,
                    deallocator: .custom { pointer, _ in
                        pointer.deallocate()
                        released.withLock { $0 += 1 }
                    })
                let answer = await connection.send(RESPCommand(["SET", "k", .init(picture)]), within: budget)
                #expect(answer == .success(.text("OK")))
            }
            #expect(await eventually { released.withLock { $0 } == 20 })
        }
    }

    /// A caller that sends its next command when it has its answer never finds the place of the first one taken.
    @Test func placeOfAnAnsweredCommandIsFree() async throws {
        let server = try ValkeyServer()
        try await withTier(server, { $0.mostCommands = 8 }) { _, connection in
            let failures = await withTaskGroup(of: Int.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        var failures = 0
                        for _ in 0..<500 {
                            let answer = await connection.send(RESPCommand(["PING"]), within: budget)
                            if answer != .success(.text("PONG")) { failures += 1 }
                        }
                        return failures
                    }
                }
                return await group.reduce(0, +)
            }
            #expect(failures == 0)
        }
    }

    /// Calls with many different budgets each end by their own, whichever is in front.
    @Test func everyCallEndsByItsOwnBudget() async throws {
        let server = try ValkeyServer()
        // Otherwise the connection is closed a second after the first call's budget, whichever call that is.
        try await withTier(server, { $0.silence = .seconds(10) }) { _, connection in
            server.pause()
            defer { server.resume() }
            let clock = ContinuousClock()
            let late = await withTaskGroup(of: String?.self) { group in
                for milliseconds in [1600, 20, 1300, 100, 700, 20] {
                    group.addTask {
                        let budget = Duration.milliseconds(milliseconds)
                        let start = clock.now
                        let answer = await connection.send(RESPCommand(["PING"]), within: budget)
                        let time = clock.now - start
                        let isInTime = time >= budget && time < budget + Sanitizer.time(.milliseconds(1400))
                        return answer == .failure(.late) && isInTime ? nil : "\(budget): \(answer) after \(time)"
                    }
                }
                return await group.reduce(into: [String]()) { if let text = $1 { $0.append(text) } }
            }
            #expect(late == [])
        }
    }

    @Test func everyValueHasAnExpiry() async throws {
        let server = try ValkeyServer()
        try await withTier(server) { tier, connection in
            #expect(await tier.put(entry(lifetime: .seconds(5)), for: key(), within: budget))
            let left = await connection.send(RESPCommand(["PTTL", .init(ValkeyTier.name(of: key()))]), within: budget)
            guard case .success(.integer(let milliseconds)) = left else { return #expect(Bool(false)) }
            #expect((1...5000).contains(milliseconds))
            #expect(await !tier.put(entry(lifetime: .zero), for: key(1), within: budget))
        }
    }

    @Test func valueOfAnotherKeyIsAMissAndRemoved() async throws {
        let server = try ValkeyServer()
        try await withTier(server) { tier, connection in
            #expect(await tier.put(entry(), for: key(1), within: budget))
            let names = [key(1), key(2)].map { RESPCommand.Word(ValkeyTier.name(of: $0)) }
            _ = await connection.send(RESPCommand(["COPY"] + names), within: budget)
            #expect(await tier.entry(for: key(2), within: budget) == nil)
            #expect(tier.statistics.rejected == 1)
            let exists = await connection.send(RESPCommand(["EXISTS", names[1]]), within: budget)
            #expect(exists == .success(.integer(0)))
            #expect(await tier.entry(for: key(1), within: budget) != nil)
        }
    }

    @Test func valueOverTheLimitIsNotSent() async throws {
        let server = try ValkeyServer()
        try await withTier(server) { tier, _ in
            #expect(await !tier.put(entry(2 << 20), for: key(), within: budget))
            #expect(tier.statistics.refusedBytes > 2 << 20 && tier.statistics.failures == 0)
        }
    }

    @Test func leaseHasOneHolderAndEndsByItself() async throws {
        let server = try ValkeyServer()
        try await withTier(server) { tier, _ in
            let lease = try #require(await tier.lease(key(), for: .seconds(30), within: budget).taken)
            guard case .held = await tier.lease(key(), for: .seconds(30), within: budget) else {
                Issue.record("the lease has two holders")
                return
            }
            #expect(await lease.renew(for: .milliseconds(1)))
            let second = await takeLease(tier)
            // The first holder lost its lease: it can neither extend nor end the second one.
            #expect(await !lease.renew(for: .seconds(9)))
            await lease.end()
            #expect(await tier.lease(key(), for: .seconds(1), within: budget).taken == nil)
            await second.end()
            #expect(await tier.lease(key(), for: .seconds(1), within: budget).taken != nil)
        }
    }

    private func takeLease(_ tier: ValkeyTier) async -> any CacheTierLease {
        while true { if let lease = await tier.lease(key(), for: .seconds(30), within: budget).taken { return lease } }
    }

    @Test func changesOfOtherConnectionsAreReported() async throws {
        let server = try ValkeyServer()
        let events = Locked<[ValkeyConnection.Event]>([])
        let watching = connection(
            port: server.port, { $0.trackedPrefix = "wi1:" }, onEvent: { event in events.withLock { $0.append(event) } }
        )
        defer { watching.shutDown() }
        try await withTier(server) { tier, connection in
            try #require(await eventually { watching.isUp && !events.withLock { $0 }.isEmpty })
            #expect(await tier.put(entry(), for: key(), within: budget))
            let name = ValkeyTier.name(of: key())
            #expect(await eventually { events.withLock { $0 }.contains(.changed(key: name)) })
            _ = await connection.send(RESPCommand(["SET", "other", "1"]), within: budget)
            _ = await connection.send(RESPCommand(["FLUSHALL"]), within: budget)
            #expect(await eventually { events.withLock { $0 }.contains(.flushed) })
            #expect(!events.withLock { $0 }.contains(.changed(key: "other")))
        }
        server.kill()
        #expect(await eventually { events.withLock { $0 }.last == .disconnected })
    }

    // MARK: Ways to connect

    /// A server whose certificate was renewed together with the file of authorities is used again without a restart.
    @Test func renewedCertificateIsTrustedAfterTheReconnect() async throws {
        let server = try ValkeyServer(.encrypted)
        defer { server.stop() }
        try await withTier(
            server,
            { configuration in
                configuration.destination.encryption = .init()
                configuration.destination.encryption?.certificateAuthorityFile = server.certificateFile.path
            }
        ) { tier, connection in
            for round in 0..<2 {
                if round > 0 {
                    server.kill()
                    #expect(await eventually { !connection.isUp })
                    try server.renewCertificate()
                    try server.start()
                    #expect(await eventually { connection.isUp })
                }
                let stored = entry(1000, seed: UInt8(round))
                #expect(await tier.put(stored, for: key(), within: budget))
                #expect(await tier.entry(for: key(), within: budget)?.content == stored.content)
            }
        }
    }

    /// TLS decrypts a whole record. What a turn of the thread does not take stays in the library, where `poll(2)` sees
    /// nothing of it.
    @Test(arguments: [1, 20_000, 1 << 20]) func bytesThatTLSHoldsAreRead(bytesPerTurn: Int) async throws {
        let server = try ValkeyServer(.encrypted)
        defer { server.stop() }
        let sizes = [40_000, 10, 0, 70_000, 1, 5000]
        try await withTier(
            server,
            { configuration in
                configuration.destination.encryption = .init()
                configuration.destination.encryption?.certificateAuthorityFile = server.certificateFile.path
                configuration.receivedBytesPerTurn = bytesPerTurn
            }
        ) { _, connection in
            let names = sizes.map { RESPCommand.Word("k\($0)") }
            for (name, size) in zip(names, sizes) {
                _ = try await connection.send(
                    RESPCommand(["SET", name, .init(Data(repeating: 7, count: size))]), within: budget
                ).get()
            }
            for _ in 0..<20 {
                let found = try await connection.send(RESPCommand(["MGET"] + names), within: budget).get()
                #expect(found.elements?.map { $0.data?.count } == sizes)
            }
        }
    }

    /// Short commands are joined while the socket takes nothing, and TLS repeats its write from the same memory.
    @Test func commandsOfAFullSocketArriveWithTLS() async throws {
        let server = try ValkeyServer(.encrypted)
        defer { server.stop() }
        var configuration = ValkeyConnection.Configuration(.init(.host("127.0.0.1", port: server.port)))
        configuration.destination.encryption = .init()
        configuration.destination.encryption?.certificateAuthorityFile = server.certificateFile.path
        (configuration.mostCommands, configuration.silence) = (.max, .seconds(60))
        let events = Locked<[ValkeyConnection.Event]>([])
        let connection = ValkeyConnection(configuration) { event in events.withLock { $0.append(event) } }
        defer { connection.shutDown() }
        try #require(await eventually { connection.isUp })
        server.pause()
        let answers = await withTaskGroup(of: Bool.self) { group in
            // More than the buffers of both sockets hold, one command at a time: the last block is always a short one.
            for number in 0..<5000 {
                let value = Data(repeating: UInt8(truncatingIfNeeded: number), count: 3000)
                group.addTask {
                    let answer = await connection.send(
                        RESPCommand(["SET", .init("k\(number)"), .init(value)]), within: .seconds(50))
                    return (try? answer.get()) == .text("OK")
                }
                if number % 4 == 0 { try? await Task.sleep(for: .microseconds(100)) }
            }
            server.resume()
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(answers == 5000)
        #expect(events.withLock { $0 } == [.connected])
        let last = await connection.send(RESPCommand(["GET", "k4999"]), within: .seconds(10))
        #expect(try last.get().data == Data(repeating: UInt8(truncatingIfNeeded: 4999), count: 3000))
    }

    /// The list of tiers writes what the tier takes, and nothing that it would refuse.
    @Test func valuesOfExactlyTheLimitAreStored() async throws {
        let server = try ValkeyServer()
        defer { server.stop() }
        try await withTier(server) { tier, _ in
            let tiers = CacheTiers([CacheTiers.Level(tier, budget: budget)])
            let most = tier.rules.sizes.upperBound
            for (number, size) in [0, 1, most - 1, most, most + 1].enumerated() {
                let value = CacheTierEntry(
                    .value(data: Data(repeating: 7, count: size), metadata: nil, extended: nil),
                    stored: Date().timeIntervalSince1970, lifetime: .seconds(60))
                tiers.put(value, for: key(number))
                await tiers.flush(within: .seconds(30))
                let found = await tiers.entry(for: key(number))?.entry.content
                #expect(found == (size > most ? nil : value.content), "\(size)")
                #expect(tiers.holds(size) == (size <= most))
            }
            #expect(tier.statistics.refusedBytes == 0 && tier.statistics.failures == 0)
        }
    }

    @Test func encryptedServerIsUsedOnlyWithItsAuthority() async throws {
        let server = try ValkeyServer(.encrypted)
        try await withTier(
            server,
            { configuration in
                configuration.destination.encryption = .init()
                configuration.destination.encryption?.certificateAuthorityFile = server.certificateFile.path
            }
        ) { tier, _ in
            // The library may hold bytes that it has decrypted and that the socket no longer reports.
            for size in [900_000, 20_000, 70_000, 1] {
                let stored = entry(size)
                #expect(await tier.put(stored, for: key(), within: budget))
                #expect(await tier.entry(for: key(), within: budget)?.content == stored.content)
            }
        }
        var untrusting = DialledConnection.Destination(.host("127.0.0.1", port: server.port))
        untrusting.encryption = .init()
        let error = #expect(throws: WebImageError.self) { try DialledConnection(untrusting) }
        guard case .curl(60, _)? = error?.underlying else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
    }

    @Test func unixSocketWorks() async throws {
        let server = try ValkeyServer()
        try await withTier(server, { $0.destination.address = .unix(path: server.socketPath) }) { tier, _ in
            #expect(await tier.put(entry(), for: key(), within: budget))
            #expect(await tier.entry(for: key(), within: budget) != nil)
        }
    }

    @Test func passwordAndUserAreRequiredByTheServer() async throws {
        let rules =
            "user webimage on >secret ~wi1:* ~wi1l:* resetchannels -@all +get +set +del +eval +hello +client|setname"
        let words = rules.split(separator: " ").map(String.init)
        let server = try ValkeyServer(arguments: ["--requirepass", "other", "--user"] + words.dropFirst())
        try await withTier(server, { ($0.user, $0.password) = ("webimage", "secret") }) { tier, connection in
            #expect(await tier.put(entry(), for: key(), within: budget))
            #expect(await tier.entry(for: key(), within: budget) != nil)
            let refused = await connection.send(RESPCommand(["FLUSHALL"]), within: budget)
            guard case .failure(.refused(let text)) = refused else { return #expect(Bool(false)) }
            #expect(text.hasPrefix("NOPERM"))
        }
        let wrong = connection(port: server.port) { ($0.user, $0.password) = ("webimage", "wrong") }
        defer { wrong.shutDown() }
        #expect(await wrong.send(RESPCommand(["PING"]), within: budget) == .failure(.down))
        #expect(await !eventually(within: 0.3) { wrong.isUp })
    }

    // MARK: Failures

    @Test func serverThatIsDownCostsNothingAndIsUsedOnceItRuns() async throws {
        let server = try ValkeyServer(isStarted: false)
        let connection = connection(port: server.port)
        defer { connection.shutDown() }
        let tier = ValkeyTier(connection)
        let clock = ContinuousClock()
        let time = await clock.measure {
            for number in 0..<20 { #expect(await tier.entry(for: key(number), within: .seconds(5)) == nil) }
        }
        // A single call that waits costs five seconds.
        #expect(time < Sanitizer.time(.seconds(4)))
        #expect(tier.statistics.isOpen)
        try server.start()
        var isStored = false
        while !isStored { isStored = await tier.put(entry(), for: key(), within: budget) }
        #expect(await tier.entry(for: key(), within: budget) != nil)
        #expect(!tier.statistics.isOpen)
    }

    @Test func killedServerEndsEveryCommandOnce() async throws {
        let server = try ValkeyServer()
        try await withTier(server) { tier, connection in
            server.pause()
            await withTaskGroup(of: Result<RESPValue, ValkeyFailure>.self) { group in
                for _ in 0..<16 { group.addTask { await connection.send(RESPCommand(["PING"]), within: .seconds(60)) } }
                // The commands wait for the paused server, which is then killed.
                await Task.yield()
                server.kill()
                for await result in group { #expect(result == .failure(.down)) }
            }
            try server.start()
            #expect(await eventually { connection.isUp })
            var isStored = false
            while !isStored { isStored = await tier.put(entry(), for: key(), within: budget) }
        }
    }

    @Test func pausedServerCostsTheBudgetAndThenNothing() async throws {
        let server = try ValkeyServer()
        try await withTier(server) { tier, _ in
            #expect(await tier.put(entry(), for: key(), within: budget))
            server.pause()
            for _ in 0..<5 { #expect(await tier.entry(for: key(), within: .milliseconds(5)) == nil) }
            #expect(tier.statistics.isOpen)
            server.resume()
            var isRead = false
            while !isRead { isRead = await tier.entry(for: key(), within: budget) != nil }
            // The answers that came too late were discarded, not given to later commands.
            #expect(await tier.entry(for: key(), within: budget)?.content == entry().content)
        }
    }

    @Test func cancelledCallEndsAtOnceAndItsAnswerIsDiscarded() async throws {
        let server = try ValkeyServer()
        try await withTier(server) { tier, connection in
            server.pause()
            let call = Task { await connection.send(RESPCommand(["PING"]), within: .seconds(60)) }
            call.cancel()
            #expect(await call.value == .failure(.cancelled))
            server.resume()
            #expect(
                await connection.send(RESPCommand(["ECHO", "a"]), within: budget) == .success(.bulk(Data("a".utf8))))
        }
    }

    @Test func fullServerIsAFailureWithoutABreaker() async throws {
        let server = try ValkeyServer(arguments: ["--maxmemory", "1mb", "--maxmemory-policy", "noeviction"])
        try await withTier(server) { tier, _ in
            for number in 0..<10 { #expect(await !tier.put(entry(900_000), for: key(number), within: budget)) }
            #expect(tier.statistics.failures == 10 && !tier.statistics.isOpen)
        }
    }

    @Test(arguments: [
        "HTTP/1.1 400 Bad Request\r\n\r\n", "$2000000000\r\n", "*999999999\r\n", "+OK\r\n+OK\r\n+OK\r\n",
        String(repeating: "a", count: 100_000), "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n",
        "\0\u{1}\u{2}",
    ]) func serverThatLiesIsAMiss(answer: String) async throws {
        let hello = Data("%1\r\n+server\r\n+x\r\n".utf8)
        for answers in [[Data(answer.utf8)], [hello, Data(answer.utf8)]] {
            let server = try RawServer(answers)
            let connection = connection(port: server.port)
            let tier = ValkeyTier(connection)
            if answers.count > 1 { _ = await eventually(within: 1) { connection.isUp } }
            #expect(await tier.entry(for: key(), within: .milliseconds(200)) == nil)
            connection.shutDown()
            server.stop()
        }
    }

    @Test func connectionThatIsReleasedEndsItsThreadAndHandles() async throws {
        let server = try ValkeyServer()
        let open = (HandleLedger.live["curl easy"] ?? 0)
        do {
            let connection = connection(port: server.port)
            try #require(await eventually { connection.isUp })
        }
        #expect(await eventually { (HandleLedger.live["curl easy"] ?? 0) == open })
    }
}

extension ValkeyTierTests {
    @Test(arguments: ValkeyServer.programs) func tierConforms(program: String) async throws {
        let server = try ValkeyServer(program: program)
        try await withTier(server) { tier, _ in
            var conformance = CacheTierConformance(tier)
            conformance.budget = budget
            #expect(await conformance.faults().isEmpty)
        }
    }
}

extension CacheTierLeaseAnswer {
    /// The lease, if it was given.
    var taken: (any CacheTierLease)? { if case .taken(let lease) = self { lease } else { nil } }
}
