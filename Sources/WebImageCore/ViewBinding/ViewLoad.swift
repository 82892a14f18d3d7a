import Foundation

/// One load of one view: the operation that the caller holds, with exactly one final completion.
///
/// This does not depend on the loader: a cancel completes by itself, later deliveries are dropped, and a loader that
/// releases the completion without calling it ends the load.
final class ViewLoad: WebImageOperation {
    private struct State {
        var decisions = ViewLoadState()
        var operation: (any WebImageOperation)?
    }

    let key: String
    let generation: Int
    private let state = Locked(State())
    @MainActor let request: ViewLoadRequest
    /// Whether an image or an error was delivered, so that no listener still waits for this load.
    @MainActor var isSettled = false
    /// Whether the placeholder is not shown yet; it is skipped if an image arrives before the next drawing.
    @MainActor var holdsPlaceholder = false
    @MainActor private weak var binding: ImageViewBinding?
    @MainActor private var listeners: [ViewLoadListener]
    @MainActor private var context: RequestContext

    @MainActor init(
        key: String, generation: Int, request: ViewLoadRequest, listener: ViewLoadListener, binding: ImageViewBinding
    ) {
        self.key = key
        self.generation = generation
        self.request = request
        self.binding = binding
        listeners = [listener]
        context = Self.viewOnlyOptions.reduce(request.context) { $0.with($1, nil) }
    }

    /// Values that only the view uses; they do not make two loads of the same image differ.
    private static let viewOnlyOptions: [WebImageContextOption] = [
        .thumbnail, .cachedVariantAsPlaceholder, .placeholderHash,
    ]

    var isCancelled: Bool { state.withLock { $0.decisions.isCancelled } }

    func cancel() { cancel(replaced: false) }

    func cancel(replaced: Bool) {
        let (isNew, operation) = state.withLock { state in
            (state.decisions.cancel(replaced: replaced), state.operation)
        }
        guard isNew else { return }
        operation?.cancel()
        MainThread.run { self.deliver(ViewLoadResult(error: .cancelled)) }
    }

    /// Adds a listener that receives the results of this load as if it had started it.
    @MainActor func add(_ listener: ViewLoadListener) { listeners.append(listener) }

    // MARK: The loader

    /// Calls the loader; `thumbnail` is the measured size of the view in pixels.
    @MainActor func start(thumbnail: CGSize? = nil) {
        if let thumbnail { context.set(.imageThumbnailPixelSize, thumbnail) }
        guard let turn = state.withLock({ $0.decisions.start() }) else { return }
        let relay = ViewProgressRelay { [weak self] in self?.deliverProgress(received: $0, expected: $1, turn) }
        let releaseObserver = CompletionReleaseObserver { MainThread.run { self.loaderReleasedCompletion(turn) } }
        let operation = request.loader.loadImage(
            with: request.url, options: request.options, context: context.forRoles,
            progress: { received, expected, _ in relay.report(received: received, expected: expected) },
            completed: { image, data, error, cacheType, finished, _ in
                let result = ViewLoadResult(
                    image: image, data: data, error: error, cacheType: cacheType, finished: finished)
                // Move the releaseObserver along with the delivery; otherwise its release could overtake an earlier delivery.
                MainThread.run { [releaseObserver] in
                    withExtendedLifetime(releaseObserver) { self.deliver(result, turn) }
                }
            })
        attach(operation, turn)
    }

    /// Cancels the loader's work until ``resume()``; no listener is notified.
    @MainActor func pause() {
        let operation = state.withLock { state -> (any WebImageOperation)? in
            guard state.decisions.pause(hasOperation: state.operation != nil) else { return nil }
            return state.operation.take()
        }
        operation?.cancel()
    }

    @MainActor func resume() {
        if state.withLock({ $0.decisions.resumes }) { start() }
    }

    /// Stores the loader's operation; cancels it if the load was cancelled or paused while it started.
    private func attach(_ operation: any WebImageOperation, _ turn: Int) {
        let isUnwanted = state.withLock { state in
            guard state.decisions.keepsOperation(ofTurn: turn) else { return state.decisions.cancelsOperations }
            state.operation = operation
            return false
        }
        if isUnwanted { operation.cancel() }
    }

