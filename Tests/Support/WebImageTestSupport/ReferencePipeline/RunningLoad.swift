import Foundation
import WebImageCore
import WebImageLoading
import WebImageViews

/// A running load of a history.
final class RunningLoad: Sendable {
    private struct State {
        var delivered: [ReferenceDelivery] = []
        var isOver = false
        var received = 0
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Locked(State())
    private let stop = Locked<LockedFunction<@Sendable () -> Void>?>(nil)

    /// The view that observes the load; nil for other forms.
    private let view = Locked<ObservingView?>(nil)

    /// Starts the load. A memory hit is delivered before this function returns.
    ///
    /// - Parameter countsBytes: Whether ``received`` counts the received bytes.
    static func started(
        _ load: ReferenceLoad, at url: URL, with manager: WebImageManager, countsBytes: Bool = false
    ) async -> RunningLoad {
        let running = RunningLoad(countsBytes: countsBytes)
        switch load.form {
        case .callback: running.complete(load, url, manager)
        case .async: running.wait(load, url, manager)
        case .events: running.refresh(load, url, manager)
        case .phases: running.iterate(load, at: url, with: manager)
        case .view: await running.show(load, at: url, with: manager)
        }
        return running
    }

    private init(countsBytes: Bool) { self.countsBytes = countsBytes }

    /// The number of received bytes.
    var received: Int { state.withLock { $0.received } }

    private let countsBytes: Bool

    private var progress: ImageLoaderProgressBlock? {
        guard countsBytes else { return nil }
        return { [weak self] received, _, _ in self?.state.withLock { $0.received = received } }
    }

    var isOver: Bool { state.withLock { $0.isOver } }

    func cancel() { stop.withLock { $0 }?.call() }

