/// The final result of a piece of work. It is delivered exactly once: the first result is delivered, and later
/// results are ignored.
///
/// The handler can be set before or after the result. Handlers and cancel actions run outside the lock, on the
/// thread that ends the work. A handler or action that is set after the end of the work runs on the thread that
/// sets it.
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

    /// Whether the work ended because it was cancelled.
    package var isCancelled: Bool { state.withLock { $0.claim.isCancelled } }

    /// Sets the handler. If the result already exists, calls the handler before this method returns.
    package func whenCompleted(_ handler: @escaping Handler) {
        let value = state.withLock { state -> Value? in
            state.claim.setReceiver(handler) ? nil : state.value.take()
        }
        if let value { handler(value) }
    }

    /// Sets the action that stops the work. If the work was already cancelled, runs the action before this
    /// method returns. If the work ended in another way, releases the action.
    package func whenCancelled(_ action: @escaping @Sendable () -> Void) {
        if state.withLock({ $0.claim.setCancelAction(action) }) { action() }
    }

    /// Delivers the result. Returns false if a result was already delivered or claimed.
    @discardableResult
    package func complete(with value: Value) -> Bool { end(with: value, isCancel: false) }

    /// Ends the work with `value` and runs the cancel action. Returns false if the work has already ended.
    ///
    /// Claims the completion before the action runs. Otherwise the result of the work could be delivered
    /// instead of `value`.
    @discardableResult
    package func cancel(with value: Value) -> Bool { end(with: value, isCancel: true) }

    /// Claims the right to deliver the result and returns the handler. The caller must call the handler. Use this
    /// method if the handler must run on another queue.
    ///
    /// Returns nil if the result was already claimed. If no handler is set, claims the result and returns nil. A
    /// handler that is set later is never called.
    package func claim() -> Handler? { state.withLock { $0.claim.claim() }?.receiver }

    /// Does the same as ``claim()``. In addition, marks the work as cancelled and runs the cancel action before the
    /// method returns.
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
