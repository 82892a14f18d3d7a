public import Dispatch
public import WebImage

extension CallbackQueue {
    /// Creates a callback queue from a dispatch queue. A block runs inline if the caller already runs on that queue.
    public convenience init(dispatchQueue queue: DispatchQueue) { self.init(queue: queue) }

    /// Runs a block and waits until the block has ended. The block runs inline if the caller already runs on the queue,
    /// or if ``async(_:)`` would run the block inline.
    ///
    /// Exception: with the policy `.safeAsyncMainThread`, a call outside the main thread does not wait.
    @available(*, deprecated, message: "Use async(_:): waiting for a queue may block it for ever")
    public func sync(_ block: @escaping @Sendable () -> Void) { runWaiting(block) }
}
