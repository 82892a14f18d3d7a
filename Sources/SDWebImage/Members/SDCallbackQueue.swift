public import Dispatch
public import WebImage

extension CallbackQueue {
    /// A queue of the caller's; blocks run inline when already on it.
    public convenience init(dispatchQueue queue: DispatchQueue) { self.init(queue: queue) }

    /// Runs a block before this returns, inline when already on the queue; off main the main queue's is not waited for.
    @available(*, deprecated, message: "Use async(_:): waiting for a queue may block it for ever")
    public func sync(_ block: @escaping @Sendable () -> Void) { runWaiting(block) }
}
