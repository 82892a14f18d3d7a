import Foundation

/// One load of the manager's, from cache query to delivery.
///
/// ``cancel()`` ends it with exactly one final completion, the error `.cancelled`; nothing is delivered after that.
public final class WebImageCombinedOperation: WebImageOperation {
    private struct State {
        var completion: WebImageInternalCompletionBlock?
        var task: Task<Void, Never>?
        var isCancelled = false
        var whenEnded: (@Sendable () -> Void)?
    }

    private let url: URL?
    private let callbackQueue: CallbackQueue
    private let state: Locked<State>

    init(url: URL?, callbackQueue: CallbackQueue, completion: @escaping WebImageInternalCompletionBlock) {
        self.url = url
        self.callbackQueue = callbackQueue
        state = Locked(State(completion: completion))
    }

    /// Whether ``cancel()`` was called before the end.
    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Whether the final completion is still to come.
    var isActive: Bool { state.withLock { $0.completion != nil } }

    /// Ends the load; on main the completion runs before this returns.
    public func cancel() {
        let task = state.withLock { state -> Task<Void, Never>? in
            guard state.completion != nil else { return nil }
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
        finish(.failure(.cancelled))
    }

    /// Starts the part of the load that waits, unless it was cancelled meanwhile.
    func start(whenEnded: @escaping @Sendable () -> Void, _ body: @escaping @Sendable () async -> Void) {
        state.withLock { $0.whenEnded = whenEnded }
        let task = Task.detached { await body() }
        let isOver = state.withLock { state in
            state.task = task
            return state.completion == nil
        }
        if isOver { task.cancel() }
    }

    /// Delivers the final completion, the first time; later calls do nothing.
    func finish(_ outcome: Result<WebImageResult?, WebImageError>) {
        let (completion, whenEnded) = state.withLock { state in
            defer { (state.completion, state.whenEnded, state.task) = (nil, nil, nil) }
            return (state.completion, state.whenEnded)
        }
        guard let completion else { return }
        whenEnded?()
        let url = url
        callbackQueue.async {
            switch outcome {
            case .success(let result):
                completion(result?.image, result?.data, nil, result?.cacheType ?? .none, true, url)
            case .failure(let error):
                completion(nil, nil, error.with(url: url), .none, true, url)
            }
        }
    }
}
