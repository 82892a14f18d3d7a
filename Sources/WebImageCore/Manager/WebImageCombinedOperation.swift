import Foundation

/// One load of the manager's, from cache query to delivery.
///
/// ``cancel()`` ends it with exactly one final completion, the error `.cancelled`; nothing is delivered after that.
public final class WebImageCombinedOperation: WebImageOperation {
    private struct State {
        var sink: LoadSink?
        var task: Task<Void, Never>?
        var isCancelled = false
        var hasDeliveredCached = false
        var hasAskedLoader = false
        var received = -1
        var whenEnded: (@Sendable () -> Void)?

        mutating func claim() -> End? {
            guard let sink else { return nil }
            defer { (self.sink, whenEnded, task) = (nil, nil, nil) }
            return End(sink: sink, task: task, whenEnded: whenEnded)
        }
    }

    /// What is left to do by whoever ends the load.
    private struct End {
        let sink: LoadSink
        let task: Task<Void, Never>?
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
        state = Locked(State(sink: sink))
    }

    /// Whether ``cancel()`` was called before the end.
    public var isCancelled: Bool { state?.withLock { $0.isCancelled } ?? false }

    /// When the load gets its turn; what it shares with others runs at the highest of theirs. No effect after the end.
    public var priority: LoadPriority {
        get { priorities?.priority ?? .normal }
        set { priorities?.priority = newValue }
    }

    /// This load while it looks into caches; nil before, after, and once the loader was asked.
    public var cacheOperation: (any WebImageOperation)? {
        state?.withLock { $0.sink != nil && !$0.hasAskedLoader } == true ? self : nil
    }

    /// This load once the loader was asked; nil before.
    public var loaderOperation: (any WebImageOperation)? {
        state?.withLock { $0.hasAskedLoader } == true ? self : nil
    }

    /// Whether the end is still to come.
    var isActive: Bool { state?.withLock { $0.sink != nil } ?? false }

    /// Ends the load; on main the completion runs before this returns. Never waits: on a queue that runs several blocks at
    /// once, a completion that runs already ends first, and `.cancelled` follows.
    public func cancel() {
        let taken = state?.withLock { state -> (End, isSilent: Bool)? in
            guard let end = state.claim() else { return nil }
            state.isCancelled = true
            return (end, state.hasDeliveredCached)
        }
        // The end is taken before the work hears of the cancel: the work's own end would be heard instead.
        guard let (end, isSilent) = taken else { return }
        end.task?.cancel()
        end.whenEnded?()
        let sink = end.sink
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
            if state.sink != nil { state.whenEnded = whenEnded }
            return state.sink != nil
        }
        guard isActive else { return whenEnded() }
        let task = Task.detached { await body(priorities) }
        let isOver = state.withLock { state in
            if state.sink != nil { state.task = task }
            return state.sink == nil
        }
        if isOver { task.cancel() }
    }

    /// Passes on news of the load; dropped after its end.
    func tell(_ news: LoadNews) {
        switch news {
        case .bytes: break
        case .loaderStarted: state?.withLock { $0.hasAskedLoader = true }
        case .size(let size): if let sink = activeSink, sink.wantsSize { sink.receive(.size(size)) }
        case .partial(let image): deliver(.partial(image))
        case .progress(let received, let expected, let url):
            // Who joined late may hear old figures after new ones.
            let sink = state?.withLock { state -> LoadSink? in
                guard received >= state.received else { return nil }
                state.received = received
                return state.sink
            }
            sink?.receive(.progress(received: received, expected: expected, url: url))
        }
    }

    /// Delivers an image before the last one.
    func deliver(_ delivery: LoadDelivery) {
        let sink = state?.withLock { state in
            if case .cached = delivery { state.hasDeliveredCached = state.sink != nil }
            return state.sink
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
        let end = state?.withLock { $0.claim() }
        end?.whenEnded?()
        return end?.sink
    }

    private var activeSink: LoadSink? { state?.withLock { $0.sink } }
}
