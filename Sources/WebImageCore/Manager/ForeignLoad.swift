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
        let (waiting, operation) = state.withLock { state in
            guard state.outcome == nil else {
                return (nil as Handover<Outcome>?, nil as (any WebImageOperation)?)
            }
            state.outcome = outcome
            defer { (state.continuation, state.operation) = (nil, nil) }
            return (state.continuation, state.operation)
        }
        // Released outside the lock: an operation's deinit is foreign code.
        withExtendedLifetime(operation) {}
        waiting?.resume(returning: outcome)
    }

    func cancel(with outcome: Outcome) {
        let operation = state.withLock { $0.operation }
        end(outcome)
        operation?.cancel()
    }
}

typealias ForeignLoad = ForeignCall<Result<OriginalData, WebImageError>>
typealias ForeignQuery = ForeignCall<OriginalData?>
