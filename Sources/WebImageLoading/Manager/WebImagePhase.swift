import Foundation
public import WebImageCore

/// The state of a load that a view shows. The cases resemble the phases of SwiftUI's `AsyncImage`.
public enum WebImagePhase: Sendable {
    /// There is no request, so nothing is loaded.
    case empty
    /// The image is being loaded. `progress` is the received part of the bytes, 0 to 1; nil while the length is
    /// unknown. `preview` is a partial image, with `.progressiveLoad`.
    case loading(progress: Double?, preview: Image?)
    /// The image. With `.refreshCached`, the first success contains the cached image, and a second success with the
    /// refreshed image may follow. While the image is refreshed, and after a refresh that failed, the phase is still
    /// this one.
    case success(Image)
    /// The error of a load that failed.
    case failure(WebImageError)

    /// The image, or the preview while the image is being loaded; nil if there is neither.
    public var image: Image? {
        switch self {
        case .loading(_, let preview): preview
        case .success(let image): image
        case .empty, .failure: nil
        }
    }

    /// The error of a load that failed; nil in every other phase.
    public var error: WebImageError? {
        if case .failure(let error) = self { error } else { nil }
    }

    /// The received part of the bytes, 0 to 1. Nil if this part is unknown, and in every phase except ``loading``.
    public var progress: Double? {
        if case .loading(let progress, _) = self { progress } else { nil }
    }

    /// Returns the received bytes as a part of the expected bytes; nil if no bytes are expected.
    package static func progress(received: Int, expected: Int) -> Double? {
        expected > 0 ? min(Double(max(received, 0)) / Double(expected), 1) : nil
    }
}

/// The phases of one load: an asynchronous sequence that does not throw.
///
/// If the image is in memory, the only phase is `.success`. If the load fails immediately, the only phase is
/// `.failure`. Any other load begins with `.loading`, and ends with `.success` or `.failure`. Without a request, the
/// only phase is `.empty`. After a `.success`, there is no other kind of phase: if a refresh fails, the sequence ends.
///
/// Every iteration is a separate load. Cancelling the iterating task cancels the load and ends the sequence without a
/// failure. Releasing the iterator also cancels the load.
public struct WebImagePhases: AsyncSequence, Sendable {
    /// The phase that a view shows.
    public typealias Element = WebImagePhase
    /// The sequence does not throw: a failed load is a phase.
    public typealias Failure = Never

    let events: WebImageEvents?
    let refreshFailed: (@Sendable (WebImageError) -> Void)?

    init(events: WebImageEvents?, refreshFailed: (@Sendable (WebImageError) -> Void)? = nil) {
        self.events = events
        self.refreshFailed = refreshFailed
    }

    /// Starts the load.
    public func makeAsyncIterator() -> Iterator {
        Iterator(events: events?.makeAsyncIterator(), refreshFailed: refreshFailed)
    }

    /// The iterator over the phases of one load.
    public struct Iterator: AsyncIteratorProtocol {
        private var events: WebImageEvents.Iterator?
        private var next: WebImagePhase?
        private var progress: Double?
        private var preview: Image?
        private var hasSucceeded = false
        private let refreshFailed: (@Sendable (WebImageError) -> Void)?

        init(events: WebImageEvents.Iterator?, refreshFailed: (@Sendable (WebImageError) -> Void)? = nil) {
            self.events = events
            self.refreshFailed = refreshFailed
            if events?.buffer.isReadable != true {
                next = events == nil ? .empty : .loading(progress: nil, preview: nil)
            }
        }

        /// The next phase; nil after the last one.
        public mutating func next() async -> WebImagePhase? { await next(isolation: nil) }

        /// The next phase; nil after the last one.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> WebImagePhase? {
            if let first = next.take() { return first }
            while var iterator = events {
                do throws(WebImageError) {
                    guard let event = try await iterator.next(isolation: actor) else { break }
                    if let phase = phase(of: event) { return phase }
                } catch {
                    events = nil
                    if error.code == .cancelled, Task.isCancelled { return nil }
                    guard hasSucceeded else { return .failure(error) }
                    refreshFailed?(error)
                    return nil
                }
            }
            events = nil
            return nil
        }

        private mutating func phase(of event: WebImageEvent) -> WebImagePhase? {
            switch event {
            case .size: return nil
            // The picture stays visible while it is refreshed.
            case .progress where hasSucceeded, .partial where hasSucceeded: return nil
            case .progress(let received, let expected):
                progress = WebImagePhase.progress(received: received, expected: expected)
                return .loading(progress: progress, preview: preview)
            case .partial(let image):
                preview = image
                return .loading(progress: progress, preview: image)
            case .cached(let result), .finished(let result):
                hasSucceeded = true
                return .success(result.image)
            }
        }
    }
}

extension WebImageManager {
    /// Returns the phases of a load, for callers that show a widget for each phase.
    ///
    /// ```swift
    /// for await phase in manager.phases(for: ImageRequest(url: url, size: CGSize(width: 96, height: 96))) {
    ///     switch phase {
    ///     case .empty, .loading: show(spinner)
    ///     case .success(let image): show(image)
    ///     case .failure(let error): show(error)
    ///     }
    /// }
    /// ```
    ///
    /// - Parameter refreshFailed: Called with the error of a refresh that failed, before the sequence ends. The last
    ///   phase is then the cached image. Called on the task that reads the sequence.
    public func phases(
        for request: ImageRequest?, refreshFailed: (@Sendable (WebImageError) -> Void)? = nil
    ) -> WebImagePhases {
        WebImagePhases(events: request.map { events(for: $0) }, refreshFailed: refreshFailed)
    }
}
