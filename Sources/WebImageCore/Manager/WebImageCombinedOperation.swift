import Foundation

/// One load of the manager's, from cache query to delivery.
///
/// ``cancel()`` ends it with exactly one final completion, the error `.cancelled`; nothing is delivered after that.
public final class WebImageCombinedOperation: WebImageOperation {
    private struct State {
        var claim: CompletionClaim<LoadSink>
        var hasDeliveredCached = false
        var hasAskedLoader = false
        var received = -1
        /// Runs once after the end was claimed, whoever claimed it.
        var whenEnded: (@Sendable () -> Void)?

        mutating func end(isCancel: Bool) -> End? {
            claim.claim(isCancel: isCancel).map { End(claimed: $0, whenEnded: whenEnded.take()) }
        }
    }

    /// What remains to be done outside the lock by the caller that ended the load.
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

    /// Whether ``cancel()`` was called before the end.
    public var isCancelled: Bool { state?.withLock { $0.claim.isCancelled } ?? false }

    /// When the load gets its turn; what it shares with others runs at the highest of theirs. No effect after the end.
    public var priority: LoadPriority {
        get { priorities?.priority ?? .normal }
        set { priorities?.priority = newValue }
    }

    /// This load while it looks into caches; nil before, after, and once the loader was asked.
    public var cacheOperation: (any WebImageOperation)? {
        state?.withLock { !$0.claim.isClaimed && !$0.hasAskedLoader } == true ? self : nil
    }

    /// This load once the loader was asked; nil before.
    public var loaderOperation: (any WebImageOperation)? {
        state?.withLock { $0.hasAskedLoader } == true ? self : nil
    }

    /// Whether the end is still to come.
    var isActive: Bool { state?.withLock { !$0.claim.isClaimed } ?? false }

    /// Ends the load; on main the completion runs before this returns. Never waits: on a queue that runs several blocks at
    /// once, a completion that runs already ends first, and `.cancelled` follows.
    public func cancel() {
        // The end is claimed before the task is cancelled: its own end could be delivered instead.
        let ended = state?.withLock { state in
            state.end(isCancel: true).map { (end: $0, isSilent: state.hasDeliveredCached) }
        }
        guard let (end, isSilent) = ended, let sink = end.claimed.receiver else { return }
        end.claimed.cancelAction?()
        end.whenEnded?()
        // A load that delivered its cached image has completed; the refresh alone was cancelled.
        guard !isSilent || sink.queue == nil else { return }
        let delivery = LoadDelivery.failed(WebImageError.cancelled.with(url: url))
        guard let queue = sink.queue else { return sink.receive(delivery) }
        lane?.add(on: queue) { sink.receive(delivery) }
    }

    /// Starts the part of the load that waits, unless it was cancelled meanwhile.
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

    /// Passes on news of the load; dropped after its end.
    func tell(_ news: LoadNews) {
        switch news {
        case .bytes: break
        case .loaderStarted: state?.withLock { $0.hasAskedLoader = true }
        case .size(let size): if let sink = activeSink, sink.wantsSize { sink.receive(.size(size)) }
        case .partial(let image): deliver(.partial(image))
        case .progress(let received, let expected, let url):
            // A load that joined late may receive old figures after new ones.
            let sink = state?.withLock { state -> LoadSink? in
                guard received >= state.received else { return nil }
                state.received = received
                return state.claim.receiver
            }
            sink?.receive(.progress(received: received, expected: expected, url: url))
        }
    }

    /// Delivers an image before the last one.
    func deliver(_ delivery: LoadDelivery) {
        let sink = state?.withLock { state in
            if case .cached = delivery { state.hasDeliveredCached = !state.claim.isClaimed }
            return state.claim.receiver
        }
        guard let sink else { return }
        guard let queue = sink.queue else { return sink.receive(delivery) }
        lane?.add(on: queue) {
            // The cached image counts as a final completion: something is due even when the load has ended meanwhile.
            if case .cached = delivery {
                sink.receive(self.isCancelled ? .failed(WebImageError.cancelled.with(url: self.url)) : delivery)
            } else if self.isActive {
                sink.receive(delivery)
            }
        }
    }

    /// Delivers the end, the first time; later calls do nothing.
    ///
    /// On another queue the load ends when the delivery gets its turn: a ``cancel()`` that comes before is heard instead.
    func finish(_ delivery: LoadDelivery) {
        guard let queue = activeSink?.queue else { return claim()?.receive(delivery) ?? () }
        lane?.add(on: queue) { self.claim()?.receive(delivery) }
    }

    /// Takes the right to deliver the end; nil when it is taken.
    private func claim() -> LoadSink? {
        let end = state?.withLock { $0.end(isCancel: false) }
        end?.whenEnded?()
        return end?.claimed.receiver
    }

    private var activeSink: LoadSink? { state?.withLock { $0.claim.receiver } }
}
