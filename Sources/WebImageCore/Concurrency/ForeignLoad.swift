import Foundation

/// One call of a role that answers by callback: ended once, by its answer or by a cancel, whichever is first.
final class ForeignCall<Outcome: Sendable>: Sendable {
    private struct State {
        var continuation: Handover<Outcome>?
        var operation: (any WebImageOperation)?
        var outcome: Outcome?
    }

    private let state = Locked(State())

    func begin(_ continuation: Handover<Outcome>) {
        let known = state.withLock { state in
            if state.outcome == nil { state.continuation = continuation }
            return state.outcome
        }
        if let known { continuation.resume(returning: known) }
    }

    func started(_ operation: (any WebImageOperation)?) {
        let isOver = state.withLock { state in
            if state.outcome == nil { state.operation = operation }
            return state.outcome != nil
        }
        if isOver { operation?.cancel() }
    }

    var isOver: Bool { state.withLock { $0.outcome != nil } }

    func end(_ outcome: Outcome) {
        let operation = finish(outcome)
        // Released outside the lock: an operation's deinit is foreign code.
        withExtendedLifetime(operation) {}
    }

    func cancel(with outcome: Outcome) { finish(outcome)?.cancel() }

    /// Sets the outcome, unless there is one; returns the operation known by then. One that becomes known later finds
    /// the outcome, and is cancelled by ``started(_:)``.
    private func finish(_ outcome: Outcome) -> (any WebImageOperation)? {
        let (waiting, operation) = state.withLock { state in
            guard state.outcome == nil else {
                return (nil as Handover<Outcome>?, nil as (any WebImageOperation)?)
            }
            state.outcome = outcome
            defer { (state.continuation, state.operation) = (nil, nil) }
            return (state.continuation, state.operation)
        }
        waiting?.resume(returning: outcome)
        return operation
    }
}

typealias ForeignLoad = ForeignCall<Result<OriginalData, WebImageError>>
typealias ForeignQuery = ForeignCall<OriginalData?>
