/// The right to deliver the one end of a piece of work: the first claim takes the receiver, later ones get nothing.
///
/// The decisions of ``Completion`` as a value, for states in which more must change together with the end.
package struct CompletionClaim<Receiver> {
    /// What the first claim takes, to be used outside the lock that protects this value.
    package struct Claimed {
        package let receiver: Receiver?
        /// Stops the work. Nil for an end that is no cancel.
        package let cancelAction: (@Sendable () -> Void)?
        /// An action that is dropped is released with this, outside the lock: it may hold objects of the user's.
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

    /// Keeps the action that stops the work for a cancel. True when a cancel has come already: the caller runs it.
    package mutating func setCancelAction(_ action: @escaping @Sendable () -> Void) -> Bool {
        if !isClaimed { cancelAction = action }
        return isCancelled
    }

    /// Takes the end; nil when it has been claimed before.
    package mutating func claim(isCancel: Bool = false) -> Claimed? {
        guard !isClaimed else { return nil }
        (isClaimed, isCancelled) = (true, isCancel)
        return Claimed(receiver.take(), cancelAction.take(), isCancel: isCancel)
    }
}

extension CompletionClaim: Sendable where Receiver: Sendable {}
extension CompletionClaim.Claimed: Sendable where Receiver: Sendable {}

extension Optional {
    /// The value, leaving nil behind.
    package mutating func take() -> Wrapped? {
        defer { self = nil }
        return self
    }
}
