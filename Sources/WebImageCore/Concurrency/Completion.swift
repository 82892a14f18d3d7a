/// The final result of a piece of work, delivered exactly once: the first result counts, later ones are dropped.
///
/// The handler may be set before or after the result. Handlers and cancel actions run outside the lock, on the thread
/// that ends the work.
package final class Completion<Value: Sendable>: Sendable {
    package typealias Handler = @Sendable (Value) -> Void

    private struct State {
        var claim: CompletionClaim<Handler>
        /// The result that arrived before its handler was set.
        var value: Value?
    }

    private let state: Locked<State>

    package init(_ handler: Handler? = nil) { state = Locked(State(claim: CompletionClaim(handler))) }

    /// Whether the result has been claimed or delivered.
    package var isCompleted: Bool { state.withLock { $0.claim.isClaimed } }

    /// Whether a cancel ended the work.
    package var isCancelled: Bool { state.withLock { $0.claim.isCancelled } }

    /// Sets the handler. If the result exists already, calls the handler before this returns.
    package func whenCompleted(_ handler: @escaping Handler) {
        let value = state.withLock { state -> Value? in
            state.claim.setReceiver(handler) ? nil : state.value.take()
        }
        if let value { handler(value) }
    }

    /// Sets the action that stops the work. After a cancel, runs it before this returns; after any other end, drops it.
    package func whenCancelled(_ action: @escaping @Sendable () -> Void) {
        if state.withLock({ $0.claim.setCancelAction(action) }) { action() }
    }

    /// Delivers the result; returns false if one was delivered or claimed before.
    @discardableResult
    package func complete(with value: Value) -> Bool { end(with: value, isCancel: false) }

    /// Ends the work with `value` and runs the cancel action; returns false if the work has ended before.
    ///
    /// Claims the completion before the action runs; otherwise the work's own result could be delivered instead.
    @discardableResult
    package func cancel(with value: Value) -> Bool { end(with: value, isCancel: true) }

    /// Claims the right to deliver the result, for a handler that runs elsewhere; nil when claimed before or without a
    /// handler.
    package func claim() -> Handler? { state.withLock { $0.claim.claim() }?.receiver }

    /// Like ``claim()``, for a cancel. The cancel action has run when this returns.
    package func claimForCancel() -> Handler? {
        let claimed = state.withLock { $0.claim.claim(isCancel: true) }
        claimed?.cancelAction?()
        return claimed?.receiver
    }

    private func end(with value: Value, isCancel: Bool) -> Bool {
        let claimed = state.withLock { state in
            let claimed = state.claim.claim(isCancel: isCancel)
            if let claimed, claimed.receiver == nil { state.value = value }
            return claimed
        }
        claimed?.receiver?(value)
        claimed?.cancelAction?()
        return claimed != nil
    }
}
