import CWebImageHTTPShim
import WebImageCore

/// A request that was handed over, with its only reply and the task that makes it.
final class PendingRequest: Sendable {
    private struct State {
        var isAnswered = false
        var isCancelled = false
        var task: Task<Void, Never>?
    }

    /// Valid until the reply, which ``claim()`` allows once.
    let pointer: RequestPointer
    let connection: UInt64
    private let state = Locked(State())

    init(_ pointer: OpaquePointer, _ connection: UInt64) {
        self.pointer = RequestPointer(pointer: pointer)
        self.connection = connection
    }

    /// True for the first caller only; that caller must reply.
    func claim() -> Bool {
        state.withLock { state in
            defer { state.isAnswered = true }
            return !state.isAnswered
        }
    }

    func set(_ task: Task<Void, Never>) {
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            return state.task
        }?.cancel()
    }
}

/// A C request. Sendable is true because the server does not use a handed-over request until the one reply.
struct RequestPointer: @unchecked Sendable {
    let pointer: OpaquePointer
}
