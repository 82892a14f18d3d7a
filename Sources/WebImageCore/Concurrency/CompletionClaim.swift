/// The right to deliver the final result of a piece of work: the first claim takes the receiver, later claims return
/// nil.
///
/// The logic of ``Completion`` as a value, for types in which other state must change together with the claim.
package struct CompletionClaim<Receiver> {
    /// The result of the first claim; use it outside the lock that protects the claim.
    package struct Claimed {
        package let receiver: Receiver?
        /// Stops the work. Nil unless a cancel claimed the end.
        package let cancelAction: (@Sendable () -> Void)?
        /// An unused cancel action, released with this value outside the lock, because it may hold the user's objects.
        private let droppedAction: (@Sendable () -> Void)?

        fileprivate init(_ receiver: Receiver?, _ action: (@Sendable () -> Void)?, isCancel: Bool) {
            self.receiver = receiver
            (cancelAction, droppedAction) = isCancel ? (action, nil) : (nil, action)
        }
    }

    /// Nil before it is set and once the end is claimed.
    package private(set) var receiver: Receiver?
    /// Whether the end has been claimed.
    package private(set) var isClaimed = false
    /// Whether a cancel claimed the end.
    package private(set) var isCancelled = false
    private var cancelAction: (@Sendable () -> Void)?

    package init(_ receiver: Receiver? = nil) { self.receiver = receiver }

    /// Sets the receiver; false when the end has been claimed.
    package mutating func setReceiver(_ receiver: Receiver) -> Bool {
        if !isClaimed { self.receiver = receiver }
        return !isClaimed
    }

    /// Stores the action that a cancel runs to stop the work. Returns true after a cancel: then the caller must run it.
    package mutating func setCancelAction(_ action: @escaping @Sendable () -> Void) -> Bool {
        if !isClaimed { cancelAction = action }
        return isCancelled
    }

    /// Claims the end; nil when it was claimed before.
    package mutating func claim(isCancel: Bool = false) -> Claimed? {
        guard !isClaimed else { return nil }
        (isClaimed, isCancelled) = (true, isCancel)
        return Claimed(receiver.take(), cancelAction.take(), isCancel: isCancel)
    }
}

extension CompletionClaim: Sendable where Receiver: Sendable {}
extension CompletionClaim.Claimed: Sendable where Receiver: Sendable {}

extension Optional {
    /// Returns the value and sets it to nil.
    package mutating func take() -> Wrapped? {
        defer { self = nil }
        return self
    }
}
