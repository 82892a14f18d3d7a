/// The end of a piece of work, delivered exactly once: the first end counts, later ones are dropped.
///
/// The handler may be set before or after the end. Handlers and cancel actions run outside the lock, on the thread
/// that ends the work.
package final class Completion<Value: Sendable>: Sendable {
    package typealias Handler = @Sendable (Value) -> Void

    private struct State {
        var claim: CompletionClaim<Handler>
        /// The end that came before its handler.
        var value: Value?
    }

    private let state: Locked<State>

    package init(_ handler: Handler? = nil) { state = Locked(State(claim: CompletionClaim(handler))) }

    /// Whether the end has been claimed or delivered.
    package var isCompleted: Bool { state.withLock { $0.claim.isClaimed } }

    /// Whether a cancel ended the work.
    package var isCancelled: Bool { state.withLock { $0.claim.isCancelled } }

    /// Sets the handler of the end; calls it before this returns if the end has come already.
    package func whenCompleted(_ handler: @escaping Handler) {
        let value = state.withLock { state -> Value? in
            state.claim.setReceiver(handler) ? nil : state.value.take()
        }
        if let value { handler(value) }
    }

    /// Sets the action that stops the work; runs it before this returns after a cancel, drops it after any other end.
    package func whenCancelled(_ action: @escaping @Sendable () -> Void) {
        if state.withLock({ $0.claim.setCancelAction(action) }) { action() }
    }

    /// Delivers the end; false when it has come before.
    @discardableResult
    package func complete(with value: Value) -> Bool { end(with: value, isCancel: false) }

    /// Ends the work with `value` and runs the cancel action; false when the end has come before.
    ///
    /// The end is claimed before the action runs, so that the work's own end cannot be delivered instead.
    @discardableResult
    package func cancel(with value: Value) -> Bool { end(with: value, isCancel: true) }

    /// Takes the right to deliver the end, for a handler that runs elsewhere; nil when it is taken or has no handler.
    package func claim() -> Handler? { state.withLock { $0.claim.claim() }?.receiver }

    /// ``claim()`` for a cancel. The cancel action has run when this returns.
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
