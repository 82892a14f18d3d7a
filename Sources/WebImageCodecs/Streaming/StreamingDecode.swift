import Foundation
import WebImageCore

/// The content of a coder instance made for one picture: the stream of its format and the result so far.
///
/// Used from one thread at a time, as the role requires; a call from a second thread waits for the lock.
final class StreamingDecode: Sendable {
    private struct State {
        let stream: any PictureStream
        var receivedCount = 0
        var isFinished = false
        var failure: WebImageError?
        var shown: (revision: Int, scale: Double, image: Image)?
        /// All bytes so far of an animation, if the caller supplies all of them in each call.
        var arrived: Data?
        var opened: OpenedAnimation?
        var nextOpening = 0
    }

    private let state: Locked<State>
    private let options: DecodingOptions

    init(_ options: ImageCoderOptions?, _ makeStream: (DecodingOptions) -> any PictureStream) {
        let options = DecodingOptions(options)
        self.options = options
        state = Locked(State(stream: makeStream(options)))
    }

    func append(_ bytes: Data, finished: Bool) throws(WebImageError) {
        try state.withLock { state throws(WebImageError) in
            if let failure = state.failure { throw failure }
            guard !state.isFinished else { return }
            do throws(WebImageError) {
                state.receivedCount += bytes.count
                try options.limits.checkEncodedBytes(state.receivedCount)
                state.isFinished = finished
                // Releases the last preview, so that the image can reuse its memory.
                if finished { state.shown = nil }
                try state.stream.append(bytes, finished: finished)
            } catch {
                state.failure = error
                throw error
            }
        }
    }

    /// Takes all bytes so far; after an error the picture does not change any more.
    func update(_ data: Data?, finished: Bool) {
        let (seen, isOver) = state.withLock { ($0.receivedCount, $0.isFinished) }
        try? append(data?.dropFirst(seen) ?? Data(), finished: finished)
        guard !isOver, let data else { return }
        // Released outside the lock.
        let dropped = state.withLock { state -> Data? in
            defer {
                if let format = state.stream.info?.format, [.gif, .apng].contains(format) { state.arrived = data }
            }
            return state.arrived
        }
        _ = dropped
    }

    /// The complete frames of an animation supplied by ``update(_:finished:)``; nil before the second.
    ///
    /// Opens the animation again only when the data has grown by an eighth, and when it is whole, because opening discards
    /// the decoded frames.
    func animation(
        _ open: (Data, DecodingOptions) throws(WebImageError) -> OpenedAnimation
    ) -> OpenedAnimation? {
        state.withLock { state in
            guard let data = state.arrived else { return nil }
            let isDue = data.count >= state.nextOpening || state.isFinished && state.nextOpening != .max
            guard isDue else { return state.opened }
            state.nextOpening = state.isFinished ? .max : data.count + data.count / 8
            // Data with less than two complete frames opens as a still, which cannot be decoded before its end.
            if let opened = try? open(data, options), opened.frameCount > 1 || state.isFinished {
                state.opened = opened
            }
            return state.opened
        }
    }

    var info: ImageInfo? { state.withLock { $0.stream.info } }
    var revision: Int { state.withLock { $0.stream.revision } }

    /// The image that can be shown now; made once for each revision.
    func image(scale: Double?) -> Image? {
        state.withLock { state in
            var options = options
            options.scaleFactor = max(scale ?? options.scaleFactor, 1)
            let revision = state.stream.revision
            if let shown = state.shown, shown.revision == revision, shown.scale == options.scaleFactor {
                return shown.image
            }
            // Releases the last image, so that the next one can reuse its memory.
            state.shown = nil
            guard let arrived = try? state.stream.snapshot(), let image = try? arrived.image(options: options) else {
                return nil
            }
            image.decodingOptions = options
            state.shown = (revision, options.scaleFactor, image)
            return image
        }
    }
}
