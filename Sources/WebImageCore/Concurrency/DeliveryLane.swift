import Foundation

/// The deliveries of one load: run one after another in order, also on a queue that runs several blocks at once.
///
/// Where a block may run at once it runs before ``add(on:_:)`` returns, those that still wait before it; only when
/// another thread is running one it runs there, afterwards. Nothing waits.
final class DeliveryLane: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var isScheduled = false
        /// The thread that runs a block now.
        var runner: pthread_t?
    }

    private enum Action {
        case nothing
        case schedule
        /// Runs what waits, this block at the end.
        case drain
        /// Called from a block of this load that runs on this very thread.
        case runNested(after: [@Sendable () -> Void])
    }

    private let state = Locked(State())

    func add(on queue: CallbackQueue, _ body: @escaping @Sendable () -> Void) {
        let runsInline = queue.runsInline
        let action = state.withLock { state -> Action in
            if let runner = state.runner {
                guard runsInline, pthread_equal(runner, pthread_self()) != 0 else {
                    state.waiting.append(body)
                    return .nothing
                }
                defer { state.waiting = [] }
                return .runNested(after: state.waiting)
            }
            state.waiting.append(body)
            if runsInline { return .drain }
            defer { state.isScheduled = true }
            return state.isScheduled ? .nothing : .schedule
        }
        switch action {
        case .nothing: break
        case .runNested(let earlier):
            for body in earlier { body() }
            body()
        case .drain: drain()
        case .schedule:
            queue.async {
                self.state.withLock { $0.isScheduled = false }
                self.drain()
            }
        }
    }

    /// Runs what waits, unless another thread does.
    private func drain() {
        guard
            state.withLock({ state in
                guard state.runner == nil, !state.waiting.isEmpty else { return false }
                state.runner = pthread_self()
                return true
            })
        else { return }
        while let body = next() { body() }
    }

    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.runner = nil
            return nil
        }
    }
}
