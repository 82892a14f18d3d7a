import Foundation
import WebImageCore

/// The events of one load for readers that may begin late, and the end of the load.
///
/// The journal contains at most one event of each kind: a newer progress event or partial image replaces the older one,
/// and the end of the load removes the partial image. The events are numbered, so that a reader only has to remember the
/// number of the last event that it read.
struct EventJournal {
    /// The next step of a reader.
    enum Step {
        case event(WebImageEvent, number: UInt64)
        case failure(WebImageError)
        case end
        /// The load has not ended, and the reader has read every event.
        case wait
    }

    private struct Entry {
        let number: UInt64
        let event: WebImageEvent
    }

    private var entries: [Entry] = []
    private var lastNumber: UInt64 = 0
    private var hasSize = false
    /// The error that ends the events; nil if the last event is the image.
    private var failure: WebImageError?
    /// The result of the load; nil until the load has ended. If a refresh failed, the result is the cached image, and the
    /// events end with the error.
    private(set) var outcome: Result<WebImageResult, WebImageError>?

    /// The number of received and expected bytes; nil before the first progress event.
    var progress: (received: Int, expected: Int)? {
        for entry in entries.reversed() {
            if case .progress(let received, let expected) = entry.event { return (received, expected) }
        }
        return nil
    }

    /// Returns the step that follows the event with the given number; 0 for a reader that has read no event.
    func step(after number: UInt64) -> Step {
        if let entry = entries.first(where: { $0.number > number }) { return .event(entry.event, number: entry.number) }
        guard outcome != nil else { return .wait }
        return failure.map { .failure($0) } ?? .end
    }

    /// Adds what a load delivers. Deliveries after the end are ignored.
    mutating func add(_ delivery: LoadDelivery, _ url: URL) {
        guard outcome == nil else { return }
        switch delivery {
        case .size(let size): addSize(size)
        case .progress(let received, let expected, _):
            entries.removeAll { if case .progress = $0.event { true } else { false } }
            append(.progress(received: received, expected: expected))
        case .partial(let image):
            removePartialImage()
            append(.partial(image))
        case .cached(let result):
            addSize(result.image.pixelSize)
            append(.cached(result))
        case .finished(let result?), .unchanged(let result):
            removePartialImage()
            addSize(result.image.pixelSize)
            append(.finished(result))
            outcome = .success(result)
        case .finished(nil): end(with: .notCached(url))
        case .failed(let error): end(with: error)
        case .notRefreshed(let result, let error): end(with: error, outcome: .success(result))
        }
    }

    private mutating func append(_ event: WebImageEvent) {
        lastNumber += 1
        entries.append(Entry(number: lastNumber, event: event))
    }

    private mutating func addSize(_ size: PixelSize) {
        guard !hasSize else { return }
        hasSize = true
        append(.size(size))
    }

    private mutating func removePartialImage() {
        entries.removeAll { if case .partial = $0.event { true } else { false } }
    }

    private mutating func end(with error: WebImageError, outcome: Result<WebImageResult, WebImageError>? = nil) {
        removePartialImage()
        failure = error
        self.outcome = outcome ?? .failure(error)
    }
}
