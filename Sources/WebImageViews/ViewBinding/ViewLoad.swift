import Foundation
package import WebImageCore
package import WebImageLoading

/// One load of one view. The caller receives this object as the operation of the load. The load has exactly one final
/// completion.
///
/// The final completion does not depend on the loader. A cancel completes the load without the loader, deliveries after
/// the end are dropped, and the load ends if the loader releases the completion block without calling it.
final class ViewLoad: WebImageOperation {
    private struct State {
        var decisions: ViewLoadState
        var operation: (any WebImageOperation)?
    }

    let key: String
    let generation: Int
    private let state: Locked<State>
    @MainActor private(set) var request: ViewLoadRequest
    /// Whether a result with `finished` = true was delivered, such as the cached image of `.refreshCached`. If so, the
    /// view's indicator no longer waits for this load.
    @MainActor var isSettled = false
    /// Whether the load still has to show its placeholder. If the loader delivers an image before `loadImage` returns,
    /// the placeholder is never shown.
    @MainActor var holdsPlaceholder = false
    /// Whether the view shows an image that a placeholder must not replace: an image of this load, also a partial
    /// image, or the earlier picture that this load refreshes.
    @MainActor private var showsImage: Bool
    /// Whether the load decodes the picture that the view shows again, for another size of the view. Such a load has no
    /// indicator, no transition and no failure.
    let isResizing: Bool
    /// The image that the view shows when the load begins, if it is another version of the same picture; nil if the image
    /// no longer exists.
    @MainActor private(set) weak var keptImage: Image?
    @MainActor private weak var binding: ImageViewBinding?
    @MainActor private var listeners: [ViewLoadListener]
    /// The values for the loader: those of the request without the values that only the view uses.
    @MainActor private var context: RequestContext

    @MainActor init(
        key: String, generation: Int, request: ViewLoadRequest, listener: ViewLoadListener, keeping kept: Image? = nil,
        replacing image: Image? = nil, binding: ImageViewBinding
    ) {
        let keepsImage = kept != nil || image != nil
        isResizing = image != nil
        keptImage = image ?? kept
        self.key = key
        self.generation = generation
        self.request = request
        self.binding = binding
        listeners = [listener]
        showsImage = keepsImage
        state = Locked(State(decisions: ViewLoadState(hasShownImage: keepsImage)))
        context = Self.viewOnlyOptions.reduce(request.context) { $0.with($1, nil) }
    }

    /// Context values that only the view uses. They are not passed to the loader.
    private static let viewOnlyOptions: [WebImageContextOption] = [
        .thumbnail, .cachedVariantAsPlaceholder, .placeholderHash,
    ]

    var isCancelled: Bool { state.withLock { $0.decisions.isCancelled } }

    /// The operation of the loader; nil before the loader has returned it.
    var loaderOperation: (any WebImageOperation)? { state.withLock { $0.operation } }

    /// Returns the operation of the loader, so that a cancel of this load does not cancel it.
    func takeOperation() -> (any WebImageOperation)? { state.withLock { $0.operation.take() } }

    func cancel() { cancel(replaced: false) }

    func cancel(replaced: Bool) {
        let (isNew, operation) = state.withLock { state in
            (state.decisions.cancel(replaced: replaced), state.operation)
        }
        guard isNew else { return }
        operation?.cancel()
        MainThread.run { self.deliver(.failed(.cancelled)) }
    }

    /// Adds the listener of an equal request. It receives the results of this load in the same way as the listener that
    /// started the load. The placeholder and the priority of the newer request apply.
    @MainActor func add(_ listener: ViewLoadListener, of newer: ViewLoadRequest) {
        listeners.append(listener)
        if newer.options.contains(.highPriority), !request.options.contains(.highPriority) {
            (state.withLock { $0.operation } as? WebImageCombinedOperation)?.priority = .high
        }
        let isNew = request.placeholder !== newer.placeholder
        request = newer
        guard isNew, !showsImage, !newer.options.contains(.delayPlaceholder) else { return }
        holdsPlaceholder = true
        binding?.releasePlaceholder(of: self)
    }

    // MARK: The loader

    /// Calls the loader. `thumbnail` is the measured size of the view in pixels.
    @MainActor func start(thumbnail: CGSize? = nil) {
        if let thumbnail { context.size = thumbnail }
        guard let turn = state.withLock({ $0.decisions.start() }) else { return }
        let relay = ViewProgressRelay { [weak self] in self?.deliverProgress(received: $0, expected: $1, turn) }
        let releaseObserver = CompletionReleaseObserver { MainThread.run { self.loaderReleasedCompletion(turn) } }
        let operation = load(
            progress: { received, expected, _ in relay.report(received: received, expected: expected) },
            completed: { image, data, error, cacheType, finished, _ in
                guard
                    let delivery = LoadDelivery(
                        image: image, data: data, error: error, cacheType: cacheType, finished: finished)
                else { return }
                // Let the delivery retain the `releaseObserver`. Otherwise the release could be handled before the
                // delivery.
                MainThread.run { [releaseObserver] in
                    withExtendedLifetime(releaseObserver) { self.deliver(delivery, turn) }
                }
            })
        attach(operation, turn)
    }

