import Foundation
import Synchronization
public import WebImageCore

/// The handle of one load: waits for its image, reports its progress, changes its priority and cancels it.
///
/// ```swift
/// let task = manager.imageTask(for: ImageRequest(url: url))
/// let shown = Task { for await progress in task.progress { show(progress.fraction) } }
/// let image = try await task.image
/// ```
///
/// The load starts when the handle is made. Any number of tasks can wait for the image or read the events, also after
/// the load has ended, and all of them receive the same end. The load continues if the handle is released. While the
/// handle is kept, it keeps the image.
///
/// Safe on any thread. Handles are equal if they belong to the same load.
public final class ImageTask: WebImageOperation, Hashable, Identifiable {
    /// The received part of the bytes of a load.
    public struct Progress: Sendable, Hashable {
        /// The number of bytes received.
        public var received: Int
        /// The number of bytes expected. 0: the length is unknown; -1: no response yet.
        public var expected: Int
        /// The received part of the expected bytes, 0 to 1; nil if the length is unknown.
        public var fraction: Double? { WebImagePhase.progress(received: received, expected: expected) }

        /// Creates a progress from the number of received and expected bytes.
        public init(received: Int, expected: Int) {
            self.received = received
            self.expected = expected
        }
    }

    /// The number of the load; unique in the process.
    public let id: UInt64
    /// The request that is loaded.
    public let request: ImageRequest
    private let broadcast: EventBroadcast
    /// Nil if the load ended before the handle was made.
    private let operation: WebImageCombinedOperation?

    private static let lastID = Atomic<UInt64>(0)

    init(_ request: ImageRequest, broadcast: EventBroadcast, operation: WebImageCombinedOperation?) {
        id = Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue
        self.request = request
        self.broadcast = broadcast
        self.operation = operation
    }

    /// Waits for the image.
    ///
    /// - Throws: The same errors as ``result``.
    public var image: Image {
        get async throws(WebImageError) { try await result.image }
    }

    /// Waits for the image with its origin and its encoded data. After the end of the load, returns without waiting.
    ///
    /// With `.refreshCached`, this is the refreshed image, or the cached image if it is unchanged or cannot be refreshed.
    ///
    /// If the task that waits is cancelled, its wait ends immediately with `.cancelled`. If it was the last one that
    /// waits for the end of this load, the load is cancelled too.
    /// - Throws: `.cancelled` after a cancel; `.notCached` if the image is in no cache and the load must not use the
    ///   loader; otherwise the error of the stage that failed.
    public var result: WebImageResult {
        get async throws(WebImageError) {
            try await broadcast.end(cancel: { [operation] in operation?.cancel() }).get()
        }
    }

    /// The result of the load; nil while the load runs. If the image is in memory, the result is known at once.
    public var currentResult: Result<WebImageResult, WebImageError>? { broadcast.outcome }

    /// The newest progress; nil before the first progress was reported.
    public var currentProgress: Progress? {
        broadcast.progress.map { Progress(received: $0.received, expected: $0.expected) }
    }

    /// The priority of the load. A change moves the load while it waits and while it runs. A shared task has the highest
    /// priority of its subscribers. A change after the end has no effect.
    public var priority: LoadPriority {
        get { operation?.priority ?? request.priority }
        set { operation?.priority = newValue }
    }

    /// Whether the load ended with `.cancelled`: by ``cancel()``, by the last task that waited for it, or by its manager.
    public var isCancelled: Bool { broadcast.isCancelled }

    /// Cancels the load, for every reader. The load then ends once, with `.cancelled`, before this function returns,
    /// unless it has already ended. Work that other loads share continues for them.
    ///
    /// A completion that has not run yet receives `.cancelled`, even if the load has already ended. It runs before this
    /// function returns if the caller is on its queue.
    public func cancel() {
        operation?.cancel()
        broadcast.cancelCallback()
    }

    /// Whether both handles are the same object.
    public static func == (left: ImageTask, right: ImageTask) -> Bool { left === right }

    /// Hashes ``id``.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

// The events.
extension ImageTask {
    /// The events of the load. The last one is `.finished`, or the error that is thrown.
    ///
    /// Every iteration receives the events in the same order, and always the last one. An iteration that begins late
    /// receives the size, the newest progress, the newest partial image and the cached image first. A slow reader skips
    /// older progress and older partial images.
    ///
    /// An iteration only observes the load. To leave the loop, or to cancel the task that iterates, does not cancel the
    /// load; a cancelled iteration throws `.cancelled`. To cancel the load too, call ``cancel()``, or iterate
    /// ``WebImageManager/events(for:)``. The size is reported before the image only with `.progressiveLoad`.
    public var events: Events { Events(broadcast: broadcast) }

    /// The progress of the load. Ends with the load, or when the task that iterates is cancelled.
    public var progress: Values<Progress> {
        Values(events: events) { event in
            guard case .progress(let received, let expected) = event else { return nil }
            return Progress(received: received, expected: expected)
        }
    }

