import Foundation
import WebImageCore

/// Stores the events of a load until the reader reads them. The buffer contains at most one progress event and one
/// partial image, so a slow reader does not make the buffer grow.
final class EventBuffer: Sendable {
    fileprivate struct State {
        var events: [WebImageEvent] = []
        var hasSize = false
        var isEnded = false
        var failure: WebImageError?
        var reader: CheckedContinuation<Void, Never>?
        var operation: WebImageCombinedOperation?
    }

    private let state = Locked(State())

    deinit { state.withLock { $0.operation }?.cancel() }

    func attach(_ operation: WebImageCombinedOperation?) { state.withLock { $0.operation = operation } }

    /// Whether the reader can read an event or the end of the sequence without waiting.
    var isReadable: Bool { state.withLock { !$0.events.isEmpty || $0.isEnded } }

    func receive(_ delivery: LoadDelivery, _ url: URL?) {
        let reader = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.isEnded else { return nil }
            state.add(delivery, url)
            return state.reader.take()
        }
        reader?.resume()
    }

    func next() async throws(WebImageError) -> WebImageEvent? {
        while true {
            if let known = state.withLock({ $0.takeNext() }) { return try known.get() }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isReady = state.withLock { state in
                        if state.events.isEmpty, !state.isEnded { state.reader = continuation }
                        return state.reader == nil
                    }
                    if isReady { continuation.resume() }
                }
            } onCancel: {
                state.withLock { $0.operation }?.cancel()
            }
        }
    }
}

extension EventBuffer.State {
    fileprivate mutating func add(_ delivery: LoadDelivery, _ url: URL?) {
        switch delivery {
        case .size(let size): addSize(size)
        case .progress(let received, let expected, _):
            events.removeAll { if case .progress = $0 { true } else { false } }
            events.append(.progress(received: received, expected: expected))
        case .partial(let image):
            events.removeAll { if case .partial = $0 { true } else { false } }
            events.append(.partial(image))
        case .cached(let result):
            addSize(result.image.pixelSize)
            events.append(.cached(result))
        case .finished(let result?), .unchanged(let result):
            addSize(result.image.pixelSize)
            end(.finished(result))
        case .finished(nil): end(failure: .notCached(url))
        case .failed(let error), .notRefreshed(_, let error): end(failure: error)
        }
    }

    private mutating func addSize(_ size: PixelSize) {
        guard !hasSize else { return }
        hasSize = true
        events.append(.size(size))
    }

    private mutating func end(_ event: WebImageEvent? = nil, failure: WebImageError? = nil) {
        // Remove the unread partial image. The load has ended, so the partial image is of no use.
        events.removeAll { if case .partial = $0 { true } else { false } }
        if let event { events.append(event) }
        self.failure = failure
        isEnded = true
        operation = nil
    }

    /// Returns the next event. After the last event, returns the failure once (if the load failed), then
    /// `.success(nil)`. Returns nil if the load has not ended and no unread event is in the buffer.
    fileprivate mutating func takeNext() -> Result<WebImageEvent?, WebImageError>? {
        if !events.isEmpty { return .success(events.removeFirst()) }
        guard isEnded else { return nil }
        if let failure = failure.take() { return .failure(failure) }
        return .success(nil)
    }
}