    @MainActor private func load(
        progress: @escaping ImageLoaderProgressBlock, completed: @escaping ViewImageLoadingCompletedBlock
    ) -> any WebImageOperation {
        // A manager takes the request itself. For another loader, the values must be converted to a dictionary.
        if let manager = request.loader as? WebImageManager {
            let request = ImageRequest(url: request.url, options: request.options, values: context)
            return manager.loadImage(with: request, progress: progress, completed: completed)
        }
        return request.loader.loadImage(
            with: request.url, options: request.options, context: context.dictionary, progress: progress,
            completed: completed)
    }

    /// Cancels the loader's work. ``resume()`` starts the work again. Notifies no listener.
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

    /// Stores the loader's operation. If the load was cancelled or paused while the loader started, cancels the
    /// operation.
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
        case .fail: deliver(.failed(.abandoned(request.url)))
        }
    }

    // MARK: Deliveries

    @MainActor func deliver(_ delivery: LoadDelivery, _ turn: Int? = nil) {
        let decisions = state.withLock { $0.decisions }
        guard decisions.receives(turn: turn) else { return }
        let delivery: LoadDelivery =
            decisions.isCancelled ? .failed(.cancelled.with(url: request.url)) : delivery
        let isStale = decisions.isReplaced || binding?.isSuperseded(self) != false
        let error = delivery.error
        let hasErrorImage =
            error.map { !$0.isCancellation } == true && binding?.hasErrorImage(forKey: key) == true
        // A failed refresh delivers the cached image with its error. The view already shows this image.
        let decided = if showsImage, let error { LoadDelivery.failed(error) } else { delivery }
        let action = state.withLock {
            $0.decisions.deliver(decided, isStale: isStale, hasErrorImage: hasErrorImage, options: request.options)
        }
        if action.display == .image {
            holdsPlaceholder = false
            showsImage = true
        } else {
            binding?.releasePlaceholder(of: self)
        }
        if delivery.isFinished, error == nil, !isStale { binding?.fillProgress(self) }
        if action.ends { detach() }
        if delivery.isFinished { binding?.recordEnd(self, delivery, thumbnail: context.size) }
        show(action, delivery)
    }

    @MainActor private func deliverProgress(received: Int, expected: Int, _ turn: Int) {
        guard state.withLock({ $0.decisions.reports(turn: turn) }) else { return }
        binding?.update(self, received: received, expected: expected)
        request.owner?.progress(received, expected, request.url)
        for listener in listeners { listener.progress?(received, expected, request.url) }
    }

    /// Removes the ended load from the binding.
    @MainActor private func detach() {
        let operation = state.withLock { $0.operation.take() }
        binding?.forget(self)
        // Release here, outside the lock, because the `deinit` of an operation may be user code.
        withExtendedLifetime(operation) {}
    }

    @MainActor private func show(_ action: ViewLoadAction, _ delivery: LoadDelivery) {
        let completion = completion(action, delivery)
        switch action.display {
        case .keep: completion()
        case .image: put(delivery.image, delivery, completion: completion)
        case .placeholder:
            put(request.placeholder ?? PlaceholderHashes.image(request.context), .finished(nil), completion: completion)
        case .errorImage: put(binding?.errorImage, .finished(nil), completion: completion)
        }
    }

    @MainActor private func put(_ image: Image?, _ shown: LoadDelivery, completion: @escaping @MainActor () -> Void) {
        guard let binding else { return completion() }
        binding.show(image, shown, for: self, completion: completion)
    }

    /// Returns the block that calls the listeners for a delivery. The block must be called only once.
    @MainActor private func completion(
        _ action: ViewLoadAction, _ delivery: LoadDelivery
    ) -> @MainActor () -> Void {
        let notified = action.completes ? listeners : []
        // Remove the listeners now, so that the objects that they capture are released as soon as the block has run.
        if action.ends { listeners = [] }
        let url = request.url
        let owner = action.completes ? request.owner : nil
        return {
            for completed in [owner?.completed] + notified.map(\.completed) {
                completed?(
                    delivery.image, delivery.data, delivery.error, delivery.cacheType, delivery.isFinished, url)
            }
        }
    }
}

/// An object that the loader's completion block captures. Its `deinit` reports that the loader has released the
/// completion block.
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

extension WebImageCombinedOperation {
    /// The manager's operation of a view's load; other operations are returned unchanged.
    package static func ofView(_ operation: (any WebImageOperation)?) -> (any WebImageOperation)? {
        guard let load = operation as? ViewLoad else { return operation }
        return load.loaderOperation as? WebImageCombinedOperation ?? load
    }
}
