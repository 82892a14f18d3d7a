import Foundation

/// One load of a manager, from cache query to delivery.
///
/// ``cancel()`` ends it with exactly one final completion, the error `.cancelled`; nothing is delivered after that.
public final class WebImageCombinedOperation: WebImageOperation {
    private struct State {
        var claim: CompletionClaim<LoadSink>
        var hasDeliveredCached = false
        var hasAskedLoader = false
        var received = -1
        /// Runs once after the end was claimed, by a cancel or by the final delivery.
        var whenEnded: (@Sendable () -> Void)?

        mutating func end(isCancel: Bool) -> End? {
            claim.claim(isCancel: isCancel).map { End(claimed: $0, whenEnded: whenEnded.take()) }
        }
    }

    /// The remaining work of the caller that ended the load; it runs outside the lock.
    private struct End {
        let claimed: CompletionClaim<LoadSink>.Claimed
        let whenEnded: (@Sendable () -> Void)?
    }

    private let url: URL?
    /// Nil for a load that was answered at once: such an operation is one small object.
    private let state: Locked<State>?
    private let priorities: LoadPriorityHandle?
    private let lane: DeliveryLane?

    /// A load that has ended.
    init(ended url: URL?) {
        self.url = url
        state = nil
        priorities = nil
        lane = nil
    }

    init(url: URL?, priority: LoadPriority, sink: LoadSink) {
        self.url = url
        priorities = LoadPriorityHandle(priority)
        lane = DeliveryLane()
        state = Locked(State(claim: CompletionClaim(sink)))
    }

    /// Whether ``cancel()`` was called before the operation ended.
    public var isCancelled: Bool { state?.withLock { $0.claim.isCancelled } ?? false }

    /// The priority of the load. A shared task runs at the highest priority of its subscribers. No effect after the end.
    public var priority: LoadPriority {
        get { priorities?.priority ?? .normal }
        set { priorities?.priority = newValue }
    }

    /// This load while it queries caches; nil once the loader was asked or the load has ended.
    public var cacheOperation: (any WebImageOperation)? {
        state?.withLock { !$0.claim.isClaimed && !$0.hasAskedLoader } == true ? self : nil
    }

    /// This load once the loader was asked; nil before.
    public var loaderOperation: (any WebImageOperation)? {
        state?.withLock { $0.hasAskedLoader } == true ? self : nil
    }

    /// Whether the end is still to come.
    var isActive: Bool { state?.withLock { !$0.claim.isClaimed } ?? false }

    /// Ends the load. On the main thread the completion runs before this returns.
    ///
    /// This call never waits. On a callback queue that runs several blocks at once, a callback that is already running
    /// finishes first, and `.cancelled` follows it.
    public func cancel() {
        // Claim the end before cancelling the task; otherwise the task's own result could be delivered instead of
        // `.cancelled`.
        let ended = state?.withLock { state in
            state.end(isCancel: true).map { (end: $0, isSilent: state.hasDeliveredCached) }
        }
        guard let (end, isSilent) = ended, let sink = end.claimed.receiver else { return }
        end.claimed.cancelAction?()
        end.whenEnded?()
        // A load that delivered its cached image has completed; only its refresh was cancelled.
        guard !isSilent || sink.queue == nil else { return }
        let delivery = LoadDelivery.failed(WebImageError.cancelled.with(url: url))
        guard let queue = sink.queue else { return sink.receive(delivery) }
        lane?.add(on: queue) { sink.receive(delivery) }
    }

    /// Starts the asynchronous part of the load, unless it was cancelled meanwhile.
    func start(
        whenEnded: @escaping @Sendable () -> Void, _ body: @escaping @Sendable (LoadPriorityHandle) async -> Void
    ) {
        guard let state, let priorities else { return }
        let isActive = state.withLock { state in
            if !state.claim.isClaimed { state.whenEnded = whenEnded }
            return !state.claim.isClaimed
        }
        guard isActive else { return whenEnded() }
        let task = Task.detached { await body(priorities) }
        if state.withLock({ $0.claim.setCancelAction { task.cancel() } }) { task.cancel() }
    }

    /// Forwards an event of the load; events after its end are dropped.
    func forward(_ event: LoadEvent) {
        switch event {
        case .bytes: break
        case .loaderStarted: state?.withLock { $0.hasAskedLoader = true }
        case .size(let size): if let sink = activeSink, sink.wantsSize { sink.receive(.size(size)) }
        case .partial(let image): deliver(.partial(image))
        case .progress(let received, let expected, let url):
            // A load that joined late may receive an older progress event after a newer one.
            let sink = state?.withLock { state -> LoadSink? in
                guard received >= state.received else { return nil }
                state.received = received
                return state.claim.receiver
            }
            sink?.receive(.progress(received: received, expected: expected, url: url))
        }
    }

    /// Delivers an image that comes before the final one.
    func deliver(_ delivery: LoadDelivery) {
        let sink = state?.withLock { state in
            if case .cached = delivery { state.hasDeliveredCached = !state.claim.isClaimed }
            return state.claim.receiver
        }
        guard let sink else { return }
        guard let queue = sink.queue else { return sink.receive(delivery) }
        lane?.add(on: queue) {
            // The cached image counts as a final completion, so a completion is due even if the load has ended meanwhile.
            if case .cached = delivery {
                sink.receive(self.isCancelled ? .failed(WebImageError.cancelled.with(url: self.url)) : delivery)
            } else if self.isActive {
                sink.receive(delivery)
            }
        }
    }

    /// Delivers the end once; later calls do nothing.
    ///
    /// On another queue the load ends when the delivery block runs. A ``cancel()`` before that moment takes precedence.
    func finish(_ delivery: LoadDelivery) {
        guard let queue = activeSink?.queue else { return claim()?.receive(delivery) ?? () }
        lane?.add(on: queue) { self.claim()?.receive(delivery) }
    }

    /// Claims the right to deliver the end; nil if it was claimed already.
    private func claim() -> LoadSink? {
        let end = state?.withLock { $0.end(isCancel: false) }
        end?.whenEnded?()
        return end?.claimed.receiver
    }

    private var activeSink: LoadSink? { state?.withLock { $0.claim.receiver } }
}
