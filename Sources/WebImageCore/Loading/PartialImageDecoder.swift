package import Foundation

/// Decodes partial images of one growing body on the decode pool.
///
/// If several pieces arrive during one decode, the next decode processes them together.
package final class PartialImageDecoder: Sendable {
    private struct State {
        var waiting: [Data] = []
        var isWorking = false
        var isOver = false
    }

    private let state = Locked(State())
    private let steps: Locked<ProgressiveDecoder?>
    private let deliver: @Sendable (Image) -> Void

    /// - Parameter deliver: Receives the partial images in order, on a thread of the decode pool.
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

    /// Stops the delivery of partial images. A delivery that has begun still completes.
    package func stop() { state.withLock { $0.isOver = true } }

    /// Decodes the waiting bytes once, then submits itself to the pool again. Other work runs in between, so a long
    /// download does not occupy a thread.
    private func step(on pool: DecodePool) {
        let pieces = state.withLock { state in
            defer { state.waiting = [] }
            state.isWorking = !state.isOver && !state.waiting.isEmpty
            return state.isWorking ? state.waiting : []
        }
        // Only one thread at a time runs this code. Take the decoder out of the locked state: with a second reference,
        // appending would copy its buffer.
        guard !pieces.isEmpty, var steps = steps.withLock({ $0.take() }) else { return }
        let image = steps.append(pieces).preview
        self.steps.withLock { $0 = steps }
        if let image, !state.withLock({ $0.isOver }) { deliver(image) }
        pool.submit { self.step(on: pool) }
    }
}
