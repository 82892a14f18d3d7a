import Foundation
public import WebImageCore

/// The handle of one load of a manager, from the cache query to the delivery.
///
/// ``cancel()`` ends the load with exactly one final completion, which has the error `.cancelled`. Nothing is delivered
/// after this completion. With `.refreshCached`, the completion block may already have received the cached image. In
/// this case, a cancel delivers nothing.
public final class WebImageCombinedOperation: WebImageOperation {
    private struct State {
        var claim: CompletionClaim<DeliverySink>
        var hasDeliveredCached = false
        var hasAskedLoader = false
        var received = -1
        /// The URL of the newest progress event. The URL changes when the load tries an alternative source.
        var progressURL: URL?
        /// Runs once, after a cancel or the final delivery has claimed the completion.
        var whenEnded: (@Sendable () -> Void)?

        mutating func end(isCancel: Bool) -> End? {
            claim.claim(isCancel: isCancel).map { End(claimed: $0, whenEnded: whenEnded.take()) }
        }
    }

    /// The work that remains for the caller that has claimed the completion. This work runs outside the lock.
    private struct End {
        let claimed: CompletionClaim<DeliverySink>.Claimed
        let whenEnded: (@Sendable () -> Void)?
    }

    private let url: URL?
    /// Nil for a load that ended before `loadImage` returned. Such an operation allocates only one small object.
    private let state: Locked<State>?
    private let priorities: LoadPriorityHandle?
    private let lane: DeliveryLane?

    /// Creates the handle of a load that has already ended.
    init(ended url: URL?) {
        self.url = url
        state = nil
        priorities = nil
        lane = nil
    }

    init(url: URL?, priority: LoadPriority, sink: DeliverySink) {
        self.url = url
        priorities = LoadPriorityHandle(priority)
        lane = DeliveryLane()
        state = Locked(State(claim: CompletionClaim(sink)))
    }

    /// Whether ``cancel()`` was called before the operation ended.
    public var isCancelled: Bool { state?.withLock { $0.claim.isCancelled } ?? false }

    /// The priority of the load. A shared task runs at the highest priority of its subscribers. A change after the end
    /// of the load has no effect.
    public var priority: LoadPriority {
        get { priorities?.priority ?? .normal }
        set { priorities?.priority = newValue }
    }

    /// This operation while the load queries the caches; nil after the load has called the loader or has ended.
    public var cacheOperation: (any WebImageOperation)? {
        state?.withLock { !$0.claim.isClaimed && !$0.hasAskedLoader } == true ? self : nil
    }

    /// This operation after the load has called the loader; nil before the call.
    public var loaderOperation: (any WebImageOperation)? {
        state?.withLock { $0.hasAskedLoader } == true ? self : nil
    }

    /// Whether the load has not ended.
    var isActive: Bool { state?.withLock { !$0.claim.isClaimed } ?? false }

    /// Ends the load. If the callback queue is the main queue and the caller is on the main thread, the completion runs
    /// before this function returns.
    ///
    /// This function never waits. If a callback of this load is running on another thread, the completion with
    /// `.cancelled` runs after that callback has finished.
    public func cancel() {
        // Claim the completion before cancelling the task; otherwise the task's own result could be delivered instead
        // of `.cancelled`.
        let ended = state?.withLock { state in
            state.end(isCancel: true).map { (end: $0, isSilent: state.hasDeliveredCached) }
        }
        guard let (end, isSilent) = ended, let sink = end.claimed.receiver else { return }
        end.claimed.cancelAction?()
        end.whenEnded?()
        // If the load has delivered the cached image, the cancel affects only the refresh. Do not call the completion
        // block in this case. A sink without a queue always receives the end, because its caller waits for the end.
        guard !isSilent || sink.queue == nil else { return }
        let delivery = LoadDelivery.failed(WebImageError.cancelled.with(url: url))
        guard let queue = sink.queue else { return sink.receive(delivery) }
        lane?.add(on: queue) { sink.receive(delivery) }
    }

    /// Starts the asynchronous part of the load, unless the load was cancelled since its creation.
    ///
    /// - Parameter delay: The time for which the work continues after a cancel, if no other load has joined it.
    func start(
        endingAfter delay: Duration? = nil, whenEnded: @escaping @Sendable () -> Void,
        _ body: @escaping @Sendable (LoadPriorityHandle) async -> Void
    ) {
        guard let state, let priorities else { return }
        let isActive = state.withLock { state in
            if !state.claim.isClaimed { state.whenEnded = whenEnded }
            return !state.claim.isClaimed
        }
        guard isActive else { return whenEnded() }
        let task = Task.detached { await body(priorities) }
        let cancel: @Sendable () -> Void =
            if let delay {
                {
                    Task.detached {
                        try? await Task.sleep(for: delay)
                        task.cancel()
                    }
                }
            } else { { task.cancel() } }
        if state.withLock({ $0.claim.setCancelAction(cancel) }) { cancel() }
    }

    /// Forwards an event of the load. Events after the end of the load are dropped.
    func forward(_ event: StageEvent) {
        switch event {
        case .bytes: break
        case .loaderStarted: state?.withLock { $0.hasAskedLoader = true }
        case .size(let size): if let sink = activeSink, sink.wantsSize { sink.receive(.size(size)) }
        case .partial(let image): deliver(.partial(image))
        case .progress(let received, let expected, let url):
            // Drop a progress event that is older than the last event. A load that joins a running shared task may
            // receive events in the wrong order. For an alternative source with another URL, the count restarts at 0.
            let sink = state?.withLock { state -> DeliverySink? in
                guard received >= state.received || url != state.progressURL else { return nil }
                (state.received, state.progressURL) = (received, url)
                return state.claim.receiver
            }
            sink?.receive(.progress(received: received, expected: expected, url: url))
        }
    }

    /// Delivers an image that is not the final one: a partial image, or the cached image before its refresh.
    func deliver(_ delivery: LoadDelivery) {
        let sink = state?.withLock { state in
            if case .cached = delivery { state.hasDeliveredCached = !state.claim.isClaimed }
            return state.claim.receiver
        }
        guard let sink else { return }
        guard let queue = sink.queue else { return sink.receive(delivery) }
        lane?.add(on: queue) {
            // `cancel()` sends no completion after the delivery of the cached image was enqueued. If the load was
            // cancelled before this block runs, send `.cancelled` here instead of the image.
            if case .cached = delivery {
                sink.receive(self.isCancelled ? .failed(WebImageError.cancelled.with(url: self.url)) : delivery)
            } else if self.isActive {
                sink.receive(delivery)
            }
        }
    }

    /// Delivers the final result once. Later calls do nothing.
    ///
    /// With a callback queue, the load ends when the delivery block runs on this queue. A ``cancel()`` before that
    /// moment takes precedence.
    func finish(_ delivery: LoadDelivery) {
        guard let queue = activeSink?.queue else { return claim()?.receive(delivery) ?? () }
        lane?.add(on: queue) { self.claim()?.receive(delivery) }
    }

    /// Claims the completion and returns its receiver; nil if the completion was already claimed.
    private func claim() -> DeliverySink? {
        let end = state?.withLock { $0.end(isCancel: false) }
        end?.whenEnded?()
        return end?.claimed.receiver
    }

    private var activeSink: DeliverySink? { state?.withLock { $0.claim.receiver } }
}
