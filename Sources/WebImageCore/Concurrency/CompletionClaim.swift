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
    package mutating func take() -> Wrapped? {
        defer { self = nil }
        return self
    }
}