    /// Waits until the load has ended and returns all deliveries.
    var delivered: [ReferenceDelivery] {
        get async {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if !state.isOver { state.waiting = continuation }
                    return state.isOver
                }
                if isOver { continuation.resume() }
            }
            let delivered = state.withLock { $0.delivered }
            guard let view = view.withLock({ $0 }) else { return delivered }
            return await view.complaint(delivered).map { delivered + [.strange($0)] } ?? delivered
        }
    }

    /// Loads with a completion block. The block is released when the load has ended, also after a refresh that has found no
    /// change and therefore makes no further call. `isRunning` of the manager is false a moment before the last call.
    private func complete(_ load: ReferenceLoad, _ url: URL, _ manager: WebImageManager) {
        var context = load.context
        context[.callbackQueue] = CallbackQueue.invoking
        let ending = EndOfLife { self.end() }
        let operation: WebImageCombinedOperation = manager.loadImage(
            with: url, options: load.sentOptions, context: context, progress: progress
        ) {
            [ending] image, _, error, origin, _, _ in
            withExtendedLifetime(ending) { self.receive(image, error, from: origin) }
        }
        stop.withLock { $0 = LockedFunction { operation.cancel() } }
    }

    /// Records a call of a completion block.
    private func receive(_ image: Image?, _ error: WebImageError?, from origin: ImageCacheType) {
        guard let error else { return add(image.map { Self.picture($0, origin) } ?? .miss) }
        // A failure that follows a picture must not take this picture away.
        let hasPicture = state.withLock { $0.delivered.contains { $0.isPicture } }
        add(
            hasPicture && image == nil && error.code != .cancelled
                ? .strange("a failure without the cached picture") : .failure(error.code))
    }

    /// Loads into a view. The completion block is released when the load has ended, also after a refresh that has found
    /// no change and therefore makes no further call.
    @MainActor private func show(_ load: ReferenceLoad, at url: URL, with manager: WebImageManager) {
        let view = ObservingView()
        self.view.withLock { $0 = view }
        var context = load.context
        context[.customManager] = manager
        let ending = EndOfLife { self.end() }
        let progress: ViewImageProgressBlock = { received, _, _ in self.state.withLock { $0.received = received } }
        let completed: ViewImageInternalCompletedBlock = { [ending] image, _, error, origin, _, _ in
            withExtendedLifetime(ending) { self.receive(image, error, from: origin) }
        }
        let operation = view.binding.internalSetImage(
            with: url, options: load.sentOptions, context: context, progress: countsBytes ? progress : nil,
            completed: completed)
        stop.withLock { $0 = LockedFunction { operation?.cancel() } }
    }

    private func wait(_ load: ReferenceLoad, _ url: URL, _ manager: WebImageManager) {
        let context = RequestContext(load.context)
        let task = Task {
            do throws(WebImageError) {
                let result = try await manager.result(
                    for: url, options: load.sentOptions, context: context.dictionary, progress: progress)
                add(Self.picture(result.image, result.cacheType))
            } catch {
                add(.failure(error.code))
            }
            end()
        }
        stop.withLock { $0 = LockedFunction { task.cancel() } }
    }

    private func refresh(_ load: ReferenceLoad, _ url: URL, _ manager: WebImageManager) {
        var iterator = manager.events(for: url, options: load.sentOptions, context: load.context).makeAsyncIterator()
        let task = Task {
            var cached: Image?
            do throws(WebImageError) {
                while let event = try await iterator.next(isolation: nil) {
                    switch event {
                    case .cached(let result):
                        cached = result.image
                        add(Self.picture(result.image, result.cacheType))
                    // After a refresh without changes, the event stream delivers the same image a second time, but a
                    // completion block does not. Record the image only once.
                    case .finished(let result):
                        if result.image !== cached { add(Self.picture(result.image, result.cacheType)) }
                    case .progress(let received, _): state.withLock { $0.received = received }
                    case .size, .partial: break
                    }
                }
            } catch {
                // After the delivery of the cached image, the load is complete. A later cancel ends only the refresh
                // and is not recorded.
                if cached == nil || error.code != .cancelled { add(.failure(error.code)) }
            }
            end()
        }
        stop.withLock { $0 = LockedFunction { task.cancel() } }
    }

    private func iterate(_ load: ReferenceLoad, at url: URL, with manager: WebImageManager) {
        let request = ImageRequest(url: url, options: load.sentOptions, context: load.context)
        let failed: @Sendable (WebImageError) -> Void = { if $0.code != .cancelled { self.add(.failure($0.code)) } }
        var phases = manager.phases(for: request, refreshFailed: failed).makeAsyncIterator()
        let task = Task {
            var last: Image?
            while let phase = await phases.next(isolation: nil) {
                switch phase {
                case .empty: add(.strange("the phase of no request"))
                case .loading(let part, _):
                    if last != nil { add(.strange("a spinner after the picture")) }
                    if let part { state.withLock { $0.received = Int(part * 100) } }
                case .success(let image):
                    if image !== last { add(Self.picture(image, .all)) }
                    last = image
                case .failure(let error):
                    add(last == nil ? .failure(error.code) : .strange("a failure instead of the picture"))
                }
            }
            // The phases of a cancelled load end without a failure.
            if state.withLock({ $0.delivered.isEmpty }) { add(.failure(.cancelled)) }
            end()
        }
        stop.withLock { $0 = LockedFunction { task.cancel() } }
    }

    private static func picture(_ image: Image, _ origin: ImageCacheType) -> ReferenceDelivery {
        ReferencePicture(image).map { .picture($0, origin) } ?? .strange("an image of \(image.pixelSize)")
    }

    private func add(_ delivery: ReferenceDelivery) { state.withLock { $0.delivered.append(delivery) } }

    private func end() {
        let waiting = state.withLock { state in
            state.isOver = true
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }
}

extension ReferenceDelivery {
    fileprivate var isPicture: Bool { if case .picture = self { true } else { false } }
}

/// A view without a toolkit.
@MainActor private final class ObservingView: ImageDisplaying {
    private(set) lazy var binding = ImageViewBinding(display: self, operationKey: "ObservingView")
    var displayedImage: Image?

    /// Compares the shown picture with the deliveries. Returns nil if the view shows the last picture.
    func complaint(_ delivered: [ReferenceDelivery]) -> String? {
        let last = delivered.last { $0.isPicture }
        guard case .picture(let picture, _) = last else {
            return displayedImage == nil ? nil : "the view shows a picture that was not delivered"
        }
        guard let shown = displayedImage else { return "the view shows nothing" }
        return ReferencePicture(shown) == picture ? nil : "the view shows another picture"
    }
}

/// Calls a closure when it is released.
private final class EndOfLife: Sendable {
    private let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    deinit { body() }
}