    /// The partial images of the load, with `.progressiveLoad`. Ends with the load, or when the task that iterates is
    /// cancelled. The image itself is not a part of this sequence.
    public var previews: Values<Image> {
        Values(events: events) { event in
            guard case .partial(let image) = event else { return nil }
            return image
        }
    }

    /// The events of a load, as ``ImageTask/events`` describes them. Every iteration observes the same load.
    public struct Events: AsyncSequence, Sendable {
        /// An event of the load.
        public typealias Element = WebImageEvent
        /// The error of a load that ends without an image.
        public typealias Failure = WebImageError

        fileprivate let broadcast: EventBroadcast

        /// Begins to read the events.
        public func makeAsyncIterator() -> Iterator { Iterator(broadcast: broadcast) }

        /// The iterator over the events of a load.
        public struct Iterator: AsyncIteratorProtocol {
            private let broadcast: EventBroadcast
            private var number: UInt64 = 0
            private var hasFailed = false

            fileprivate init(broadcast: EventBroadcast) { self.broadcast = broadcast }

            /// The next event; nil after the last one.
            ///
            /// - Throws: The error of the load, or `.cancelled` if the surrounding task is cancelled; once. Later calls
            ///   return nil.
            public mutating func next() async throws(WebImageError) -> WebImageEvent? {
                guard !hasFailed else { return nil }
                switch await broadcast.step(after: number) {
                case .event(let event, let number):
                    self.number = number
                    return event
                case .failure(let error):
                    hasFailed = true
                    throw error
                case nil:
                    hasFailed = true
                    throw .cancelled
                case .end, .wait: return nil
                }
            }

            /// The next event; nil after the last one.
            ///
            /// - Throws: The error of the load, or `.cancelled` if the surrounding task is cancelled; once. Later calls
            ///   return nil.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(WebImageError) -> WebImageEvent? {
                try await next()
            }
        }
    }

    /// The values of one kind of event: ``ImageTask/progress`` or ``ImageTask/previews``. The sequence does not throw: a
    /// failure ends it.
    public struct Values<Element: Sendable>: AsyncSequence, Sendable {
        /// The sequence does not throw.
        public typealias Failure = Never

        fileprivate let events: Events
        fileprivate let value: @Sendable (WebImageEvent) -> Element?

        /// Begins to read the values.
        public func makeAsyncIterator() -> Iterator { Iterator(events: events.makeAsyncIterator(), value: value) }

        /// The iterator over the values.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var events: Events.Iterator
            fileprivate let value: @Sendable (WebImageEvent) -> Element?

            /// The next value; nil after the last one.
            public mutating func next() async -> Element? { await next(isolation: nil) }

            /// The next value; nil after the last one.
            public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
                while let event = try? await events.next(isolation: actor) {
                    if let value = value(event) { return value }
                }
                return nil
            }
        }
    }
}

extension WebImageManager {
    /// Starts a load and returns its handle. If the image is in memory, ``ImageTask/currentResult`` is set when this
    /// function returns. After ``shutdown(deadline:)``, the load ends with `.cancelled`.
    public func imageTask(for request: ImageRequest) -> ImageTask { startTask(request) }

    /// Loads an image and calls back exactly once, with the result or the error.
    ///
    /// `completion` runs on the callback queue of the request (default: the main queue). If the caller is on this queue, a
    /// memory hit completes before this function returns. After ``ImageTask/cancel()``, `completion` receives
    /// `.cancelled`. With `.refreshCached`, it receives the refreshed image, or the cached image if it is unchanged or
    /// cannot be refreshed. ``ImageTask/events`` contains the cached image and the partial images of the load.
    ///
    /// - Parameter progress: Called on any thread, with the newest progress.
    @discardableResult
    public func loadImage(
        with request: ImageRequest, progress: (@Sendable (ImageTask.Progress) -> Void)? = nil,
        completion: @escaping @Sendable (Result<WebImageResult, WebImageError>) -> Void
    ) -> ImageTask {
        startTask(request, progress: progress, completion: completion)
    }

    private func startTask(
        _ request: ImageRequest, progress: (@Sendable (ImageTask.Progress) -> Void)? = nil,
        completion: (@Sendable (Result<WebImageResult, WebImageError>) -> Void)? = nil
    ) -> ImageTask {
        let synchronous = synchronousResult(request.url, options: request.options, context: request.values)
        let callback = completion.map {
            EventBroadcast.Callback(
                queue: synchronous.context.callbackQueue ?? .sharedMain, progress: progress, completion: $0)
        }
        let broadcast = EventBroadcast(request.url, callback: callback)
        switch synchronous.answer {
        case .hit(let result):
            broadcast.receive(.finished(result))
            return ImageTask(request, broadcast: broadcast, operation: nil)
        case .failure(let error):
            broadcast.receive(.failed(error))
            return ImageTask(request, broadcast: broadcast, operation: nil)
        case .load(let plan, let cached):
            let sizes = synchronous.context.pixelSizeReceiver
            let sink = DeliverySink(wantsSize: true) { delivery in
                if case .size(let size) = delivery { sizes?.receive(size) }
                broadcast.receive(delivery)
            }
            return ImageTask(request, broadcast: broadcast, operation: begin(plan, cached: cached, sink))
        }
    }
}
