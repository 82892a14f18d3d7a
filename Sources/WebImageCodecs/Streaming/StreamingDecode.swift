import Foundation
import WebImageCore

/// Decodes one picture incrementally for one coder instance. Stores the stream for the format and the result so far.
///
/// `StreamingImageCoder` requires that only one thread at a time uses the coder. If a second thread nevertheless makes
/// a call, the call waits for the lock.
final class StreamingDecode: Sendable {
    private struct State {
        let stream: any PictureStream
        var receivedCount = 0
        var isFinished = false
        var failure: WebImageError?
        var shown: (revision: Int, scale: Double, image: Image)?
        /// All bytes of a GIF or APNG file that have arrived so far; nil for any other format. Also nil if the caller
        /// uses ``append(_:finished:)`` instead of ``update(_:finished:)``. `append` receives only the new bytes.
        var arrived: Data?
        var opened: OpenedAnimation?
        var nextOpening = 0
    }

    private let state: Locked<State>
    private let options: DecodingOptions

    init(_ options: DecodingOptions, _ makeStream: (DecodingOptions) -> any PictureStream) {
        self.options = options
        var streamOptions = options
        // If only the first frame is decoded, the limit for the pixels of all frames does not apply. The coders use the
        // same rule when they decode the first frame of a whole file.
        if options.firstFrameOnly { streamOptions.limits.maxAnimationPixels = .max }
        state = Locked(State(stream: makeStream(streamOptions)))
    }

    func append(_ bytes: Data, finished: Bool) throws(WebImageError) {
        try state.withLock { state throws(WebImageError) in
            try append(bytes, finished: finished, to: &state)
        }
    }

    private func append(_ bytes: Data, finished: Bool, to state: inout State) throws(WebImageError) {
        if let failure = state.failure { throw failure }
        guard !state.isFinished else { return }
        do throws(WebImageError) {
            state.receivedCount += bytes.count
            try options.limits.checkEncodedBytes(state.receivedCount)
            state.isFinished = finished
            // Release the last preview, so that the final image can reuse the memory of the preview.
            if finished { state.shown = nil }
            try state.stream.append(bytes, finished: finished)
        } catch {
            state.failure = error
            throw error
        }
    }

    /// Decodes the new bytes. After an error, later calls do not change the picture.
    ///
    /// Sets `isFinished` and `arrived` without releasing the lock in between. Otherwise ``animation(_:)`` on another
    /// thread could read `isFinished` as true but `arrived` without the last bytes. `animation` would then never open
    /// the complete file.
    ///
    /// - Parameter data: All bytes so far, not only the new bytes.
    func update(_ data: Data, finished: Bool) throws(WebImageError) {
        // Keep the old data until the lock is released, because freeing a large buffer takes time.
        let (dropped, failure) = state.withLock { state -> (Data?, WebImageError?) in
            let wasFinished = state.isFinished
            var failure: WebImageError?
            do throws(WebImageError) {
                try append(data.dropFirst(state.receivedCount), finished: finished, to: &state)
            } catch {
                failure = error
            }
            guard !wasFinished else { return (nil, failure) }
            defer {
                if let format = state.stream.info?.format, [.gif, .apng].contains(format) { state.arrived = data }
            }
            return (state.arrived, failure)
        }
        _ = dropped
        if let failure { throw failure }
    }

    /// Returns the complete frames of a GIF or APNG animation whose bytes arrive through ``update(_:finished:)``.
    /// Returns nil until two frames or the whole file have arrived.
    ///
    /// When an animation is opened a second time, the frames that were decoded before are lost. Therefore the animation
    /// is opened only when the data has grown by an eighth since the last opening, and once when the file is complete.
    func animation(
        _ open: (Data, DecodingOptions) throws(WebImageError) -> OpenedAnimation
    ) -> OpenedAnimation? {
        state.withLock { state in
            guard let data = state.arrived else { return nil }
            let isDue = data.count >= state.nextOpening || state.isFinished && state.nextOpening != .max
            guard isDue else { return state.opened }
            state.nextOpening = state.isFinished ? .max : data.count + data.count / 8
            // Ignore an incomplete file with fewer than two complete frames. Such a file opens as a still, and a still
            // cannot be decoded before the file is complete.
            if let opened = try? open(data, options), opened.frameCount > 1 || state.isFinished {
                state.opened = opened
            }
            return state.opened
        }
    }

    var info: ImageInfo? { state.withLock { $0.stream.info } }
    var revision: Int { state.withLock { $0.stream.revision } }

    /// Returns the image of the part that has arrived. Creates one image per revision and scale.
    func image(scale: Double?) -> Image? {
        state.withLock { state in
            var options = options
            options.scaleFactor = max(scale ?? options.scaleFactor, 1)
            let revision = state.stream.revision
            if let shown = state.shown, shown.revision == revision, shown.scale == options.scaleFactor {
                return shown.image
            }
            // Release the last image, so that the next image can reuse the memory of the last image.
            state.shown = nil
            let resolved = options.resolved(
                bitDepth: state.stream.info?.bitDepth ?? 8, isHDR: state.stream.info?.hdr?.transfer != nil)
            guard let arrived = try? state.stream.snapshot(), let image = try? arrived.image(options: resolved) else {
                return nil
            }
            image.decodingOptions = options
            state.shown = (revision, options.scaleFactor, image)
            return image
        }
    }
}
