package import Foundation
package import WebImageCore
package import WebImageLoading

/// A cache tier in a bucket of an S3-compatible store.
///
/// Objects are named `<prefix>/wi1/<namespace>/<2 digits>/<digest>`; `wi1` names the format. A store does not remove
/// objects by their lifetime: an entry that has expired is a miss and is removed when it is read. For the others, set a
/// lifecycle rule of the store on the prefix, or call ``removeStored(before:within:)``.
package final class S3Tier: CacheTier {
    package struct Configuration: Sendable {
        /// The largest value, in bytes.
        package var mostValueBytes = 32 << 20
        package var breaker = CircuitBreaker.Configuration()

        package init() {}
    }

    private struct State {
        var breaker: CircuitBreaker
        var statistics = CacheTierStatistics()
        /// The last reported reason; each is reported once in a row.
        var reported: S3Failure?
    }

    package let client: S3Client
    private let configuration: Configuration
    private let clock: any DelayClock
    private let state: Locked<State>
    private let report: @Sendable (S3Failure) -> Void

    /// - Parameter report: Called on any thread for a failure that an operator must repair: a refused key, a missing
    ///   bucket, a wrong region. Called once until the store works again or fails in another way.
    package init(
        _ client: S3Client, configuration: Configuration = Configuration(), clock: any DelayClock = SystemClock(),
        report: @escaping @Sendable (S3Failure) -> Void = { _ in }
    ) {
        self.client = client
        self.configuration = configuration
        self.clock = clock
        self.report = report
        state = Locked(State(breaker: CircuitBreaker(configuration.breaker)))
    }

    package var statistics: CacheTierStatistics {
        state.withLock { state in
            state.statistics.isOpen = state.breaker.isOpen
            return state.statistics
        }
    }

    package func entry(for key: CacheTierKey, within budget: Duration) async -> CacheTierEntry? {
        let name = name(of: key)
        let most = configuration.mostValueBytes + CacheTierEnvelope.mostOverhead
        let result = await call { await self.client.get(name, most: most, within: budget) }
        guard case .success(let object) = result else {
            // An object that is too large was not stored by a tier with these limits.
            count { if result.failure == .missing { $0.misses += 1 } }
            if result.failure == .tooLarge { await reject(name, within: budget) }
            return nil
        }
        let entry = CacheTierEnvelope.decode(object.data, for: key, mostValue: configuration.mostValueBytes)
        guard let entry, entry.remainingLifetime(at: clock.date) != nil else {
            await reject(name, within: budget)
            return nil
        }
        count {
            $0.hits += 1
            $0.readBytes += object.data.count
        }
        return entry
    }

    /// Removes an object that is no valid entry. If another machine has just replaced it, its entry is lost: that costs
    /// a fetch. Not every store can compare before it removes.
    private func reject(_ name: String, within budget: Duration) async {
        count { $0.rejected += 1 }
        _ = await call { await self.client.remove(name, within: budget) }
    }

    package func put(_ entry: CacheTierEntry, for key: CacheTierKey, within budget: Duration) async -> Bool {
        guard entry.remainingLifetime(at: clock.date) != nil, let blocks = CacheTierEnvelope.encode(entry, for: key)
        else { return false }
        let size = blocks.reduce(0) { $0 + $1.count }
        guard size <= configuration.mostValueBytes + CacheTierEnvelope.mostOverhead else {
            count { $0.refusedBytes += size }
            return false
        }
        let data = blocks.reduce(into: Data(capacity: size)) { $0.append($1) }
        let result = await call { await self.client.put(data, at: self.name(of: key), within: budget) }
        guard case .success = result else { return false }
        count {
            $0.stored += 1
            $0.writtenBytes += size
        }
        return true
    }

    package func remove(_ keys: [CacheTierKey], within budget: Duration) async -> Bool {
        if keys.isEmpty { return true }
        let result = await call { await self.client.remove(keys.map(self.name(of:)), within: budget) }
        if case .success = result { return true }
        return false
    }

    /// Returns the number and the bytes of the objects of this tier, and the failure that ended the count.
    package func countStored(within budget: Duration) async -> (count: Int, bytes: Int, failure: S3Failure?) {
        let deadline = clock.now + budget
        var (count, bytes, token) = (0, 0, String?.none)
        repeat {
            switch await client.list(prefix: prefix, after: token, within: deadline - clock.now) {
            case .failure(let failure): return (count, bytes, failure)
            case .success(let page):
                count += page.entries.count
                bytes += page.entries.reduce(0) { $0 + $1.size }
                token = page.next
            }
        } while token != nil
        return (count, bytes, nil)
    }

    /// Removes the objects of this tier that were stored before a time, or all of them.
    ///
    /// - Parameter date: Seconds since 1970 by the clock of the store; nil removes all.
    /// - Returns: The number of removed objects, and the failure that ended the work.
    package func removeStored(
        before date: TimeInterval?, within budget: Duration
    ) async -> (removed: Int, failure: S3Failure?) {
        let deadline = clock.now + budget
        var (removed, token) = (0, String?.none)
        repeat {
            switch await client.list(prefix: prefix, after: token, within: deadline - clock.now) {
            case .failure(let failure): return (removed, failure)
            case .success(let page):
                let old = page.entries.filter { entry in
                    guard let date else { return true }
                    return entry.stored.map { $0 < date } ?? false
                }
                if case .failure(let failure) = await client.remove(old.map(\.key), within: deadline - clock.now) {
                    return (removed, failure)
                }
                removed += old.count
                token = page.next
            }
        } while token != nil
        return (removed, nil)
    }

    /// Tests which conditions the store enforces; see ``S3Client/testConditions(prefix:within:)``.
    package func testConditions(within budget: Duration) async -> Result<S3Conditions, S3Failure> {
        await client.testConditions(prefix: prefix, within: budget)
    }

    private var prefix: String {
        client.configuration.prefix.isEmpty ? "wi1/" : "\(client.configuration.prefix)/wi1/"
    }

    func name(of key: CacheTierKey) -> String { "\(prefix)\(key.namespace)/\(key.digest.prefix(2))/\(key.digest)" }

    private func call<Value>(_ body: () async -> Result<Value, S3Failure>) async -> Result<Value, S3Failure> {
        let permission = state.withLock { $0.breaker.permission(at: clock.now) }
        guard permission != .refused else { return .failure(.down("the circuit breaker is open")) }
        let result = await body()
        let failure = result.failure
        let isNew = state.withLock { state -> Bool in
            switch failure {
            case nil, .missing, .preconditionFailed, .tooLarge:
                state.breaker.succeeded()
                state.reported = nil
                return false
            case .cancelled:
                state.breaker.gaveUp(permission)
                return false
            case .some(let failure):
                state.statistics.failures += 1
                state.breaker.failed(permission, at: clock.now)
                guard failure.needsOperator, state.reported != failure else { return false }
                state.reported = failure
                return true
            }
        }
        if isNew, let failure { report(failure) }
        return result
    }

    private func count(_ change: (inout CacheTierStatistics) -> Void) { state.withLock { change(&$0.statistics) } }
}

extension S3Failure {
    /// Whether only a change of the configuration repairs this failure.
    var needsOperator: Bool {
        switch self {
        case .forbidden, .otherRegion, .unconfigured, .refused: true
        default: false
        }
    }
}

extension Result where Failure == S3Failure {
    /// The failure; nil for a success.
    var failure: S3Failure? { if case .failure(let failure) = self { failure } else { nil } }
}
