public import Dispatch
public import WebImage

extension CallbackQueue {
    /// Makes a callback queue from a dispatch queue; a block runs inline when the caller is already on that queue.
    public convenience init(dispatchQueue queue: DispatchQueue) { self.init(queue: queue) }

    /// Runs a block before this returns, inline if already on the queue. Does not wait for the main queue from another thread.
    @available(*, deprecated, message: "Use async(_:): waiting for a queue may block it for ever")
    public func sync(_ block: @escaping @Sendable () -> Void) { runWaiting(block) }
}
