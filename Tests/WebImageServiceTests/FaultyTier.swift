import Foundation
import WebImageCore
import WebImageLoading
import WebImageTesting

/// A tier in memory that loses, repeats and refuses what it is given, as a seed decides.
final class FaultyTier: CoordinatingCacheTier {
    private struct State {
        var random: SeededRandom
        var entries: [CacheTierKey: CacheTierEntry] = [:]
        /// Every entry that was ever stored: a replica that was split off may still return one.
        var former: [CacheTierKey: [CacheTierEntry]] = [:]
        var holders: [CacheTierKey: (number: Int, end: Duration)] = [:]
        var number = 0
        var log: [CachePurge] = []
        /// How often the log was lost.
        var lostLogs = 0
        var handlers: [@Sendable () -> Void] = []
        var hasFaults = true

        mutating func fails(_ probability: Double = 0.1) -> Bool {
            hasFaults && Double.random(in: 0..<1, using: &random) < probability
        }
    }

    private let state: Locked<State>
    private let clock = SystemClock()

    init(seed: UInt64) { state = Locked(State(random: SeededRandom(seed: seed))) }

    func endFaults() { state.withLock { $0.hasFaults = false } }

    /// Loses some entries, as a server with little memory does, or everything with the log, as one does that restarts empty.
    func lose(all: Bool) {
        state.withLock { state in
            if all {
                (state.entries, state.former, state.holders) = ([:], [:], [:])
                (state.log, state.lostLogs) = ([], state.lostLogs + 1)
                return
            }
            for key in state.entries.keys.sorted(by: { $0.digest < $1.digest })
            where Bool.random(using: &state.random) { (state.entries[key], state.former[key]) = (nil, nil) }
        }
    }

    var rules: CacheTierRules {
        var rules = CacheTierRules()
        rules.hasPurgeLog = true
        return rules
    }

    func entry(for key: CacheTierKey, within budget: Duration) async -> CacheTierEntry? {
        state.withLock { state in
            if state.fails() { return nil }
            if state.fails(), let former = state.former[key]?.randomElement(using: &state.random) { return former }
            return state.entries[key]
        }
    }

    func put(_ entry: CacheTierEntry, for key: CacheTierKey, within budget: Duration) async -> Bool {
        state.withLock { state in
            if state.fails() { return false }
            state.former[key, default: []].append(entry)
            if !state.fails() { state.entries[key] = entry }
            return true
        }
    }

    func remove(_ keys: [CacheTierKey], within budget: Duration) async -> Bool {
        state.withLock { state in
            for key in keys { state.entries[key] = nil }
            return !state.fails()
        }
    }

    func lease(_ key: CacheTierKey, for duration: Duration, within budget: Duration) async -> CacheTierLeaseAnswer {
        state.withLock { state in
            if state.fails() { return .unavailable }
            if let holder = state.holders[key], holder.end > clock.now, !state.fails() { return .held }
            state.number += 1
            // A holder that dies: its lease ends by itself.
            let isDead = state.fails(0.02)
            state.holders[key] = (state.number, clock.now + .milliseconds(isDead ? 50 : 1000))
            return isDead ? .held : .taken(Lease(tier: self, key: key, number: state.number))
        }
    }

    private struct Lease: CacheTierLease {
        let tier: FaultyTier
        let key: CacheTierKey
        let number: Int

        func renew(for duration: Duration) async -> Bool { true }
        func end() async {
            tier.state.withLock { if $0.holders[key]?.number == number { $0.holders[key] = nil } }
        }
    }

    func append(_ purges: [CachePurge], namespace: String, within budget: Duration) async -> [CachePurge]? {
        let (stored, handlers) = state.withLock { state -> ([CachePurge]?, [@Sendable () -> Void]) in
            if state.fails() { return (nil, []) }
            if state.fails(0.05) { (state.log, state.lostLogs) = ([], state.lostLogs + 1) }
            var stored: [CachePurge] = []
            for var purge in purges {
                purge.stamp = max(purge.stamp, (state.log.last?.stamp ?? 0) + 1)
                state.log.append(purge)
                stored.append(purge)
            }
            // The purges are in the log, but the answer is lost.
            if state.fails() { return (nil, state.handlers) }
            return (stored, state.fails(0.5) ? [] : state.handlers)
        }
        for handler in handlers { handler() }
        return stored
    }

    func purges(
        after position: CachePurgePosition?, namespace: String, within budget: Duration
    ) async -> UnreadPurges? {
        state.withLock { state in
            if state.fails() { return nil }
            if state.log.isEmpty { return UnreadPurges(position: nil, purges: [], missed: 0) }
            let now = CachePurgePosition(logID: "\(state.lostLogs)", count: state.log.count)
            let known = position.map { $0.logID == now.logID ? $0.count : 0 } ?? 0
            return UnreadPurges(position: now, purges: Array(state.log.dropFirst(known)), missed: 0)
        }
    }

    func whenPurged(_ handler: @escaping @Sendable () -> Void) { state.withLock { $0.handlers.append(handler) } }
}

/// The way of one machine to a tier.
final class CutTier: CoordinatingCacheTier {
    private let tier: FaultyTier
    private let cut = Locked(false)

    init(_ tier: FaultyTier) { self.tier = tier }

    var isCut: Bool {
        get { cut.withLock { $0 } }
        set { cut.withLock { $0 = newValue } }
    }

    var rules: CacheTierRules { tier.rules }

    func entry(for key: CacheTierKey, within budget: Duration) async -> CacheTierEntry? {
        isCut ? nil : await tier.entry(for: key, within: budget)
    }

    func put(_ entry: CacheTierEntry, for key: CacheTierKey, within budget: Duration) async -> Bool {
        isCut ? false : await tier.put(entry, for: key, within: budget)
    }

    func remove(_ keys: [CacheTierKey], within budget: Duration) async -> Bool {
        isCut ? false : await tier.remove(keys, within: budget)
    }

    func lease(_ key: CacheTierKey, for duration: Duration, within budget: Duration) async -> CacheTierLeaseAnswer {
        isCut ? .unavailable : await tier.lease(key, for: duration, within: budget)
    }

    func append(_ purges: [CachePurge], namespace: String, within budget: Duration) async -> [CachePurge]? {
        isCut ? nil : await tier.append(purges, namespace: namespace, within: budget)
    }

    func purges(
        after position: CachePurgePosition?, namespace: String, within budget: Duration
    ) async -> UnreadPurges? {
        isCut ? nil : await tier.purges(after: position, namespace: namespace, within: budget)
    }

    func whenPurged(_ handler: @escaping @Sendable () -> Void) { tier.whenPurged(handler) }
}
