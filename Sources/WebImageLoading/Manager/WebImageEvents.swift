public import Foundation
public import WebImageCore

/// An event of a load.
public enum WebImageEvent: Sendable {
    /// The size of the image in pixels, before transformers. Sent once, as soon as the header of the image has arrived.
    case size(PixelSize)
    /// The number of bytes received and the number of bytes expected (0: the length is unknown, -1: no response yet).
    /// A newer progress event replaces an unread progress event.
    case progress(received: Int, expected: Int)
    /// A partial image, with `.progressiveLoad`; never sent after the image itself. A newer partial image replaces an
    /// unread partial image.
    case partial(Image)
    /// The cached image, with `.refreshCached`. ``finished(_:)`` follows, or an error if the refresh fails.
    case cached(WebImageResult)
    /// The image; always the last event. With `.refreshCached`, an unchanged cached image is sent again as this event.
    case finished(WebImageResult)
}

/// The events of one load: an asynchronous sequence that ends after `.finished` or throws a ``WebImageError``.
///
/// Every iteration is a separate load. Cancelling the iterating task or releasing the iterator cancels the load.
public struct WebImageEvents: AsyncSequence, Sendable {
    /// An event of the load.
    public typealias Element = WebImageEvent
    /// The error of a load that ends without an image.
    public typealias Failure = WebImageError

    fileprivate let start: @Sendable (EventBuffer) -> WebImageCombinedOperation?

    /// Starts the load.
    public func makeAsyncIterator() -> Iterator {
        let buffer = EventBuffer()
        buffer.attach(start(buffer))
        return Iterator(buffer: buffer)
    }

    /// The iterator over the events of one load.
    public struct Iterator: AsyncIteratorProtocol {
        let buffer: EventBuffer

        /// The next event; nil after the last one.
        ///
        /// - Throws: The error of the load, once. Later calls return nil.
        public mutating func next() async throws(WebImageError) -> WebImageEvent? {
            try await buffer.next()
        }

        /// The next event; nil after the last one.
        ///
        /// - Throws: The error of the load, once. Later calls return nil.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(WebImageError) -> WebImageEvent? {
            try await buffer.next()
        }
    }
}

extension WebImageManager {
    /// Returns the events of a load, for callers that show the progress of the load.
    public func events(
        for url: URL?, options: WebImageOptions = [], context: WebImageContext? = nil
    ) -> WebImageEvents {
        let context = RequestContext(context)
        return events(for: url) { self.synchronousResult(url, options: options, context: context) }
    }

    /// - Parameter look: Looks into the memory and makes the plan. Called for each iteration.
    func events(for url: URL?, _ look: @escaping @Sendable () -> SynchronousResult) -> WebImageEvents {
        WebImageEvents { buffer in
            switch look().answer {
            case .hit(let result):
                buffer.receive(.finished(result), url)
                return nil
            case .failure(let error):
                buffer.receive(.failed(error), url)
                return nil
            case .load(var plan, let cached):
                // The event `.size` needs the first bytes while the others arrive.
                plan.streams = true
                return self.begin(
                    plan, cached: cached, DeliverySink(wantsSize: true) { [weak buffer] in buffer?.receive($0, url) })
            }
        }
    }
}