    @MainActor private func loaderReleasedCompletion(_ turn: Int) {
        switch state.withLock({ $0.decisions.release(turn: turn) }) {
        case .ignore: break
        case .end:
            listeners = []
            state.withLock { $0.decisions.end() }
            detach()
        case .fail: deliver(ViewLoadResult(error: .abandoned(request.url)))
        }
    }

    // MARK: Deliveries

    @MainActor func deliver(_ result: ViewLoadResult, _ turn: Int? = nil) {
        let decisions = state.withLock { $0.decisions }
        guard decisions.receives(turn: turn) else { return }
        let result = decisions.isCancelled ? ViewLoadResult(error: .cancelled.with(url: request.url)) : result
        let isStale = decisions.isReplaced || binding?.isSuperseded(self) != false
        let isCancellation = result.error?.isCancellation == true
        let hasErrorImage =
            result.error != nil && !isCancellation && binding?.hasErrorImage(forKey: key) == true
        let delivery = ViewLoadState.Delivery(
            hasImage: result.image != nil, hasError: result.error != nil, isCancellation: isCancellation,
            finished: result.finished)
        let outcome = state.withLock {
            $0.decisions.deliver(
                delivery, isStale: isStale, hasErrorImage: hasErrorImage, options: request.options)
        }
        if outcome.action.display == .image { holdsPlaceholder = false } else { binding?.releasePlaceholder(of: self) }
        if result.finished, result.error == nil, !isStale { binding?.fillProgress(self) }
        if outcome.action.ends { detach() }
        if result.finished { binding?.recordEnd(self, result, thumbnail: context.thumbnailPixelSize) }
        show(outcome, result)
    }

    @MainActor private func deliverProgress(received: Int, expected: Int, _ turn: Int) {
        guard state.withLock({ $0.decisions.reports(turn: turn) }) else { return }
        binding?.update(self, received: received, expected: expected)
        for listener in listeners { listener.progress?(received, expected, request.url) }
    }

    /// Removes the ended load from the binding.
    @MainActor private func detach() {
        let operation = state.withLock { $0.operation.take() }
        binding?.forget(self)
        // Release here, outside the lock: an operation's deinit is foreign code.
        withExtendedLifetime(operation) {}
    }

    @MainActor private func show(_ outcome: ViewLoadState.Outcome, _ result: ViewLoadResult) {
        let completion = completion(outcome, result)
        switch outcome.action.display {
        case .keep: completion()
        case .image: put(result.image, result, completion)
        case .placeholder: put(request.placeholder, ViewLoadResult(), completion)
        case .errorImage: put(binding?.errorImage, ViewLoadResult(), completion)
        }
    }

    @MainActor private func put(_ image: Image?, _ shown: ViewLoadResult, _ completion: @escaping @MainActor () -> Void)
    {
        guard let binding else { return completion() }
        binding.show(image, shown, for: self, completion)
    }

    /// Returns the block that calls the listeners of a delivery, once.
    @MainActor private func completion(
        _ outcome: ViewLoadState.Outcome, _ result: ViewLoadResult
    ) -> @MainActor () -> Void {
        let notified = outcome.completes ? listeners : []
        // Remove the listeners early, so that their captures are released after they ran.
        if outcome.action.ends { listeners = [] }
        let url = request.url
        return {
            for listener in notified {
                listener.completed?(
                    result.image, result.data, result.error, result.cacheType, result.finished, url)
            }
        }
    }
}

/// An object captured by the completion that a loader stores; its deinit reports that the loader has released the
/// completion.
private final class CompletionReleaseObserver: Sendable {
    private let released: @Sendable () -> Void
    init(_ released: @escaping @Sendable () -> Void) { self.released = released }
    deinit { released() }
}

extension WebImageError {
    fileprivate static func abandoned(_ url: URL) -> WebImageError {
        WebImageError(
            .invalidDownloadOperation, stage: .request, url: url,
            underlying: .message("the loader released the load without completing it"))
    }
}
