package import Foundation

/// Partial images of one body that is on its way, by the coder that took its first bytes; off the caller's queue.
///
/// Bytes that come faster than they are decoded are decoded together.
package final class PartialDecoding: Sendable {
    private struct State {
        var waiting = Data()
        /// Everything so far, while somebody may ask for it.
        var whole = Data()
        var coder: (any ProgressiveImageCoder)?
        var revision = 0
        var isAsked = false
        var isWorking = false
        var isOver = false
    }

    private let state = Locked(State())
    private let coder: (any ImageCoder)?
    private let options: DecodingOptions
    private let deliver: @Sendable (Image) -> Void

    /// - Parameter deliver: Gets partial images in order, on the thread they are decoded on.
    package init(
        coder: (any ImageCoder)?, options: DecodingOptions, deliver: @escaping @Sendable (Image) -> Void
    ) {
        self.coder = coder
        self.options = options
        self.deliver = deliver
    }

    /// Takes the next bytes.
    package func append(_ bytes: Data, on pool: DecodePool) {
        let isFirst = state.withLock { state in
            guard !state.isOver else { return false }
            state.waiting.append(bytes)
            defer { state.isWorking = true }
            return !state.isWorking
        }
        if isFirst { pool.submit { self.step(on: pool) } }
    }

    /// No partial image is delivered after this, save one that is being delivered.
    package func stop() { state.withLock { $0.isOver = true } }

    /// One step, then to the end of the pool's line: a long download does not keep one of its threads.
    private func step(on pool: DecodePool) {
        guard let (bytes, whole) = next() else { return }
        if let image = decode(bytes, whole) {
            image.isIncremental = true
            if !state.withLock({ $0.isOver }) { deliver(image) }
        }
        pool.submit { self.step(on: pool) }
    }

    private func next() -> (bytes: Data, whole: Data)? {
        state.withLock { state in
            guard !state.isOver, !state.waiting.isEmpty else {
                state.isWorking = false
                return nil
            }
            defer { state.waiting = Data() }
            // A coder that takes piece by piece keeps what it needs itself.
            guard !(state.coder is any StreamingImageCoder) else {
                state.whole = Data()
                return (state.waiting, Data())
            }
            guard state.whole.count + state.waiting.count <= PreviewSteps.longestWhole else {
                (state.isOver, state.whole, state.isWorking) = (true, Data(), false)
                return nil
            }
            state.whole.append(state.waiting)
            return (state.waiting, state.whole)
        }
    }

    private func decode(_ bytes: Data, _ whole: Data) -> Image? {
        var isNew = false
        if !state.withLock({ $0.isAsked }) {
            guard whole.count >= Self.bytesToTell else { return nil }
            let made = makeCoder(for: whole)
            state.withLock { ($0.coder, $0.isAsked) = (made, true) }
            isNew = true
        }
        guard let coder = state.withLock({ $0.coder }) else { return nil }
        guard let streaming = coder as? any StreamingImageCoder else {
            coder.updateIncrementalData(whole, finished: false)
            return coder.incrementalDecodedImage(with: options.dictionary)
        }
        guard (try? streaming.append(isNew ? whole : bytes, finished: false)) != nil else {
            stop()
            return nil
        }
        let revision = streaming.incrementalRevision
        guard revision > state.withLock({ $0.revision }) else { return nil }
        state.withLock { $0.revision = revision }
        return streaming.incrementalDecodedImage(with: options.dictionary)
    }

    private func makeCoder(for data: Data) -> (any ProgressiveImageCoder)? {
        let candidates = coder.map { [$0] } ?? ImageCodersManager.shared.coders.reversed()
        let found = candidates.lazy.compactMap { $0 as? any ProgressiveImageCoder }
            .first { self.coder != nil || $0.canIncrementalDecode(from: data) }
        guard let found else { return nil }
        return type(of: found).init(incrementalWithOptions: options.dictionary)
    }

    /// Every format tells itself within these bytes.
    private static let bytesToTell = 32
}
