import Foundation

/// One call of a loader that answers by callback: ended once, by its answer or by a cancel, whichever is first.
final class ForeignLoad: Sendable {
    typealias Outcome = Result<OriginalData, WebImageError>

    private struct State {
        var continuation: CheckedContinuation<Outcome, Never>?
        var operation: (any WebImageOperation)?
        var outcome: Outcome?
    }

    private let state = Locked(State())

    func begin(_ continuation: CheckedContinuation<Outcome, Never>) {
        let known = state.withLock { state in
            if state.outcome == nil { state.continuation = continuation }
            return state.outcome
        }
        if let known { continuation.resume(returning: known) }
    }

    func started(_ operation: (any WebImageOperation)?) {
        let isOver = state.withLock { state in
            state.operation = operation
            return state.outcome != nil
        }
        if isOver { operation?.cancel() }
    }

    func end(_ outcome: Outcome) {
        let waiting = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
            guard state.outcome == nil else { return nil }
            state.outcome = outcome
            defer { state.continuation = nil }
            return state.continuation
        }
        waiting?.resume(returning: outcome)
    }

    func cancel() {
        let operation = state.withLock { $0.operation }
        end(.failure(.cancelled))
        operation?.cancel()
    }
}
