import Foundation
package import WebImageCore
package import WebImageLoading

/// A cache tier on a Valkey or Redis server, or on a cluster of them.
///
/// Keys are `wi1:<namespace>:{<digest>}`; `wi1` names the format, so that another format never reads these values.
/// Every value has an expiry, so that a server with an eviction policy for expiring keys can free memory.
package final class ValkeyTier: CacheTier {
    package struct Configuration: Sendable {
        /// The largest value, in bytes. A larger one raises the latency of all other clients of the server.
        package var mostValueBytes = 1 << 20
        package var breaker = CircuitBreaker.Configuration()

        package init() {}
    }

    private struct State {
        var breaker: CircuitBreaker
        var statistics = CacheTierStatistics()
    }

    private let server: any ValkeySending
    private let configuration: Configuration
    private let clock: any DelayClock
    private let state: Locked<State>

    package init(
        _ server: any ValkeySending, configuration: Configuration = Configuration(),
        clock: any DelayClock = SystemClock()
    ) {
        self.server = server
        self.configuration = configuration
        self.clock = clock
        state = Locked(State(breaker: CircuitBreaker(configuration.breaker)))
    }

    package var statistics: CacheTierStatistics {
        state.withLock { state in
            state.statistics.isOpen = state.breaker.isOpen
            return state.statistics
        }
    }

    package func entry(for key: CacheTierKey, within budget: Duration) async -> CacheTierEntry? {
        let name = Self.name(of: key)
        guard case .success(let value) = await call(["GET", .init(name)], key: name, within: budget) else { return nil }
        guard case .bulk(let bytes) = value else {
            count { $0.misses += 1 }
            return nil
        }
        let entry = CacheTierEnvelope.decode(bytes, for: key, mostValue: configuration.mostValueBytes)
        guard let entry, entry.remainingLifetime(at: clock.date) != nil else {
            // Compare before removing: another machine may have stored a good value meanwhile.
            count { $0.rejected += 1 }
            _ = await call(
                ["EVAL", .init(Self.removeIfEqual), "1", .init(name), .init(bytes)], key: name, within: budget)
            return nil
        }
        count {
            $0.hits += 1
            $0.readBytes += bytes.count
        }
        return entry
    }

    package func put(_ entry: CacheTierEntry, for key: CacheTierKey, within budget: Duration) async -> Bool {
        guard let remaining = entry.remainingLifetime(at: clock.date),
            let blocks = CacheTierEnvelope.encode(entry, for: key)
        else { return false }
        let size = blocks.reduce(0) { $0 + $1.count }
        guard size <= configuration.mostValueBytes else {
            count { $0.refusedBytes += size }
            return false
        }
        let name = Self.name(of: key)
        let lifetime = max(Int(min(remaining / .milliseconds(1), 1e12)), 1)
        let result = await call(
            ["SET", .init(name), .init(blocks), "PX", .init(lifetime)], key: name, within: budget)
        guard case .success = result else { return false }
        count {
            $0.stored += 1
            $0.writtenBytes += size
        }
        return true
    }

    package func remove(_ keys: [CacheTierKey], within budget: Duration) async -> Bool {
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

    private func call(
        _ words: [RESPCommand.Word], key: String, within budget: Duration
    ) async -> Result<RESPValue, ValkeyFailure> {
        let permission = state.withLock { $0.breaker.permission(at: clock.now) }
        guard permission != .refused else { return .failure(.open) }
        let result = await server.send(RESPCommand(words), forKey: key, within: budget)
        state.withLock { state in
            switch result {
            case .success, .failure(.refused): state.breaker.succeeded()
            case .failure(let failure) where failure.countsForBreaker:
                state.breaker.failed(permission, at: clock.now)
            case .failure: state.breaker.gaveUp(permission)
            }
            if case .failure(let failure) = result, failure != .cancelled { state.statistics.failures += 1 }
        }
        return result
    }

    private func count(_ change: (inout CacheTierStatistics) -> Void) { state.withLock { change(&$0.statistics) } }
}
