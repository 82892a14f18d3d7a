import Foundation

/// Runs the callbacks of one load one after another, in the order in which they were added, even on a
/// concurrent queue.
///
/// If the queue allows a new block to run inline, ``add(on:_:)`` runs all waiting blocks and then the new block
/// before it returns. There is one exception: if another thread is running a block of the load, that thread later
/// runs the new block. No thread ever waits for another thread.
package final class DeliveryLane: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var isScheduled = false
        /// The thread that currently runs a block.
        var runner: pthread_t?
    }

    private enum Action {
        case nothing
        case schedule
        /// Run the waiting blocks. The new block is the last of them.
        case drain
        /// Run the waiting blocks and then the new block immediately, inside the block that is running on this thread.
        /// That block has added the new block.
        case runNested(after: [@Sendable () -> Void])
    }

    private let state = Locked(State())

    package init() {}

    package func add(on queue: CallbackQueue, _ body: @escaping @Sendable () -> Void) {
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

    /// Runs the waiting blocks, unless a thread is already running them.
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
