import Foundation

/// What a caller wants of one load of a view.
struct ViewLoadRequest: Sendable {
    var url: URL
    var placeholder: Image?
    var options: WebImageOptions
    var progress: ViewImageProgressBlock?
    var completed: ViewImageCompletedBlock?
    var setImage: ViewSetImageBlock?
}

/// What a loader delivers.
struct ViewLoadResult: Sendable {
    var image: Image?
    var data: Data?
    var error: WebImageError?
    var cacheType = ImageCacheType.none
    var finished = true
}

/// One load of one view: the operation its caller holds, and the promise of exactly one final completion.
///
/// The promise does not depend on the loader: a cancel completes by itself, and what arrives afterwards is dropped.
final class ViewLoad: WebImageOperation {
    private struct State {
        var isCancelled = false
        var hasEnded = false
        var operation: (any WebImageOperation)?
    }

    let key: String
    let generation: Int
    let request: ViewLoadRequest
    private let state = Locked(State())
    @MainActor private weak var binding: ImageViewBinding?
    @MainActor private var hasCompleted = false

    @MainActor init(key: String, generation: Int, request: ViewLoadRequest, binding: ImageViewBinding) {
        self.key = key
        self.generation = generation
        self.request = request
        self.binding = binding
    }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func cancel() {
        let (isNew, operation) = state.withLock { state in
            defer { if !state.hasEnded { state.isCancelled = true } }
            return (!state.hasEnded && !state.isCancelled, state.operation)
        }
        guard isNew else { return }
        operation?.cancel()
        MainThread.run { self.deliver(ViewLoadResult(error: .cancelled)) }
    }

    /// Keeps the loader's operation; cancels it when the load was cancelled while it was being started.
    func attach(_ operation: any WebImageOperation) {
        let isCancelled = state.withLock { state in
            if !state.hasEnded { state.operation = operation }
            return state.isCancelled
        }
        if isCancelled { operation.cancel() }
    }

    @MainActor func deliver(_ result: ViewLoadResult) {
        let (hasEnded, isCancelled) = state.withLock { ($0.hasEnded, $0.isCancelled) }
        guard !hasEnded else { return }
        let result = isCancelled ? ViewLoadResult(error: .cancelled.with(url: request.url)) : result
        let isStale = isCancelled || result.error?.isCancellation == true || binding?.isOvertaken(self) == true
        let action = ViewLoadAction(
            for: .init(
                hasImage: result.image != nil, hasError: result.error != nil, finished: result.finished,
                isStale: isStale),
            options: request.options)
        if result.finished, result.error == nil, !isStale { binding?.fillProgress(self) }
        if action.ends { end() }
        show(action.display, result)
        if action.completes { complete(result) }
    }

    @MainActor func deliverProgress(received: Int, expected: Int) {
        guard state.withLock({ !$0.hasEnded && !$0.isCancelled }) else { return }
        binding?.update(key, received: received, expected: expected)
        request.progress?(received, expected, request.url)
    }

    @MainActor private func end() {
        let operation = state.withLock { state in
            state.hasEnded = true
            defer { state.operation = nil }
            return state.operation
        }
        binding?.forget(self)
        // Released here, outside the lock: an operation's deinit is foreign code.
        withExtendedLifetime(operation) {}
    }

    @MainActor private func show(_ display: ViewLoadAction.Display, _ result: ViewLoadResult) {
        switch display {
        case .keep: break
        case .image: binding?.show(result.image, result, for: self)
        case .placeholder: binding?.show(request.placeholder, ViewLoadResult(), for: self)
        }
    }

    @MainActor private func complete(_ result: ViewLoadResult) {
        // A cancel after the cached image of `.refreshCached` ends a load that has already completed.
        if hasCompleted, result.error?.isCancellation == true { return }
        if result.finished { hasCompleted = true }
        request.completed?(result.image, result.error, result.cacheType, request.url)
    }
}
