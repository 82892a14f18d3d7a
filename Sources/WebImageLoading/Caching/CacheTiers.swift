package import Foundation
package import WebImageCore

/// An ordered list of cache tiers, the nearest first: asked below the local caches and above the origin.
///
/// Reads ask one tier after the other, each within its own budget. A hit is copied to the nearer tiers. Writes are
/// queued and never delay the caller; the queue is bounded, and an entry that finds no place is dropped and counted.
package final class CacheTiers: Sendable {
    /// One tier with its rules.
    package struct Level: Sendable {
        package let tier: any CacheTier
        package var rules: CacheTierRules
        /// The same tier, if it coordinates machines.
        package let coordinating: (any CoordinatingCacheTier)?

        /// - Parameters:
        ///   - name: The name in metrics and messages.
        ///   - budget: The longest time that a read may add to a load; nil for the tier's own.
        package init(_ name: String, _ tier: any CacheTier, budget: Duration? = nil) {
            self.init(tier, budget: budget)
            rules.name = name
        }

        /// - Parameter budget: The longest time that a read may add to a load; nil for the tier's own.
        package init(_ tier: any CacheTier, budget: Duration? = nil) {
            self.tier = tier
            coordinating = tier.coordination?.tier
            rules = coordinating?.rules ?? CacheTierRules()
            rules.isPrivate = tier.isPrivate
            if let budget { rules.budget = budget }
        }

        package var name: String { rules.name }
        /// What the tier has done.
        package var statistics: CacheTierStatistics { coordinating?.statistics ?? CacheTierStatistics() }
    }

    /// The limits of queued writes.
    package struct Limits: Sendable {
        package var bytes = 32 << 20
        package var count = 1000
        /// The number of writes at the same time.
        package var width = 4

        package init() {}
    }

    /// What the list has done.
    package struct Statistics: Sendable {
        package struct Level: Sendable {
            package var name = ""
            package var reads = 0
            package var hits = 0
            /// The time of all reads, in seconds.
            package var readTime = 0.0
            package var tier = CacheTierStatistics()
        }

        package var levels: [Level] = []
        package var queuedWrites = 0
        package var queuedBytes = 0
        package var droppedWrites = 0
        package var droppedBytes = 0
    }

    /// A queued write.
    private struct Write {
        var entry: CacheTierEntry
        var levels: Range<Int>
        var size: Int
    }

    private struct State {
        var waiting: [CacheTierKey: Write] = [:]
        /// The keys of `waiting` in the order in which they arrived. A key of a removed write may be left over.
        var order: [CacheTierKey] = []
        var bytes = 0
        var running = 0
        /// Entries that are stored for waiting machines.
        var handovers = 0
        var dropped = (count: 0, bytes: 0)
        var reads: [(count: Int, hits: Int, time: Duration)]
        var whenIdle: [Completion<Void>] = []
        var isShutDown = false
    }

    package let levels: [Level]
    /// Separates programs, and configurations of one program that make different bytes of one URL.
    package let namespace: String
    private let limits: Limits
    private let clock: any DelayClock
    private let state: Locked<State>

    package init(
        _ levels: [Level], namespace: String = "webimage", limits: Limits = Limits(),
        clock: any DelayClock = SystemClock()
    ) {
        self.levels = levels
        self.namespace = namespace
        self.limits = limits
        self.clock = clock
        state = Locked(State(reads: levels.map { _ in (0, 0, .zero) }))
    }

    /// The key of a cache entry; nil if the entry may not leave the machine. See ``CacheTierKey``.
    package func key(_ cacheKey: String, url: URL, scope: CacheScope = .shared) -> CacheTierKey? {
        CacheTierKey(namespace: namespace, cacheKey: cacheKey, url: url, scope: scope)
    }

    /// The key of an entry of one user; nil if it may not leave the machine, or if no tier is private.
    ///
    /// - Parameter cacheKey: Contains everything that decides the bytes, also the scope and the fields of the request.
    package func privateKey(_ cacheKey: String, url: URL, scope: CacheScope) -> CacheTierKey? {
        guard levels.contains(where: \.rules.isPrivate) else { return nil }
        return CacheTierKey(namespace: namespace, privateKey: cacheKey, url: url, scope: scope)
    }

    /// Whether a tier may know a key.
    private func mayKnow(_ key: CacheTierKey, _ level: Int) -> Bool { !key.isPrivate || levels[level].rules.isPrivate }

    // MARK: Reading

    /// Returns the entry of the nearest tier that has it.
    ///
    /// - Parameter last: The farthest tier that is asked; nil asks all.
    package func entry(for key: CacheTierKey, upTo last: Int? = nil) async -> (entry: CacheTierEntry, level: Int)? {
        for (index, level) in levels.enumerated() where mayKnow(key, index) && index <= last ?? index {
            let start = clock.now
            let found = await level.tier.entry(for: key, within: level.rules.budget)
            let time = clock.now - start
            // Tiers check the lifetime themselves; a tier of the program may forget to.
            let entry = found.flatMap { $0.remainingLifetime(at: clock.date) == nil ? nil : $0 }
            state.withLock { state in
                state.reads[index].count += 1
                state.reads[index].time += time
                if entry != nil { state.reads[index].hits += 1 }
            }
            if let entry {
                if index > 0 { enqueue(entry, forKey: key, to: 0..<index) }
                return (entry, index)
            }
            if Task.isCancelled { return nil }
        }
        return nil
    }

    // MARK: Writing

    /// Stores an entry in all tiers, or only in the nearest one, soon and in the background.
    package func put(_ entry: CacheTierEntry, for key: CacheTierKey, onlyNearest: Bool = false) {
        enqueue(entry, forKey: key, to: onlyNearest ? levels.indices.prefix(1) : levels.indices)
    }

    private func enqueue(_ entry: CacheTierEntry, forKey key: CacheTierKey, to range: Range<Int>) {
        let size = entry.byteCount
        guard range.contains(where: { takes(size, of: key, level: $0) }) else { return }
        let starts = state.withLock { state -> Bool in
            guard !state.isShutDown else { return false }
            let known = state.waiting[key]
            let bytes = state.bytes - (known?.size ?? 0) + size
            guard bytes <= limits.bytes, known != nil || state.waiting.count < limits.count else {
                state.dropped.count += 1
                state.dropped.bytes += size
                return false
            }
            if known == nil { state.order.append(key) }
            let whole = known.map {
                min($0.levels.lowerBound, range.lowerBound)..<max($0.levels.upperBound, range.upperBound)
            }
            state.waiting[key] = Write(entry: entry, levels: whole ?? range, size: size)
            state.bytes = bytes
            guard state.running < limits.width else { return false }
            state.running += 1
            return true
        }
        // Detached: the write must not end with the load that causes it, nor have its priority.
        if starts { Task.detached(priority: .utility) { await self.writeWaiting() } }
    }

    /// Whether any tier stores values of a size in bytes.
    package func holds(_ size: Int) -> Bool {
        levels.contains { $0.rules.isWritten && $0.rules.sizes.contains(size) }
    }

    private func takes(_ size: Int, of key: CacheTierKey, level: Int) -> Bool {
        mayKnow(key, level) && levels[level].rules.isWritten && levels[level].rules.sizes.contains(size)
    }

    private func writeWaiting() async {
        while let (key, write) = nextWrite() {
            for level in write.levels where takes(write.size, of: key, level: level) {
                await levels[level].tier.put(write.entry, for: key, within: levels[level].rules.writeBudget)
            }
        }
    }

    private func nextWrite() -> (CacheTierKey, Write)? {
        let (next, idle) = state.withLock { state -> ((CacheTierKey, Write)?, [Completion<Void>]) in
            while !state.order.isEmpty {
                let key = state.order.removeFirst()
                guard let write = state.waiting.removeValue(forKey: key) else { continue }
                state.bytes -= write.size
                return ((key, write), [])
            }
            state.running -= 1
            return (nil, Self.takeIdle(&state))
        }
        for completion in idle { completion.complete(with: ()) }
        return next
    }

    private static func takeIdle(_ state: inout State) -> [Completion<Void>] {
        guard state.running == 0, state.handovers == 0 else { return [] }
        defer { state.whenIdle = [] }
        return state.whenIdle
    }

    /// Waits until all queued writes have ended, for at most `budget`.
    package func flush(within budget: Duration) async {
        let completion = Completion<Void>()
        let isIdle = state.withLock { state -> Bool in
            if state.running == 0, state.handovers == 0 { return true }
            state.whenIdle.append(completion)
            return false
        }
        if isIdle { return }
        let timer = clock.schedule(after: budget) { completion.complete(with: ()) }
        await withValueContinuation { continuation in completion.whenCompleted(continuation.resume(returning:)) }
        timer.cancel()
    }

    /// Drops further writes, and waits for the queued ones for at most `budget`. Reads still work.
    package func shutDown(within budget: Duration = .seconds(2)) async {
        state.withLock { $0.isShutDown = true }
        await flush(within: budget)
    }

    /// Removes entries from all tiers, the farthest first: a nearer tier is filled from a farther one.
    ///
    /// - Returns: Whether every tier has confirmed the removal.
    @discardableResult
    package func remove(_ keys: [CacheTierKey]) async -> Bool {
        state.withLock { state in
            for key in keys {
                if let write = state.waiting.removeValue(forKey: key) { state.bytes -= write.size }
            }
        }
        var removesAll = true
        for (index, level) in levels.enumerated().reversed() {
            let known = keys.filter { mayKnow($0, index) }
            guard !known.isEmpty else { continue }
            if !(await level.tier.remove(known, within: level.rules.writeBudget)) { removesAll = false }
        }
        return removesAll
    }

    /// The longest wait for a write of a body that is then removed.
    private static let discardPatience = Duration.seconds(5)

    /// Removes an entry if its body is the given one: another machine may have stored a better one. Returns at once.
    ///
    /// - Parameter isUndecodable: Called only if the body is that of the entry.
    package func discard(
        _ body: Data, of key: CacheTierKey, if isUndecodable: @escaping @Sendable () async -> Bool = { true }
    ) {
        Task.detached(priority: .utility) {
            // The write of the body may be queued.
            await self.flush(within: Self.discardPatience)
            guard let (found, _) = await self.entry(for: key), case .value(body, _, _) = found.content,
                await isUndecodable()
            else { return }
            await self.remove([key])
        }
    }

    package var statistics: Statistics {
        let (reads, queued, bytes, dropped) = state.withLock { ($0.reads, $0.waiting.count, $0.bytes, $0.dropped) }
        var statistics = Statistics()
        statistics.levels = zip(levels, reads).map { level, reads in
            Statistics.Level(
                name: level.name, reads: reads.count, hits: reads.hits, readTime: reads.time / .seconds(1),
                tier: level.statistics)
        }
        (statistics.queuedWrites, statistics.queuedBytes) = (queued, bytes)
        (statistics.droppedWrites, statistics.droppedBytes) = dropped
        return statistics
    }

    // MARK: One maker for all machines

    /// The time for which a machine may hold a lease without renewing it: the longest wait after it has died.
    private static let leaseTime = Duration.seconds(1)
    /// The waits between two looks at a key that another machine makes.
    private static let waits = (first: Duration.milliseconds(5), longest: Duration.milliseconds(80))

    /// Returns the value of a tier, or makes it; of all machines that need it at the same time, one makes it.
    ///
    /// If no tier can give leases, or the tiers fail, every machine makes its own value: that costs time, never a value.
    ///
    /// - Parameters:
    ///   - patience: The longest wait for another machine.
    ///   - read: Reads a value from an entry; nil if the entry is not usable, so that a new one is made.
    ///   - make: Makes the value, and the entry to store; nil stores nothing.
    /// - Returns: The value, and the tier from which it came; nil if it was made here.
    package func value<Value: Sendable, Failure: Error>(
        for key: CacheTierKey, patience: Duration, read: (CacheTierEntry) -> Value?,
        make: () async throws(Failure) -> (value: Value, entry: CacheTierEntry?)
    ) async throws(Failure) -> (value: Value, level: Int?) {
        let deadline = clock.now + patience
        var pause = Self.waits.first
        // While another machine makes the value, only the tier of its lease is asked again, and those before it: every look
        // at a farther one costs time or money. The holder of the next lease asks all.
        var last: Int?
        while true {
            if let (entry, level) = await entry(for: key, upTo: last), let value = read(entry) { return (value, level) }
            let (answer, level) = await lease(key)
            switch answer {
            case .unavailable: return (try await makeAlone(key, make), nil)
            case .taken(let lease):
                // Another machine may have stored the value between the look and the lease.
                if let (entry, level) = await entry(for: key), let value = read(entry) {
                    await lease.end()
                    return (value, level)
                }
                return (try await makeHolding(lease, level: level, key: key, make: make), nil)
            case .held:
                guard clock.now < deadline, await clock.wait(for: pause) else {
                    return (try await makeAlone(key, make), nil)
                }
                pause = min(pause * 2, Self.waits.longest)
                last = level
            }
        }
    }

    private func lease(_ key: CacheTierKey) async -> (answer: CacheTierLeaseAnswer, level: Int) {
        for (index, level) in levels.enumerated() where level.rules.isWritten && mayKnow(key, index) {
            let answer = await level.coordinating?.lease(key, for: Self.leaseTime, within: level.rules.budget)
            guard let answer, !answer.isUnavailable else { continue }
            return (answer, index)
        }
        return (.unavailable, 0)
    }

    private func makeAlone<Value, Failure: Error>(
        _ key: CacheTierKey, _ make: () async throws(Failure) -> (value: Value, entry: CacheTierEntry?)
    ) async throws(Failure) -> Value {
        let made = try await make()
        if let entry = made.entry { put(entry, for: key) }
        return made.value
    }

    private func makeHolding<Value, Failure: Error>(
        _ lease: any CacheTierLease, level: Int, key: CacheTierKey,
        make: () async throws(Failure) -> (value: Value, entry: CacheTierEntry?)
    ) async throws(Failure) -> Value {
        let renewal = Task.detached { [clock] in
            while await clock.wait(for: Self.leaseTime / 3) {
                guard await lease.renew(for: Self.leaseTime) else { return }
            }
        }
        let made: (value: Value, entry: CacheTierEntry?)
        do {
            made = try await make()
        } catch {
            renewal.cancel()
            // A task of its own: the task of this load may be cancelled, and the lease must still end.
            Task.detached { await lease.end() }
            throw error
        }
        guard let entry = made.entry else {
            renewal.cancel()
            Task.detached { await lease.end() }
            return made.value
        }
        // The waiting machines look for the value when the lease has ended, so store it first. This load need not wait.
        state.withLock { $0.handovers += 1 }
        Task.detached {
            let size = entry.byteCount
            let near = self.levels.indices.first { $0 >= level && self.takes(size, of: key, level: $0) }
            if let near {
                let place = self.levels[near]
                await place.tier.put(entry, for: key, within: min(place.rules.writeBudget, Self.leaseTime))
            }
            // Not before the value is stored: another machine would take the lease and make the value again.
            renewal.cancel()
            await lease.end()
            self.enqueue(entry, forKey: key, to: (near.map { $0 + 1 } ?? 0)..<self.levels.count)
            let idle = self.state.withLock { state in
                state.handovers -= 1
                return Self.takeIdle(&state)
            }
            for completion in idle { completion.complete(with: ()) }
        }
        return made.value
    }
}

extension CacheTierEntry {
    /// The bytes of the value and its metadata.
    package var byteCount: Int {
        guard case .value(let data, let metadata, let extended) = content else { return 0 }
        return data.count + (metadata?.count ?? 0) + (extended?.count ?? 0)
    }
}
