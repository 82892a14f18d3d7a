import Foundation

/// The deliveries of one load: run one after another in order, even on a concurrent queue.
///
/// If a block may run inline, it and all waiting blocks before it run before ``add(on:_:)`` returns. If another thread
/// is running a block, that thread runs the new one afterwards. Nothing blocks.
final class DeliveryLane: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var isScheduled = false
        /// The thread that currently runs a block.
        var runner: pthread_t?
    }

    private enum Action {
        case nothing
        case schedule
        /// Runs the waiting blocks, this block last.
        case drain
        /// The caller is a block of this load on the same thread.
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

    /// Runs the waiting blocks, unless another thread is doing so.
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
