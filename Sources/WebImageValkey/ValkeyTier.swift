import Foundation
public import WebImageCore
public import WebImageLoading

/// A cache tier on a Valkey or Redis server, or on a cluster of them.
///
/// Keys are `wi1:<namespace>:{<digest>}`; `wi1` names the format, so that another format never reads these values.
/// Every value has an expiry, so that a server with an eviction policy for expiring keys can free memory. A tier is made at
/// once and connects in the background: until the server answers, every call is a miss.
public final class ValkeyTier: CacheTier, CoordinatingCacheTier {
    package struct Configuration: Sendable {
        /// The largest value, in bytes. A larger one raises the latency of all other clients of the server.
        package var mostValueBytes = 1 << 20
        package var breaker = CircuitBreaker.Configuration()

        package init() {}
    }

    private let server: any ValkeySending
    private let configuration: Configuration
    private let guarded: CacheTierGuard<ValkeyFailure>
    private let reports: ValkeyReports?
    private let clock: any DelayClock
    /// Whether the tier may hold the pictures of single users.
    public let isPrivate: Bool

    /// Opens a tier on a server.
    ///
    /// - Parameters:
    ///   - url: `valkey://[user[:password]@]host[:port][/database]`, with encryption `valkeys://`; `redis://` and
    ///     `rediss://` mean the same. `unix:///path/to/socket` connects to a Unix socket. The default port is 6379.
    ///   - isCluster: Whether the server is one node of a cluster.
    ///   - isPrivate: Whether the tier may hold the pictures of single users; see `CacheTier`.
    /// - Throws: `.invalidURL` with a hint that does not contain the password.
    public convenience init(
        url: String, isCluster: Bool = false, isPrivate: Bool = false
    ) throws(WebImageError) {
        let configuration = try ValkeyConnection.Configuration(url: url)
        self.init(
            isCluster ? ValkeyCluster(configuration) : ValkeyConnection(configuration), isPrivate: isPrivate)
    }

    /// - Parameter reports: Receives the events of the connections of `server`.
    package init(
        _ server: any ValkeySending, configuration: Configuration = Configuration(), isPrivate: Bool = false,
        reports: ValkeyReports? = nil, clock: any DelayClock = SystemClock()
    ) {
        self.isPrivate = isPrivate
        self.reports = reports
        self.server = server
        self.clock = clock
        self.configuration = configuration
        guarded = CacheTierGuard(configuration.breaker, clock: clock, open: .open) { failure in
            switch failure {
            case .refused: .refusal
            case .down, .late: .fault
            case .busy, .open: .unsent
            case .cancelled: .cancelled
            }
        }
    }

    /// Counters and leases.
    public var coordination: CacheTierCoordination? { CacheTierCoordination(self) }

    package var statistics: CacheTierStatistics { guarded.statistics }

    package var rules: CacheTierRules {
        var rules = CacheTierRules()
        rules.name = "valkey"
        rules.budget = .milliseconds(5)
        rules.writeBudget = .seconds(1)
        rules.hasPurgeLog = true
        // Larger values raise the latency of all clients of the server.
        rules.sizes = 0...max(configuration.mostValueBytes - (64 << 10), 0)
        return rules
    }

    /// Reads an entry. A value that is no entry of this key, or has expired, is removed.
    public func entry(for key: CacheTierKey, within budget: Duration) async -> CacheTierEntry? {
        let name = Self.name(of: key)
        guard case .success(let value) = await call(["GET", .init(name)], key: name, within: budget) else { return nil }
        guard case .bulk(let bytes) = value else {
            guarded.count { $0.misses += 1 }
            return nil
        }
        let found = CacheTierEnvelope.decode(bytes, for: key, mostValue: configuration.mostValueBytes)
        if let entry = guarded.accepted(found, size: bytes.count) {
            return await corrected(entry, of: name, within: budget)
        }
        // Compare before removing: another machine may have stored a good value meanwhile.
        _ = await call(["EVAL", .init(Self.removeIfEqual), "1", .init(name), .init(bytes)], key: name, within: budget)
        return nil
    }

    /// Corrects the time of an entry whose writer's clock is ahead. The server's own clock knows how long it has held the entry.
    private func corrected(_ entry: CacheTierEntry, of name: String, within budget: Duration) async -> CacheTierEntry {
        let now = clock.date
        guard entry.stored > now + 1,
            case .success(.integer(let left)) = await call(["PTTL", .init(name)], key: name, within: budget), left > 0
        else { return entry }
        var entry = entry
        let stored = now - max(entry.lifetime / .seconds(1) - Double(left) / 1000, 0)
        (entry.clockAhead, entry.stored) = (entry.stored - stored, stored)
        return entry
    }

