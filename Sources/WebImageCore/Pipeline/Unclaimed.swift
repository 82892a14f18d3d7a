/// What a load has made, a body or a picture, until it is stored or found worthless; when everybody who wanted it was
/// cancelled before, it is handed on as it is dropped.
///
/// Between the last byte and the store a cancel may come at many places, on any thread: before the waiting are woken,
/// while the decode waits or runs, between two transformers. Being dropped is what all of them have in common.
final class Unclaimed: Sendable {
    private let isClaimed = Locked(false)
    private let keep: @Sendable () async -> Void

    /// - Parameter keep: Called at most once, in a task of its own: what drops the last of it may hold a lock.
    init(keep: @escaping @Sendable () async -> Void) { self.keep = keep }

    deinit {
        if isClaimed.withLock({ $0 }) { return }
        Task.detached { [keep] in await keep() }
    }

    func claim() { isClaimed.withLock { $0 = true } }
}
