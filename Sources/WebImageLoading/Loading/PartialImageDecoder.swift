package import Foundation
package import WebImageCore

/// Decodes partial images of one body on the decode pool, while the body is being downloaded.
///
/// If several pieces arrive during one decode, the next decode processes all of these pieces together.
package final class PartialImageDecoder: Sendable {
    private struct State {
        var waiting: [Data] = []
        var isWorking = false
        var isOver = false
    }

    private let state = Locked(State())
    private let steps: Locked<ProgressiveDecoder?>
    private let deliver: @Sendable (Image) -> Void

    /// - Parameter deliver: receives the partial images in order, on a thread of the decode pool.
    init(_ decoding: ImageDecoding, deliver: @escaping @Sendable (Image) -> Void) {
        steps = Locked(ProgressiveDecoder(decoding, makesPartialImages: true, findsSize: false))
        self.deliver = deliver
    }

    /// Appends the next bytes of the body.
    package func append(_ bytes: Data, on pool: DecodePool) {
        let isFirst = state.withLock { state in
            guard !state.isOver else { return false }
            state.waiting.append(bytes)
            defer { state.isWorking = true }
            return !state.isWorking
        }
        if isFirst { pool.submit { self.step(on: pool) } }
    }

    /// Stops the delivery of partial images. If a delivery is running, it still completes.
    package func stop() { state.withLock { $0.isOver = true } }

    /// Decodes the waiting bytes, then submits the next step to the pool. Other work of the pool can run between two
    /// steps. Therefore a long download does not occupy a thread of the pool.
    private func step(on pool: DecodePool) {
        let pieces = state.withLock { state in
            defer { state.waiting = [] }
            state.isWorking = !state.isOver && !state.waiting.isEmpty
            return state.isWorking ? state.waiting : []
        }
        // Only one thread at a time runs this code. Remove the decoder from the locked state during the decode. If the
        // state still had a second copy of the decoder, `append` would copy the decoder's buffer.
        guard !pieces.isEmpty, var steps = steps.withLock({ $0.take() }) else { return }
        let image = steps.append(pieces).preview
        self.steps.withLock { $0 = steps }
        if let image, !state.withLock({ $0.isOver }) { deliver(image) }
        pool.submit { self.step(on: pool) }
    }
}
