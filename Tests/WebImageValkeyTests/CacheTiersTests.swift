import Foundation
import Testing
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCore
@testable import WebImageLoading

/// The smallest tier: the whole role in ten lines.
private actor MemoryTier: CacheTier {
    private var entries: [CacheTierKey: CacheTierEntry] = [:]

    func entry(for key: CacheTierKey, within budget: Duration) -> CacheTierEntry? {
        let entry = entries[key]
        return entry?.remainingLifetime(at: Date().timeIntervalSince1970) == nil ? nil : entry
    }
    func put(_ entry: CacheTierEntry, for key: CacheTierKey, within budget: Duration) -> Bool {
        entries[key] = entry
        return true
    }
    func remove(_ keys: [CacheTierKey], within budget: Duration) -> Bool {
        for key in keys { entries[key] = nil }
        return true
    }
}

/// A tier in memory that gives leases, and whose writes a gate can hold.
private final class LeasingTier: CoordinatingCacheTier {
    struct State {
        var entries: [CacheTierKey: CacheTierEntry] = [:]
        var holders: [CacheTierKey: (number: Int, end: Duration)] = [:]
        var lastNumber = 0
        var puts = 0
        var isDown = false
        var holdsWrites = false
    }

    let state = Locked(State())
    private let clock = SystemClock()

    func entry(for key: CacheTierKey, within budget: Duration) async -> CacheTierEntry? {
        state.withLock { $0.isDown ? nil : $0.entries[key] }
    }
    func put(_ entry: CacheTierEntry, for key: CacheTierKey, within budget: Duration) async -> Bool {
        _ = await eventually { state.withLock { !$0.holdsWrites } }
        return state.withLock { state in
            if state.isDown { return false }
            state.puts += 1
            state.entries[key] = entry
            return true
        }
    }
    func remove(_ keys: [CacheTierKey], within budget: Duration) async -> Bool {
        state.withLock { state in
            for key in keys { state.entries[key] = nil }
            return !state.isDown
        }
    }

    func lease(
        _ key: CacheTierKey, for duration: Duration, within budget: Duration
    ) async -> CacheTierLeaseAnswer {
        state.withLock { state in
            if state.isDown { return .unavailable }
            if let holder = state.holders[key], holder.end > clock.now { return .held }
            state.lastNumber += 1
            state.holders[key] = (state.lastNumber, clock.now + duration)
            return .taken(Lease(tier: self, key: key, number: state.lastNumber))
        }
    }

    private struct Lease: CacheTierLease {
        let tier: LeasingTier
        let key: CacheTierKey
        let number: Int

        func renew(for duration: Duration) async -> Bool {
            tier.state.withLock { state in
                guard state.holders[key]?.number == number else { return false }
                state.holders[key] = (number, tier.clock.now + duration)
                return true
            }
        }
        func end() async {
            tier.state.withLock { state in
                if state.holders[key]?.number == number { state.holders[key] = nil }
            }
        }
    }
}

