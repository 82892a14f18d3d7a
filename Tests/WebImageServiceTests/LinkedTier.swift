import Foundation
import WebImageCore
import WebImageLoading
import WebImageTesting

/// A server with entries and a log of purges, which several machines reach.
final class TierServer: Sendable {
    struct State {
        var entries: [CacheTierKey: CacheTierEntry] = [:]
        /// The last ``CachePurge/most`` purges, and the number of those before them.
        var log: [CachePurge] = []
        var start = 0
        var removals = 0
        var handlers: [@Sendable () -> Void] = []
    }

    let state = Locked(State())
}

/// The tier of one machine. The way to the server can be cut.
final class LinkedTier: CoordinatingCacheTier {
    private let server: TierServer
    private let hasLog: Bool
    private let cut = Locked(false)
    private let refusing = Locked(false)
    private let readings = Locked(0)
    private let handler = Locked<(@Sendable () -> Void)?>(nil)

    init(_ server: TierServer, isCut: Bool = false, hasLog: Bool = true) {
        self.server = server
        self.hasLog = hasLog
        self.isCut = isCut
    }

    /// How often the log was read to its end.
    var readCount: Int { readings.withLock { $0 } }

    /// Waits until the machine has read the log after this call and has used what it read. That takes three readings: the
    /// first may have begun before this call, and the third begins after the second was used.
    func wasReadAgain() async -> Bool {
        let before = readCount
        return await eventually { readCount > before + 2 }
    }

    /// Whether the log confirms no line.
    var refusesPurges: Bool {
        get { refusing.withLock { $0 } }
        set { refusing.withLock { $0 = newValue } }
    }

    var isCut: Bool {
        get { cut.withLock { $0 } }
        set {
            cut.withLock { $0 = newValue }
            // As a tier does that is connected again.
            if !newValue { handler.withLock { $0 }?() }
        }
    }

    var rules: CacheTierRules {
        var rules = CacheTierRules()
        rules.hasPurgeLog = hasLog
        rules.purgeInterval = .milliseconds(50)
        return rules
    }

    func entry(for key: CacheTierKey, within budget: Duration) async -> CacheTierEntry? {
        isCut ? nil : server.state.withLock { $0.entries[key] }
    }

    func put(_ entry: CacheTierEntry, for key: CacheTierKey, within budget: Duration) async -> Bool {
        guard !isCut else { return false }
        server.state.withLock { $0.entries[key] = entry }
        return true
    }

    func remove(_ keys: [CacheTierKey], within budget: Duration) async -> Bool {
        guard !isCut else { return false }
        server.state.withLock { state in
            for key in keys where state.entries.removeValue(forKey: key) != nil { state.removals += 1 }
        }
        return true
    }

    func append(_ purges: [CachePurge], namespace: String, within budget: Duration) async -> [CachePurge]? {
        guard !isCut, !refusesPurges else { return nil }
        let (stored, handlers) = server.state.withLock { state in
            let stored = purges.map { purge in
                var purge = purge
                purge.stamp = max(purge.stamp, (state.log.last?.stamp ?? 0) + 1)
                state.log.append(purge)
                return purge
            }
            state.start += max(state.log.count - CachePurge.most, 0)
            state.log = state.log.suffix(CachePurge.most)
            return (stored, state.handlers)
        }
        for handler in handlers { handler() }
        return stored
    }

    func purges(after position: CachePurgePosition?, namespace: String, within budget: Duration) async -> UnreadPurges?
    {
        guard !isCut else { return nil }
        defer { readings.withLock { $0 += 1 } }
        let (log, start) = server.state.withLock { ($0.log, $0.start) }
        if log.isEmpty { return UnreadPurges(position: nil, purges: [], missed: 0) }
        let known = position?.count ?? 0
        return UnreadPurges(
            position: CachePurgePosition(logID: "log", count: start + log.count),
            purges: Array(log.dropFirst(max(known - start, 0))), missed: max(start - known, 0))
    }

    func whenPurged(_ handler: @escaping @Sendable () -> Void) {
        self.handler.withLock { $0 = handler }
        server.state.withLock { $0.handlers.append { [weak self] in if self?.isCut == false { handler() } } }
    }
}

/// The system's clock with another date.
struct ShiftedClock: DelayClock {
    private let shift: Locked<TimeInterval>

    init(shift: TimeInterval) { self.shift = Locked(shift) }

    var date: TimeInterval { SystemClock().date + shift.withLock { $0 } }
    var now: Duration { SystemClock().now }

    /// Changes the date, but no delay.
    func advance(by seconds: TimeInterval) { shift.withLock { $0 += seconds } }

    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any WebImageOperation {
        SystemClock().schedule(after: delay, work)
    }
}
