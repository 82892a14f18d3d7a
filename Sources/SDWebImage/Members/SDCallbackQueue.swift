public import Dispatch
public import WebImage

extension CallbackQueue {
    /// Creates a callback queue from a dispatch queue. A block runs inline when the caller is already on that queue.
    public convenience init(dispatchQueue queue: DispatchQueue) { self.init(queue: queue) }

    /// Runs a block synchronously, inline if the caller is already on the queue. Exception: it does not wait for the
    /// main queue from another thread.
    @available(*, deprecated, message: "Use async(_:): waiting for a queue may block it for ever")
    public func sync(_ block: @escaping @Sendable () -> Void) { runWaiting(block) }
}