@Suite(.timeLimit(minutes: 2)) struct CacheTiersTests {
    private func key(_ number: Int = 0) -> CacheTierKey {
        CacheTierKey(namespace: "n", cacheKey: "https://example.org/\(number).jpg")
    }

    private func entry(_ text: String = "picture") -> CacheTierEntry {
        CacheTierEntry(
            .value(data: Data(text.utf8), metadata: nil, extended: nil), stored: Date().timeIntervalSince1970,
            lifetime: .seconds(60))
    }

    private func tiers(_ tiers: any CacheTier..., limits: CacheTiers.Limits = .init()) -> CacheTiers {
        CacheTiers(
            tiers.enumerated().map { CacheTiers.Level("\($0.offset)", $0.element, budget: .seconds(5)) },
            limits: limits)
    }

    @Test func tierOfTenLinesConforms() async {
        #expect(await CacheTierConformance(MemoryTier()).faults().isEmpty)
    }

    /// Each broken promise is found.
    @Test(arguments: ["forgets", "shifts", "keeps", "grows", "ignores lifetimes", "mixes namespaces"])
    func brokenTierDoesNotConform(fault: String) async {
        var conformance = CacheTierConformance(BrokenTier(fault: fault))
        // One of these tiers never ends the lifetime of an entry.
        conformance.patience = 1
        #expect(await !conformance.faults().isEmpty)
    }

    @Test func hitIsCopiedToNearerTiersAndFirstTierIsAskedFirst() async {
        let (near, far) = (LeasingTier(), LeasingTier())
        let tiers = tiers(near, far)
        far.state.withLock { $0.entries[key()] = entry() }
        #expect(await tiers.entry(for: key())?.level == 1)
        await tiers.flush(within: .seconds(30))
        #expect(near.state.withLock { $0.entries[key()] }?.content == entry().content)
        #expect(far.state.withLock { $0.puts } == 0)
        #expect(await tiers.entry(for: key())?.level == 0)
        let statistics = tiers.statistics.levels
        #expect(statistics.map(\.reads) == [2, 1] && statistics.map(\.hits) == [1, 1])
    }

    @Test func expiredEntryOfACarelessTierIsAMiss() async {
        let tier = LeasingTier()
        tier.state.withLock { $0.entries[key()] = CacheTierEntry(.absent, stored: 5, lifetime: .seconds(5)) }
        #expect(await tiers(tier).entry(for: key()) == nil)
    }

    @Test func queuedWritesAreBoundedAndTheNewestIsDropped() async {
        let tier = LeasingTier()
        tier.state.withLock { $0.holdsWrites = true }
        var limits = CacheTiers.Limits()
        (limits.bytes, limits.count, limits.width) = (100, 3, 1)
        let tiers = tiers(tier, limits: limits)
        tiers.put(entry("first"), for: key(0))
        // The first write is under way and no longer queued.
        #expect(await eventually { tiers.statistics.queuedWrites == 0 })
        for number in 1...3 { tiers.put(entry("old"), for: key(number)) }
        tiers.put(entry("x"), for: key(4))
        #expect(tiers.statistics.droppedWrites == 1 && tiers.statistics.droppedBytes == 1)
        // A newer value of a queued key replaces the older one, unless it is too large.
        tiers.put(entry("newer"), for: key(1))
        tiers.put(entry(String(repeating: "x", count: 95)), for: key(2))
        #expect(tiers.statistics.droppedWrites == 2 && tiers.statistics.queuedBytes == 11)
        tier.state.withLock { $0.holdsWrites = false }
        await tiers.flush(within: .seconds(30))
        #expect(tier.state.withLock { $0.puts } == 4)
        #expect(tier.state.withLock { $0.entries[key(1)] }?.content == entry("newer").content)
        #expect(tier.state.withLock { $0.entries[key(2)] }?.content == entry("old").content)
        #expect(tiers.statistics.queuedBytes == 0)
    }

    @Test func removedKeyIsNotWrittenLater() async {
        let tier = LeasingTier()
        tier.state.withLock { $0.holdsWrites = true }
        var limits = CacheTiers.Limits()
        limits.width = 1
        let tiers = tiers(tier, limits: limits)
        tiers.put(entry(), for: key(0))
        tiers.put(entry(), for: key(1))
        #expect(await tiers.remove([key(1)]))
        tier.state.withLock { $0.holdsWrites = false }
        await tiers.flush(within: .seconds(30))
        #expect(tier.state.withLock { $0.entries[key(1)] } == nil && tier.state.withLock { $0.puts } == 1)
    }

    @Test func flushAndShutDownEndAtTheirBudget() async {
        let tier = LeasingTier()
        tier.state.withLock { $0.holdsWrites = true }
        let tiers = tiers(tier)
        tiers.put(entry(), for: key())
        await tiers.flush(within: .milliseconds(20))
        await tiers.shutDown(within: .milliseconds(20))
        tiers.put(entry(), for: key(1))
        tier.state.withLock { $0.holdsWrites = false }
        await tiers.flush(within: .seconds(30))
        #expect(tier.state.withLock { $0.entries.count } == 1)
    }

    private func value(
        _ tiers: CacheTiers, patience: Duration = .seconds(30), make: @Sendable () async throws -> String
    ) async throws -> String {
        try await tiers.value(
            for: key(), patience: patience,
            read: { entry in
                guard case .value(let data, _, _) = entry.content else { return nil }
                return String(decoding: data, as: UTF8.self)
            },
            make: {
                let text = try await make()
                return (text, self.entry(text))
            }
        ).value
    }

    @Test func oneOfManyMachinesMakesTheValue() async throws {
        let tier = LeasingTier()
        let made = Locked(0)
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 {
                let machine = tiers(tier)
                group.addTask {
                    try await value(machine) {
                        let number = made.withLock { made in
                            made += 1
                            return made
                        }
                        // Longer than a lease: it must be renewed.
                        try await Task.sleep(for: .milliseconds(1500))
                        return "made \(number)"
                    }
                }
            }
            for try await text in group { #expect(text == "made 1") }
        }
        #expect(made.withLock { $0 } == 1)
        // The lease is over: it does not hinder the next making.
        tier.state.withLock { $0.entries = [:] }
        #expect(try await value(tiers(tier)) { "second" } == "second")
    }

    /// A write may take nearly as long as a lease.
    @Test func leaseIsRenewedUntilTheValueIsStored() async throws {
        let tier = LeasingTier()
        tier.state.withLock { $0.holdsWrites = true }
        #expect(try await value(tiers(tier)) { "own" } == "own")
        let end = try #require(tier.state.withLock { $0.holders[key()]?.end })
        #expect(await eventually(within: 10) { tier.state.withLock { $0.holders[key()]?.end ?? .zero } > end })
        tier.state.withLock { $0.holdsWrites = false }
        #expect(await eventually { tier.state.withLock { $0.holders[key()] == nil && $0.puts == 1 } })
    }

    /// Each look at a far tier costs time or money.
    @Test func waitingMachineAsksFarTiersOnlyBeforeAndAfterTheLease() async throws {
        let (near, far) = (LeasingTier(), LeasingTier())
        guard case .taken(let lease) = await near.lease(key(), for: .seconds(600), within: .seconds(1)) else {
            Issue.record("no lease")
            return
        }
        let machine = tiers(near, far)
        let waiting = Task { try await value(machine) { "own" } }
        #expect(await eventually { machine.statistics.levels[0].reads >= 6 })
        #expect(machine.statistics.levels[1].reads == 1)
        // The value is too large for the near tier.
        far.state.withLock { $0.entries[key()] = entry("other") }
        await lease.end()
        #expect(try await waiting.value == "other")
        #expect(machine.statistics.levels[1].reads == 2)
    }

    /// The keys of single users reach private tiers only: in reads, writes, leases and removals.
    @Test func entriesOfUsersReachPrivateTiersOnly() async throws {
        let (open, closed) = (LeasingTier(), LeasingTier())
        var levels = [CacheTiers.Level("open", open, budget: .seconds(5)), CacheTiers.Level("closed", closed)]
        let url = try #require(URL(string: "https://example.org/a.jpg"))
        let scope = CacheScope.scoped("alice")
        #expect(CacheTiers(levels).privateKey("k", url: url, scope: scope) == nil)
        levels[1].rules.isPrivate = true
        levels[1].rules.budget = .seconds(5)
        let tiers = CacheTiers(levels, namespace: "n")
        let key = try #require(tiers.privateKey("k", url: url, scope: scope))
        #expect(tiers.privateKey("k", url: url, scope: .shared) == nil)
        #expect(tiers.privateKey("k", url: url, scope: .unstored) == nil)
        #expect(tiers.privateKey("k", url: url, scope: .scoped("bob"))?.digest != key.digest)
        #expect(tiers.key("k", url: url, scope: scope) == nil && tiers.key("k", url: url)?.digest != key.digest)
        let made = await tiers.value(
            for: key, patience: .seconds(5), read: { _ in "read" }, make: { ("made", self.entry()) })
        #expect(made.value == "made")
        await tiers.flush(within: .seconds(30))
        tiers.put(entry("later"), for: key)
        await tiers.flush(within: .seconds(30))
        #expect(await tiers.entry(for: key)?.entry.content == entry("later").content)
        // The other tier was asked nothing.
        #expect(tiers.statistics.levels[0].reads == 0 && open.state.withLock { $0.puts == 0 && $0.lastNumber == 0 })
        #expect(closed.state.withLock { $0.puts == 2 && $0.lastNumber == 1 })
        open.state.withLock { $0.isDown = true }
        #expect(await tiers.remove([key]))
        #expect(closed.state.withLock { $0.entries.isEmpty })
    }

    @Test func deadHolderCostsItsLeaseAndFailedHolderNothing() async throws {
        let tier = LeasingTier()
        // A holder that has died does not renew its lease.
        guard case .taken = await tier.lease(key(), for: .seconds(1), within: .seconds(1)) else {
            Issue.record("no lease")
            return
        }
        let start = ContinuousClock.now
        let machine = tiers(tier)
        #expect(try await value(machine) { "made" } == "made")
        await machine.flush(within: .seconds(30))
        #expect(ContinuousClock.now - start < Sanitizer.time(.seconds(5)))

        tier.state.withLock { $0.entries = [:] }
        struct Failure: Error {}
        await #expect(throws: Failure.self) { try await value(tiers(tier)) { throw Failure() } }
        #expect(await eventually { tier.state.withLock { $0.holders.isEmpty } })
    }

    /// A body that is no picture is removed, also if its write is still queued. Another body in its place stays.
    @Test func onlyTheDiscardedBodyIsRemoved() async {
        let places = [LeasingTier(), LeasingTier()]
        let tiers = tiers(places[0], places[1])
        func holdWrites(_ holds: Bool) { for place in places { place.state.withLock { $0.holdsWrites = holds } } }
        var isStored: [Bool] { places.map { place in place.state.withLock { $0.entries[key()] != nil } } }
        holdWrites(true)
        tiers.put(entry("no picture"), for: key())
        tiers.discard(Data("no picture".utf8), of: key())
        holdWrites(false)
        #expect(await eventually { places.allSatisfy { place in place.state.withLock { $0.puts == 1 } } })
        #expect(await eventually { isStored == [false, false] })
        tiers.put(entry("picture"), for: key())
        let asked = Locked<[String]>([])
        tiers.discard(Data("no picture".utf8), of: key()) {
            asked.withLock { $0.append("other") }
            return true
        }
        tiers.discard(Data("picture".utf8), of: key()) {
            asked.withLock { $0.append("same") }
            return false
        }
        // The first discard has read the entry once, and so does each of the others.
        #expect(await eventually { tiers.statistics.levels[0].reads == 3 && asked.withLock { !$0.isEmpty } })
        #expect(asked.withLock { $0 } == ["same"] && isStored == [true, true])
    }

    @Test func waitEndsAtItsPatienceAndFailingTiersMakeNobodyWait() async throws {
        let tier = LeasingTier()
        guard case .taken = await tier.lease(key(), for: .seconds(600), within: .seconds(1)) else {
            Issue.record("no lease")
            return
        }
        #expect(try await value(tiers(tier), patience: .milliseconds(50)) { "own" } == "own")
        tier.state.withLock { $0.isDown = true }
        #expect(try await value(tiers(tier)) { "own" } == "own")
        #expect(try await value(tiers(MemoryTier())) { "own" } == "own")
        #expect(try await value(tiers()) { "own" } == "own")
    }

    @Test func unusableEntryIsMadeAgain() async throws {
        let tier = LeasingTier()
        tier.state.withLock {
            $0.entries[key()] = CacheTierEntry(
                .absent, stored: Date().timeIntervalSince1970, lifetime: .seconds(60))
        }
        let machine = tiers(tier)
        #expect(try await value(machine) { "made" } == "made")
        await machine.flush(within: .seconds(30))
        #expect(tier.state.withLock { $0.entries[key()] }?.content == entry("made").content)
    }
}

/// A tier with one fault.
private actor BrokenTier: CacheTier {
    let fault: String
    private var entries: [String: CacheTierEntry] = [:]

    init(fault: String) { self.fault = fault }

    private func name(_ key: CacheTierKey) -> String {
        fault == "mixes namespaces" ? "one" : "\(key.namespace) \(key.digest)"
    }

    func entry(for key: CacheTierKey, within budget: Duration) -> CacheTierEntry? {
        guard var entry = entries[name(key)], fault != "forgets" else { return nil }
        if fault != "ignores lifetimes", entry.remainingLifetime(at: Date().timeIntervalSince1970) == nil { return nil }
        if fault == "grows" { entry.lifetime *= 2 }
        if fault == "shifts", case .value(let data, let metadata, let extended) = entry.content {
            entry.content = .value(data: data.dropLast(), metadata: metadata, extended: extended)
        }
        return entry
    }
    func put(_ entry: CacheTierEntry, for key: CacheTierKey, within budget: Duration) -> Bool {
        entries[name(key)] = entry
        return true
    }
    func remove(_ keys: [CacheTierKey], within budget: Duration) -> Bool {
        if fault != "keeps" { for key in keys { entries[name(key)] = nil } }
        return true
    }
}
