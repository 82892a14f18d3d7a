import Foundation
import WebImageCore

/// A running load of a history.
final class RunningLoad: Sendable {
    private struct State {
        var delivered: [ReferenceDelivery] = []
        var isOver = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Locked(State())
    private let stop = Locked<(@Sendable () -> Void)?>(nil)

    /// Starts the load. A memory hit is delivered before the initialiser returns.
    init(_ load: ReferenceLoad, _ url: URL, _ manager: WebImageManager) {
        // A refresh can deliver two images. Use the event stream for a refresh, because the end of the stream shows
        // that the load has ended. Use the completion block for other loads, because most programs use this form.
        if load.refreshes { refresh(load, url, manager) } else { complete(load, url, manager) }
    }

    var isOver: Bool { state.withLock { $0.isOver } }

    func cancel() { stop.withLock { $0 }?() }

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
            return state.withLock { $0.delivered }
        }
    }

    private func complete(_ load: ReferenceLoad, _ url: URL, _ manager: WebImageManager) {
        var context = load.context
        context[.callbackQueue] = CallbackQueue.invoking
        let operation = manager.loadImage(with: url, options: load.sentOptions, context: context) {
            image, _, error, origin, finished, _ in
            if let error {
                self.add(.failure(error.code))
            } else {
                self.add(image.map { Self.picture($0, origin) } ?? .miss)
            }
            if finished { self.end() }
        }
        stop.withLock { $0 = { operation.cancel() } }
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
                    case .size, .progress, .partial: break
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
