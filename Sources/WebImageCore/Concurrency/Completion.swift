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

/// The right to deliver the final result of a piece of work. The first claim returns the receiver. Every later
/// claim returns nil.
///
/// The type contains the logic of ``Completion`` as a value type without a lock. Use it if other state must change
/// under the same lock as the claim.
package struct CompletionClaim<Receiver> {
    /// The result of the first claim. Use and release this value outside the lock that protects the claim.
    package struct Claimed {
        package let receiver: Receiver?
        /// The action that stops the work. Nil unless the claim is a cancellation.
        package let cancelAction: (@Sendable () -> Void)?
        /// The cancel action, if the claim is not a cancellation. The action does not run. It is stored here so that
        /// it is released outside the lock: it can retain the user's objects, whose `deinit` must not run under a lock.
        private let droppedAction: (@Sendable () -> Void)?

        fileprivate init(_ receiver: Receiver?, _ action: (@Sendable () -> Void)?, isCancel: Bool) {
            self.receiver = receiver
            (cancelAction, droppedAction) = isCancel ? (action, nil) : (nil, action)
        }
    }

    /// The receiver of the result; nil before it is set and after the claim.
    package private(set) var receiver: Receiver?
    /// Whether the right to deliver the result has been claimed.
    package private(set) var isClaimed = false
    /// Whether the claim is a cancellation.
    package private(set) var isCancelled = false
    private var cancelAction: (@Sendable () -> Void)?

    package init(_ receiver: Receiver? = nil) { self.receiver = receiver }

    /// Sets the receiver. Returns false if the right to deliver the result has already been claimed.
    package mutating func setReceiver(_ receiver: Receiver) -> Bool {
        if !isClaimed { self.receiver = receiver }
        return !isClaimed
    }

    /// Stores the action that stops the work on a cancellation. If the work was already cancelled, returns true,
    /// and the caller must run the action.
    package mutating func setCancelAction(_ action: @escaping @Sendable () -> Void) -> Bool {
        if !isClaimed { cancelAction = action }
        return isCancelled
    }

    /// Claims the right to deliver the result. Returns nil if this right was already claimed.
    package mutating func claim(isCancel: Bool = false) -> Claimed? {
        guard !isClaimed else { return nil }
        (isClaimed, isCancelled) = (true, isCancel)
        return Claimed(receiver.take(), cancelAction.take(), isCancel: isCancel)
    }
}

extension CompletionClaim: Sendable where Receiver: Sendable {}
extension CompletionClaim.Claimed: Sendable where Receiver: Sendable {}

extension Optional {
    /// Returns the value and sets the optional to nil.
    @inlinable package mutating func take() -> Wrapped? {
        defer { self = nil }
        return self
    }
}

/// An operation that can be cancelled.
@preconcurrency public protocol WebImageOperation: Sendable {
    /// Cancels the operation. A second call has no effect. Safe on any thread.
    func cancel()
    /// Whether ``cancel()`` was called before the operation ended.
    var isCancelled: Bool { get }
}

/// The value that passes from a callback to the waiting task.
@usableFromInline package enum ValuePlace<Value: Sendable>: Sendable {
    case empty
    case value(Value)
    case taken

    @inlinable mutating func take() -> Value? {
        guard case .value(let value) = self else { return nil }
        self = .taken
        return value
    }
}

/// Passes a value to the task that waits in ``withValueContinuation(of:isolation:_:)``.
/// ``resume(returning:)`` must be called exactly once, on any thread.
@usableFromInline package struct ValueContinuation<Value: Sendable>: Sendable {
    // Not private, so that optimized builds specialise the functions in the other targets.
    @usableFromInline let place: Locked<ValuePlace<Value>>
    // Not a checked continuation, which needs an object: `resume(returning:)` itself checks that it is called once.
    @usableFromInline let continuation: UnsafeContinuation<Void, Never>

    @inlinable init(place: Locked<ValuePlace<Value>>, continuation: UnsafeContinuation<Void, Never>) {
        self.place = place
        self.continuation = continuation
    }

    @inlinable package func resume(returning value: Value) {
        place.withLock { place in
            guard case .empty = place else { preconditionFailure("resumed twice") }
            place = .value(value)
        }
        continuation.resume()
    }
}

/// Waits for the value of a callback, like `withCheckedContinuation`. The value is passed under a lock.
///
/// The lock takes about 20 ns and prevents false reports of the thread sanitizer. If a continuation is resumed
/// before its task suspends, the runtime correctly orders the write and the read of the value. The sanitizer
/// does not detect this order and reports the first read as a race. This was observed with Swift 6.3 on Linux,
/// with a `Dispatch` block that resumes with a new object.
@inlinable package func withValueContinuation<Value: Sendable>(
    of type: Value.Type = Value.self, isolation: isolated (any Actor)? = #isolation,
    _ start: (ValueContinuation<Value>) -> Void
) async -> Value {
    let place = Locked<ValuePlace<Value>>(.empty)
    await withUnsafeContinuation(isolation: isolation) { continuation in
        start(ValueContinuation(place: place, continuation: continuation))
    }
    guard let value = place.withLock({ $0.take() }) else { preconditionFailure("resumed without a value") }
    return value
}
