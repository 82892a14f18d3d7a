public import Dispatch
public import WebImage

extension CallbackQueue {
    /// A queue of the caller's; blocks run inline when already on it.
    public convenience init(dispatchQueue queue: DispatchQueue) { self.init(queue: queue) }
}
