package import Foundation
package import WebImageCore

/// The circuit breaker and the counters of a tier.
package final class CacheTierGuard<Failure: Error>: Sendable {
    /// What the end of a call says about the server.
    package enum Verdict: Sendable {
        /// The server works, and answered the question.
        case answer
        /// The server works, and refused the call.
        case refusal
        /// The server or the way to it failed.
        case fault
        /// The call did not reach the server.
        case unsent
        /// The caller gave up.
        case cancelled
    }

    private struct State {
        var breaker: CircuitBreaker
        var statistics = CacheTierStatistics()
    }

    private let open: Failure
    private let clock: any DelayClock
    private let judge: @Sendable (Failure) -> Verdict
    private let state: Locked<State>

    /// - Parameters:
    ///   - open: The failure of a call that the breaker refuses.
    ///   - judge: What a failure says about the server.
    package init(
        _ breaker: CircuitBreaker.Configuration, clock: any DelayClock, open: Failure,
        judge: @escaping @Sendable (Failure) -> Verdict
    ) {
        (self.open, self.clock, self.judge) = (open, clock, judge)
        state = Locked(State(breaker: CircuitBreaker(breaker)))
    }

    package var statistics: CacheTierStatistics {
        state.withLock { state in
            state.statistics.isOpen = state.breaker.isOpen
            return state.statistics
        }
    }

    package func count(_ change: (inout CacheTierStatistics) -> Void) { state.withLock { change(&$0.statistics) } }

    /// Performs a call unless the breaker is open, and records its end.
    package func call<Value>(_ body: () async -> Result<Value, Failure>) async -> Result<Value, Failure> {
        let permission = state.withLock { $0.breaker.permission(at: clock.now) }
        guard permission != .refused else { return .failure(open) }
        let result = await body()
        var verdict = Verdict.answer
        if case .failure(let failure) = result { verdict = judge(failure) }
        state.withLock { state in
            switch verdict {
            case .answer, .refusal: state.breaker.succeeded()
            case .fault: state.breaker.failed(permission, at: clock.now)
            case .unsent, .cancelled: state.breaker.gaveUp(permission)
            }
            switch verdict {
            case .answer, .cancelled: break
            case .refusal, .fault, .unsent: state.statistics.failures += 1
            }
        }
        return result
    }

    /// Returns the entry if it is valid; counts the hit.
    ///
    /// - Parameter size: The size of the stored form, in bytes.
    package func accepted(_ entry: CacheTierEntry?, size: Int) -> CacheTierEntry? {
        let entry = entry.flatMap { $0.remainingLifetime(at: clock.date) == nil ? nil : $0 }
        count { statistics in
            statistics.hits += entry == nil ? 0 : 1
            statistics.readBytes += entry == nil ? 0 : size
            statistics.rejected += entry == nil ? 1 : 0
        }
        return entry
    }

    /// The stored form of an entry and its size; nil if the entry has expired or is too large for the tier.
    package func blocks(
        of entry: CacheTierEntry, for key: CacheTierKey, most: Int
    ) -> (blocks: [Data], size: Int, lifetime: Duration)? {
        guard let lifetime = entry.remainingLifetime(at: clock.date),
            let blocks = CacheTierEnvelope.encode(entry, for: key)
        else { return nil }
        let size = blocks.reduce(0) { $0 + $1.count }
        guard size <= most else {
            count { $0.refusedBytes += size }
            return nil
        }
        return (blocks, size, lifetime)
    }

    /// Counts a stored entry.
    package func stored(_ size: Int) {
        count {
            $0.stored += 1
            $0.writtenBytes += size
        }
    }
}
