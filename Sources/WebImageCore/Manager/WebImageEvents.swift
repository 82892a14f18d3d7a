public import Foundation

/// What happens on the way of an image.
public enum WebImageEvent: Sendable {
    /// The size in pixels that the image will have before transformers: once, as soon as the header's bytes are there.
    case size(PixelSize)
    /// Bytes received and expected (0 when unknown, -1 before anything is known). Figures that are overtaken before they
    /// are read are left out.
    case progress(received: Int, expected: Int)
    /// A preview, with `.progressiveLoad`; never after the image itself. Overtaken ones are left out.
    case partial(Image)
    /// The cached image, with `.refreshCached`; the refreshed one follows.
    case cached(WebImageResult)
    /// The image; always the last event. An unchanged cached image comes again here.
    case finished(WebImageResult)
}

/// The events of one load: an asynchronous sequence that ends after `.finished` or throws a ``WebImageError``.
///
/// Every iteration is a load of its own; it is cancelled when the iterating task is, or the iterator is released.
public struct WebImageEvents: AsyncSequence, Sendable {
    /// What happens.
    public typealias Element = WebImageEvent
    /// Why there is no image.
    public typealias Failure = WebImageError

    let start: @Sendable (EventBuffer) -> WebImageCombinedOperation?

    /// Starts the load.
    public func makeAsyncIterator() -> Iterator {
        let buffer = EventBuffer()
        buffer.attach(start(buffer))
        return Iterator(buffer: buffer)
    }

    /// One load's events.
    public struct Iterator: AsyncIteratorProtocol {
        let buffer: EventBuffer

        /// The next event; nil after the last one.
        ///
        /// - Throws: why there is no image, once.
        public mutating func next() async throws(WebImageError) -> WebImageEvent? {
            try await buffer.next()
        }

        /// The next event; nil after the last one.
        ///
        /// - Throws: why there is no image, once.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(WebImageError) -> WebImageEvent? {
            try await buffer.next()
        }
    }
}

extension WebImageManager {
    /// The events of a load, for callers that show how far it is.
    public func events(
        for url: URL?, options: WebImageOptions = [], context: WebImageContext? = nil
    ) -> WebImageEvents {
        let context = RequestContext(context)
        return WebImageEvents { buffer in
            switch self.front(url, options: options, context: context).answer {
            case .hit(let result):
                buffer.receive(.finished(result), url)
                return nil
            case .failure(let error):
                buffer.receive(.failed(error), url)
                return nil
            case .load(var plan, let cached):
                plan.streams = true
                return self.begin(
                    plan, cached: cached, LoadSink(wantsSize: true) { [weak buffer] in buffer?.receive($0, url) })
            }
        }
    }
}
