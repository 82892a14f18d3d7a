package import Foundation

/// Partial images of one body that is on its way; off the caller's queue.
///
/// Bytes that come faster than they are decoded are decoded together.
package final class PartialDecoding: Sendable {
    private struct State {
        var waiting: [Data] = []
        var isWorking = false
        var isOver = false
    }

    private let state = Locked(State())
    private let steps: Locked<ProgressiveDecoder?>
    private let deliver: @Sendable (Image) -> Void

    /// - Parameter deliver: Gets partial images in order, on the thread they are decoded on.
    init(_ decoding: ImageDecoding, deliver: @escaping @Sendable (Image) -> Void) {
        steps = Locked(ProgressiveDecoder(decoding, showsPreviews: true, findsSize: false))
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
        let pieces = state.withLock { state in
            defer { state.waiting = [] }
            state.isWorking = !state.isOver && !state.waiting.isEmpty
            return state.isWorking ? state.waiting : []
        }
        // One thread at a time comes here: taken out, so that what is appended to is not copied.
        guard !pieces.isEmpty, var steps = steps.withLock({ $0.take() }) else { return }
        let image = steps.news(of: pieces).preview
        self.steps.withLock { $0 = steps }
        if let image, !state.withLock({ $0.isOver }) { deliver(image) }
        pool.submit { self.step(on: pool) }
    }
}
