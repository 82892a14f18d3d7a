import Foundation
import WebImageCore
import WebImageLoading

/// A running load of a history.
final class RunningLoad: Sendable {
    private struct State {
        var delivered: [ReferenceDelivery] = []
        var isOver = false
        var received = 0
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Locked(State())
    private let stop = Locked<(@Sendable () -> Void)?>(nil)

    private let manager: WebImageManager
    /// Whether the load may end without a call: a completion block is not called again after an unchanged refresh.
    private let isSilentAtItsEnd: Bool

    /// Starts the load. A memory hit is delivered before the initialiser returns.
    ///
    /// - Parameter countsBytes: Whether ``received`` counts the received bytes.
    init(_ load: ReferenceLoad, _ url: URL, _ manager: WebImageManager, countsBytes: Bool = false) {
        self.countsBytes = countsBytes
        self.manager = manager
        isSilentAtItsEnd = load.refreshes && load.form == .callback
        switch load.form {
        case .callback: complete(load, url, manager)
        case .async: wait(load, url, manager)
        case .events: refresh(load, url, manager)
        }
    }

    /// The number of received bytes.
    var received: Int { state.withLock { $0.received } }

    private let countsBytes: Bool

    private var progress: ImageLoaderProgressBlock? {
        guard countsBytes else { return nil }
        return { [weak self] received, _, _ in self?.state.withLock { $0.received = received } }
    }

    var isOver: Bool { state.withLock { $0.isOver } }

    func cancel() { stop.withLock { $0 }?() }

    /// Waits until the load has ended and returns all deliveries.
    var delivered: [ReferenceDelivery] {
        get async {
            if isSilentAtItsEnd {
                let manager = manager
                await ReferenceSubject.settled { !manager.isRunning }
                end()
            }
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if !state.isOver { state.waiting = continuation }
                    return state.isOver
                }
                if isOver { continuation.resume() }
            }
            return state.withLock { $0.delivered }
        }
    }

    private func complete(_ load: ReferenceLoad, _ url: URL, _ manager: WebImageManager) {
        var context = load.context
        context[.callbackQueue] = CallbackQueue.invoking
        let operation: WebImageCombinedOperation = manager.loadImage(
            with: url, options: load.sentOptions, context: context, progress: progress
        ) {
            image, _, error, origin, finished, _ in
            if let error {
                // A failure that follows a picture must not take this picture away.
                let hasPicture = self.state.withLock { state in
                    state.delivered.contains { if case .picture = $0 { true } else { false } }
                }
                self.add(
                    hasPicture && image == nil && error.code != .cancelled
                        ? .strange("a failure without the cached picture") : .failure(error.code))
            } else {
                self.add(image.map { Self.picture($0, origin) } ?? .miss)
            }
            if finished { self.end() }
        }
        stop.withLock { $0 = { operation.cancel() } }
    }

    private func wait(_ load: ReferenceLoad, _ url: URL, _ manager: WebImageManager) {
        let context = RequestContext(load.context)
        let task = Task {
            do throws(WebImageError) {
                let result = try await manager.result(
                    for: url, options: load.sentOptions, context: context.forRoles, progress: progress)
                add(Self.picture(result.image, result.cacheType))
            } catch {
                add(.failure(error.code))
            }
            end()
        }
        stop.withLock { $0 = { task.cancel() } }
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
        stop.withLock { $0 = { task.cancel() } }
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
