/// An operation that can be cancelled.
@preconcurrency public protocol WebImageOperation: Sendable {
    /// Cancels the operation. A second call has no effect. Safe on any thread.
    func cancel()
    /// Whether ``cancel()`` was called before the operation ended.
    var isCancelled: Bool { get }
}
