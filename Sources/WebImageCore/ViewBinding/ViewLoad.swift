import Foundation

/// One load of one view: the operation its caller holds, and the promise of exactly one final completion.
///
/// The promise does not depend on the loader: a cancel completes by itself, what arrives afterwards is dropped, and a
/// loader that lets go of the load without a word has ended it.
final class ViewLoad: WebImageOperation {
    private struct State {
        var isCancelled = false
        /// Whether another load has taken this one's place, so that nothing of it is shown any more.
        var isReplaced = false
        var hasEnded = false
        var operation: (any WebImageOperation)?
        /// Deliveries of earlier turns are dropped: a load that was paused is asked for again.
        var turn = 0
    }

    let key: String
    let generation: Int
    private let state = Locked(State())
    @MainActor let request: ViewLoadRequest
    @MainActor private(set) var isPaused = false
    /// Whether an image or a failure has been delivered, so that nobody waits for this load any more.
    @MainActor var isSettled = false
    /// Whether the placeholder is still to be shown, unless a picture comes before anybody could see it.
    @MainActor var holdsPlaceholder = false
    @MainActor private weak var binding: ImageViewBinding?
    @MainActor private var listeners: [ViewLoadListener]
    @MainActor private var context: WebImageContext
    @MainActor private var hasCompleted = false
    @MainActor private var hasShownImage = false

    @MainActor init(
        key: String, generation: Int, request: ViewLoadRequest, listener: ViewLoadListener, binding: ImageViewBinding
    ) {
        self.key = key
        self.generation = generation
        self.request = request
        self.binding = binding
        listeners = [listener]
        context = request.context
        // Asked first: taking out what is not there would copy the dictionary.
        for key in Self.viewsOwn where context[key] != nil { context[key] = nil }
    }

    /// The view's own business, which must not make two loads of the same picture differ.
    private static let viewsOwn: [WebImageContextOption] = [
        .thumbnail, .cachedVariantAsPlaceholder, .placeholderHash,
    ]

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func cancel() { cancel(replaced: false) }

    func cancel(replaced: Bool) {
        let (isNew, operation) = state.withLock { state in
            defer {
                if !state.hasEnded {
                    state.isCancelled = true
                    state.isReplaced = state.isReplaced || replaced
                }
            }
            return (!state.hasEnded && !state.isCancelled, state.operation)
        }
        guard isNew else { return }
        operation?.cancel()
        MainThread.run { self.deliver(ViewLoadResult(error: .cancelled)) }
    }

    /// Adds somebody who hears of this load as if he had asked for it.
    @MainActor func add(_ listener: ViewLoadListener) { listeners.append(listener) }

    // MARK: The loader

    /// Asks the loader; `thumbnail` is the box in pixels that the view was found to have.
    @MainActor func start(thumbnail: CGSize? = nil) {
        if let thumbnail { context[.imageThumbnailPixelSize] = thumbnail }
        let turn: Int? = state.withLock { state in
            guard !state.hasEnded, !state.isCancelled else { return nil }
            state.turn += 1
            return state.turn
        }
        guard let turn else { return }
        let relay = ViewProgressRelay { [weak self] in self?.deliverProgress(received: $0, expected: $1, turn) }
        let grip = LoaderGrip { MainThread.run { self.loaderLetGo(turn) } }
        let operation = request.loader.loadImage(
            with: request.url, options: request.options, context: context,
            progress: { received, expected, _ in relay.report(received: received, expected: expected) },
            completed: { image, data, error, cacheType, finished, _ in
                let result = ViewLoadResult(
                    image: image, data: data, error: error, cacheType: cacheType, finished: finished)
                // The grip travels along: letting go must not overtake what was delivered before.
                MainThread.run { [grip] in withExtendedLifetime(grip) { self.deliver(result, turn) } }
            })
        attach(operation, turn)
    }

    /// Gives the loader's work up until ``resume()``; nobody hears of it.
    @MainActor func pause() {
        guard !isPaused, !hasCompleted else { return }
        let operation = state.withLock { state -> (any WebImageOperation)? in
            guard !state.hasEnded, !state.isCancelled else { return nil }
            state.turn += 1
            defer { state.operation = nil }
            return state.operation
        }
        guard let operation else { return }
        isPaused = true
        operation.cancel()
    }

