import CWebImageHTTPShim
import WebImageCore

/// A suspended request and the task that answers it. Only one reply to the request is possible.
final class PendingRequest: Sendable {
    private struct State {
        var isAnswered = false
        var isCancelled = false
        var task: Task<Void, Never>?
    }

    /// The C request. It is valid until the reply; ``claim()`` ensures that there is only one reply.
    let pointer: RequestPointer
    let connection: UInt64
    private let state = Locked(State())

    init(_ pointer: OpaquePointer, _ connection: UInt64) {
        self.pointer = RequestPointer(pointer: pointer)
        self.connection = connection
    }

    /// Returns true only to the first caller. That caller must send the reply.
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

/// The pointer to a C request. Sendable is safe because the request is suspended: libmicrohttpd does not use it before
/// the single reply.
struct RequestPointer: @unchecked Sendable {
    let pointer: OpaquePointer
}
