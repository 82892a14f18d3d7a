/// The next step of one load of a view: decisions only, performed by ``ViewLoad``.
///
/// It guarantees exactly one final completion, whatever the loader does: a cancel completes by itself, and deliveries
/// after the end or of an earlier turn are dropped.
struct ViewLoadState: Sendable {
    private enum Phase: Sendable, Equatable {
        /// The loader was not called yet.
        case waiting
        case loading
        /// The loader's work was cancelled until a resume.
        case paused
        case cancelled
        case ended(isCancelled: Bool)
    }

    /// The properties of a delivery that affect the decision.
    struct Delivery: Sendable {
        var hasImage = false
        var hasError = false
        var isCancellation = false
        var finished = true
    }

    /// The decision about a delivery.
    struct Outcome {
        let action: ViewLoadAction
        /// Whether the listeners' completion runs.
        let completes: Bool
    }

    /// The decision when a loader releases the completion without calling it.
    enum Release {
        case ignore
        /// After a cached image: there is no newer image.
        case end
        case fail
    }

    private var phase = Phase.waiting
    /// A paused load calls the loader again; deliveries of earlier turns are dropped.
    private var turn = 0
    /// Whether another load has replaced this one, so that nothing of it is shown.
    private(set) var isReplaced = false
    private var hasCompleted = false
    private var hasShownImage = false

    /// Whether a cancel came before the end.
    var isCancelled: Bool { phase == .cancelled || phase == .ended(isCancelled: true) }

    private var hasEnded: Bool { if case .ended = phase { true } else { false } }

    /// Starts a call of the loader. Returns its turn, or nil if the load is over.
    mutating func start() -> Int? {
        guard phase != .cancelled, !hasEnded else { return nil }
        phase = .loading
        turn += 1
        return turn
    }

    /// Whether the operation of a turn is stored; otherwise it is cancelled, unless the load has ended.
    func keepsOperation(ofTurn turn: Int) -> Bool { phase == .loading && self.turn == turn }

    /// Whether an operation that is not stored must be cancelled.
    var cancelsOperations: Bool { !hasEnded || isCancelled }

    /// Pauses the load; false if it has no operation or no listener waits.
    mutating func pause(hasOperation: Bool) -> Bool {
        guard phase == .loading, hasOperation, !hasCompleted else { return false }
        phase = .paused
        turn += 1
        return true
    }

    /// Whether the loader must be called again.
    var resumes: Bool { phase == .paused }

    /// Ends the load with `.cancelled`; false if it was cancelled before or has ended.
    mutating func cancel(replaced: Bool) -> Bool {
        guard !hasEnded else { return false }
        defer { phase = .cancelled }
        isReplaced = isReplaced || replaced
        return phase != .cancelled
    }

    /// Whether a delivery of a turn counts; nil means the load's own. After a cancel every delivery counts, as
    /// `.cancelled`.
    func receives(turn: Int?) -> Bool {
        !hasEnded && (turn == nil || turn == self.turn || phase == .cancelled)
    }

    /// Whether progress of a turn is forwarded.
    func reports(turn: Int) -> Bool { !hasEnded && phase != .cancelled && self.turn == turn }

    /// Handles the release of the completion of a turn.
    func release(turn: Int) -> Release {
        guard reports(turn: turn) else { return .ignore }
        return hasCompleted ? .end : .fail
    }

    /// Ends the load without a delivery.
    mutating func end() { phase = .ended(isCancelled: isCancelled) }

    mutating func deliver(
        _ delivery: Delivery, isStale: Bool, hasErrorImage: Bool, options: WebImageOptions
    ) -> Outcome {
        let action = ViewLoadAction(
            for: .init(
                hasImage: delivery.hasImage, hasError: delivery.hasError, finished: delivery.finished,
                isStale: isStale, hasErrorImage: hasErrorImage, hasShownImage: hasShownImage),
            options: options)
        if action.ends { end() }
        if action.display == .image { hasShownImage = hasShownImage || delivery.finished }
        // A cancel after the cached image of `.refreshCached` ends a load that has already completed.
        let completes = action.completes && !(hasCompleted && delivery.isCancellation)
        if completes, delivery.finished { hasCompleted = true }
        return Outcome(action: action, completes: completes)
    }
}
