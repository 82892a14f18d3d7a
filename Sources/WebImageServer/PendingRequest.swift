import WebImageCore
import WebImageService

/// A request that a task answers. Only one reply to the request is possible.
final class PendingRequest: Sendable {
    private struct State {
        var isAnswered = false
        var isCancelled = false
        var task: Task<Void, Never>?
    }

    let request: ServiceRequest
    let connection: UInt64
    /// The reactor that serves the connection.
    let reactor: HTTPReactor
    private let state = Locked(State())

    init(_ request: ServiceRequest, connection: UInt64, reactor: HTTPReactor) {
        self.request = request
        self.connection = connection
        self.reactor = reactor
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
