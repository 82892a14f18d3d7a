/// Something under way that can be cancelled.
@preconcurrency public protocol WebImageOperation: Sendable {
    /// Ends it; idempotent, on any thread.
    func cancel()
    /// Whether ``cancel()`` was called before the end.
    var isCancelled: Bool { get }
}