    @MainActor func resume() {
        guard isPaused else { return }
        isPaused = false
        start()
    }

    /// Keeps the loader's operation; cancels it when the load was cancelled while it was being started.
    private func attach(_ operation: any WebImageOperation, _ turn: Int) {
        let isUnwanted = state.withLock { state in
            if !state.hasEnded, state.turn == turn { state.operation = operation }
            return state.isCancelled || (state.turn != turn && !state.hasEnded)
        }
        if isUnwanted { operation.cancel() }
    }

    @MainActor private func loaderLetGo(_ turn: Int) {
        guard state.withLock({ !$0.hasEnded && !$0.isCancelled && $0.turn == turn }) else { return }
        // After a cached image it means that there is no newer one.
        guard !hasCompleted else {
            listeners = []
            return end()
        }
        deliver(ViewLoadResult(error: .abandoned(request.url)))
    }

    // MARK: Deliveries

    @MainActor func deliver(_ result: ViewLoadResult, _ turn: Int? = nil) {
        let state = state.withLock { $0 }
        guard !state.hasEnded, turn == nil || turn == state.turn || state.isCancelled else { return }
        let result = state.isCancelled ? ViewLoadResult(error: .cancelled.with(url: request.url)) : result
        let isStale = state.isReplaced || binding?.isOvertaken(self) != false
        let failed = result.error.map { !$0.isCancellation } ?? false
        let action = ViewLoadAction(
            for: .init(
                hasImage: result.image != nil, hasError: result.error != nil, finished: result.finished,
                isStale: isStale, hasErrorImage: failed && binding?.hasErrorImage(forKey: key) == true,
                hasShownImage: hasShownImage),
            options: request.options)
        if action.display == .image { holdsPlaceholder = false } else { binding?.releasePlaceholder(of: self) }
        if result.finished, result.error == nil, !isStale { binding?.fillProgress(self) }
        if action.ends { end() }
        if result.finished { binding?.settled(self, result, thumbnail: context[.imageThumbnailPixelSize] as? CGSize) }
        show(action, result)
    }

    @MainActor private func deliverProgress(received: Int, expected: Int, _ turn: Int) {
        guard state.withLock({ !$0.hasEnded && !$0.isCancelled && $0.turn == turn }) else { return }
        binding?.update(self, received: received, expected: expected)
        for listener in listeners { listener.progress?(received, expected, request.url) }
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

    @MainActor private func show(_ action: ViewLoadAction, _ result: ViewLoadResult) {
        let completion = completion(action, result)
        switch action.display {
        case .keep: completion()
        case .image:
            hasShownImage = hasShownImage || result.finished
            put(result.image, result, completion)
        case .placeholder: put(request.placeholder, ViewLoadResult(), completion)
        case .errorImage: put(binding?.errorImage, ViewLoadResult(), completion)
        }
    }

    @MainActor private func put(_ image: Image?, _ shown: ViewLoadResult, _ completion: @escaping @MainActor () -> Void)
    {
        guard let binding else { return completion() }
        binding.show(image, shown, for: self, completion)
    }

    /// What tells the listeners of a delivery, once.
    @MainActor private func completion(_ action: ViewLoadAction, _ result: ViewLoadResult) -> @MainActor () -> Void {
        // A cancel after the cached image of `.refreshCached` ends a load that has already completed.
        guard action.completes, !(hasCompleted && result.error?.isCancellation == true) else {
            if action.ends { listeners = [] }
            return {}
        }
        if result.finished { hasCompleted = true }
        let told = listeners
        // Kept no longer than needed, so that what a block captures is free after it has run.
        if action.ends { listeners = [] }
        let url = request.url
        return {
            for listener in told {
                listener.completed?(
                    result.image, result.data, result.error, result.cacheType, result.finished, url)
            }
        }
    }
}

/// Held by what a loader keeps of a load; its end tells that the loader has let go.
private final class LoaderGrip: Sendable {
    private let released: @Sendable () -> Void
    init(_ released: @escaping @Sendable () -> Void) { self.released = released }
    deinit { released() }
}

extension WebImageError {
    fileprivate static func abandoned(_ url: URL) -> WebImageError {
        WebImageError(
            .invalidDownloadOperation, stage: .request, url: url,
            underlying: .message("the loader let go of the load without completing it"))
    }
}