    /// Stores an entry of at most 1 MiB.
    @discardableResult
    public func put(_ entry: CacheTierEntry, for key: CacheTierKey, within budget: Duration) async -> Bool {
        guard let stored = guarded.blocks(of: entry, for: key, most: configuration.mostValueBytes) else { return false }
        let name = Self.name(of: key)
        let lifetime = max(Int(min(stored.lifetime / .milliseconds(1), 1e12)), 1)
        let result = await call(
            ["SET", .init(name), .init(stored.blocks), "PX", .init(lifetime)], key: name, within: budget)
        guard case .success = result else { return false }
        guarded.stored(stored.size)
        return true
    }

    /// Removes entries.
    @discardableResult
    public func remove(_ keys: [CacheTierKey], within budget: Duration) async -> Bool {
        // One command for each key: the keys of one command must be on one node of a cluster. The commands are
        // pipelined, a bounded number at a time.
        var removesAll = true
        for batch in stride(from: 0, to: keys.count, by: 256).map({ keys[$0..<min($0 + 256, keys.count)] }) {
            await withTaskGroup(of: Bool.self) { group in
                for key in batch {
                    group.addTask {
                        let name = Self.name(of: key)
                        if case .failure = await self.call(["DEL", .init(name)], key: name, within: budget) {
                            return false
                        }
                        return true
                    }
                }
                for await isRemoved in group where !isRemoved { removesAll = false }
            }
        }
        return removesAll
    }

    /// A lease: a key with a random token, which ends by itself.
    private struct Lease: CacheTierLease {
        let tier: ValkeyTier
        let name: String
        let token: String
        let budget: Duration

        func renew(for duration: Duration) async -> Bool {
            let time = max(Int(duration / .milliseconds(1)), 1)
            let result = await tier.call(
                ["EVAL", .init(ValkeyTier.extendIfEqual), "1", .init(name), .init(token), .init(time)], key: name,
                within: budget)
            return (try? result.get()) == .integer(1)
        }

        func end() async {
            _ = await tier.call(
                ["EVAL", .init(ValkeyTier.removeIfEqual), "1", .init(name), .init(token)], key: name, within: budget)
        }
    }

    /// The least time for a renewal or an end, which do not delay a load.
    private static let leaseBudget = Duration.milliseconds(200)

    package func lease(
        _ key: CacheTierKey, for duration: Duration, within budget: Duration
    ) async -> CacheTierLeaseAnswer {
        let lease = Lease(
            tier: self, name: "wi1l:\(key.namespace):{\(key.digest)}",
            token: String(UInt64.random(in: .min ... .max), radix: 36)
                + String(UInt64.random(in: .min ... .max), radix: 36), budget: max(budget, Self.leaseBudget))
        let time = max(Int(duration / .milliseconds(1)), 1)
        let result = await call(
            ["SET", .init(lease.name), .init(lease.token), "NX", "PX", .init(time)], key: lease.name, within: budget)
        switch result {
        case .success(.text("OK")): return .taken(lease)
        case .success(.null): return .held
        default: return .unavailable
        }
    }

    private static let removeIfEqual =
        "if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) end return 0"
    private static let extendIfEqual =
        "if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('pexpire',KEYS[1],ARGV[2]) end return 0"

    /// The braces name the part of the key from which a cluster computes the slot, so that an entry and its lease are
    /// on one server.
    static func name(of key: CacheTierKey) -> String { "wi1:\(key.namespace):{\(key.digest)}" }

    // MARK: Purges

    package func append(
        _ purges: [CachePurge], namespace: String, within budget: Duration
    ) async -> [CachePurge]? {
        let log = ValkeyPurgeLog(namespace: namespace)
        let command = log.appendCommand(purges, newLogID: String(UInt64.random(in: .min ... .max), radix: 36))
        guard case .success(let answer) = await call(command, key: log.head, within: budget) else { return nil }
        return ValkeyPurgeLog.stamped(purges, by: answer)
    }

    package func purges(
        after position: CachePurgePosition?, namespace: String, within budget: Duration
    ) async -> UnreadPurges? {
        let log = ValkeyPurgeLog(namespace: namespace)
        let command = log.readCommand(after: position)
        guard case .success(let answer) = await call(command, key: log.head, within: budget) else { return nil }
        return ValkeyPurgeLog.unread(in: answer, after: position)
    }

    package func whenPurged(_ handler: @escaping @Sendable () -> Void) { reports?.whenPurged(handler) }

    private func call(
        _ words: [RESPCommand.Word], key: String, within budget: Duration
    ) async -> Result<RESPValue, ValkeyFailure> {
        await guarded.call { await self.server.send(RESPCommand(words), forKey: key, within: budget) }
    }
}
