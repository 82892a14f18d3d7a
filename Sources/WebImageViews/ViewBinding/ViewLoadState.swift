public import Foundation
import WebImageCore
import WebImageLoading

/// Decides the next step of one load of a view. ``ViewLoad`` performs the decisions.
///
/// It guarantees exactly one final completion, even if the loader breaks its contract. A cancel completes the load
/// without the loader. Each call of the loader is a turn. Deliveries of an earlier turn and deliveries after the end
/// are dropped.
struct ViewLoadState: Sendable {
    private enum Phase: Sendable, Equatable {
        /// The loader has not been called.
        case waiting
        case loading
        /// A pause has cancelled the loader's work. A resume calls the loader again.
        case paused
        case cancelled
        case ended(isCancelled: Bool)
    }

    /// The decision after a loader has released the completion block.
    enum Release {
        case ignore
        /// End the load, because it has delivered a cached image and there is no newer image.
        case end
        case fail
    }

    private var phase = Phase.waiting
    /// The number of the current call of the loader. A resumed load calls the loader again, and deliveries of earlier
    /// turns are dropped.
    private var turn = 0
    /// Whether another load has replaced this load. If so, the view shows no image of this load.
    private(set) var isReplaced = false
    private var hasCompleted = false
    private var hasShownImage: Bool

    /// - Parameter hasShownImage: Whether the view already shows the picture that the load requests again. The view
    ///   then keeps this picture if the load fails.
    init(hasShownImage: Bool = false) { self.hasShownImage = hasShownImage }

    /// Whether the load was cancelled before its end.
    var isCancelled: Bool { phase == .cancelled || phase == .ended(isCancelled: true) }

    private var hasEnded: Bool { if case .ended = phase { true } else { false } }

    /// Begins a call of the loader. Returns the turn of the call, or nil if the load was cancelled or has ended.
    mutating func start() -> Int? {
        guard phase != .cancelled, !hasEnded else { return nil }
        phase = .loading
        turn += 1
        return turn
    }

    /// Returns whether the operation that the loader returned for a turn must be stored. If false,
    /// ``cancelsOperations`` decides whether the operation must be cancelled.
    func keepsOperation(ofTurn turn: Int) -> Bool { phase == .loading && self.turn == turn }

    /// Whether an operation that is not stored must be cancelled.
    var cancelsOperations: Bool { !hasEnded || isCancelled }

    /// Pauses the load. Returns false if the load is not running, has no operation, or has already completed.
    mutating func pause(hasOperation: Bool) -> Bool {
        guard phase == .loading, hasOperation, !hasCompleted else { return false }
        phase = .paused
        turn += 1
        return true
    }

    /// Whether the load is paused, so that a resume must call the loader again.
    var resumes: Bool { phase == .paused }

    /// Cancels the load. Returns false if the load was already cancelled or has ended.
    mutating func cancel(replaced: Bool) -> Bool {
        guard !hasEnded else { return false }
        defer { phase = .cancelled }
        isReplaced = isReplaced || replaced
        return phase != .cancelled
    }

    /// Returns whether a delivery of a turn is accepted. A nil turn means that the load itself makes the delivery, for
    /// example after a cancel. After a cancel, every delivery is accepted, but is treated as `.cancelled`.
    func receives(turn: Int?) -> Bool {
        !hasEnded && (turn == nil || turn == self.turn || phase == .cancelled)
    }

    /// Returns whether the progress of a turn is forwarded.
    func reports(turn: Int) -> Bool { !hasEnded && phase != .cancelled && self.turn == turn }

    /// Decides how to continue after the loader has released the completion block of a turn.
    func release(turn: Int) -> Release {
        guard reports(turn: turn) else { return .ignore }
        return hasCompleted ? .end : .fail
    }

    /// Ends the load without a delivery.
    mutating func end() { phase = .ended(isCancelled: isCancelled) }

    mutating func deliver(
        _ delivery: LoadDelivery, isStale: Bool, hasErrorImage: Bool, options: WebImageOptions
    ) -> ViewLoadAction {
        var action = ViewLoadAction(
            for: delivery, isStale: isStale, hasErrorImage: hasErrorImage, hasShownImage: hasShownImage,
            options: options)
        if action.ends { end() }
        if action.display == .image { hasShownImage = hasShownImage || delivery.isFinished }
        // If the cached image of `.refreshCached` was delivered, the completion was already called. A cancel then ends
        // the load without another call.
        if hasCompleted, delivery.error?.isCancellation == true { action.completes = false }
        if action.completes, delivery.isFinished { hasCompleted = true }
        return action
    }
}

/// The state of the newest load under one operation key.
@MainActor public final class WebImageLoadState {
    /// The URL of the load.
    public var url: URL?
    /// The progress in bytes. The view creates this object when the view's progress is first read.
    public var progress: Progress?

    /// Creates an empty state.
    public init() {}
}
