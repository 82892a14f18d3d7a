import Dispatch
import Foundation
import WebImageCore

/// Reports the pixel size of an image and its partial images while its bytes arrive.
///
/// Accepts bytes on any thread and processes them on the decode pool, one step at a time. Bytes that arrive during a
/// step are processed together in the next step, so that at most one step waits. Nothing is reported after
/// ``end()``.
final class PartialImageReporter: Sendable {
    fileprivate struct State {
        /// The number of contiguous bytes that have arrived, from the beginning of the body.
        var count = 0
        /// Chunks that the coder has not received yet. The chunks share the memory of the loader's buffers.
        var waiting: [Data] = []
        /// Chunks that arrived before the bytes that precede them in the body. The key is the offset of the chunk in
        /// the body.
        var early: [Int: Data] = [:]
        var isWorking = false
        var isEnded = false
        var task: Task<Void, Never>?
    }

    private let state = Locked(State())
    private let steps: Locked<ProgressiveDecoder?>
    private let pool: DecodePool
    private let handle: StageHandle

    init(_ plan: LoadPlan, pool: DecodePool, _ handle: StageHandle) {
        self.pool = pool
        self.handle = handle
        let makesPartialImages = plan.options.contains(.progressiveLoad)
        steps = Locked(ProgressiveDecoder(plan.decoding, makesPartialImages: makesPartialImages, findsSize: true))
    }

    /// Adds bytes at `offset` of the body.
    func append(_ bytes: Data, at offset: Int) {
        let isDue = state.withLock { state in
            guard !state.isEnded, !bytes.isEmpty, offset >= state.count else { return false }
            state.early[offset] = bytes
            while let next = state.early.removeValue(forKey: state.count) {
                state.waiting.append(next)
                state.count += next.count
            }
            return state.startsWork()
        }
        if isDue { work() }
    }

    /// Stops the reports and drops the waiting chunks.
    func end() {
        let task = state.withLock { state in
            state.isEnded = true
            (state.waiting, state.early) = ([], [:])
            defer { state.task = nil }
            return state.task
        }
        task?.cancel()
    }

    private func work() {
        let task = Task.detached {
            repeat {
                _ = try? await self.pool.run(priority: self.handle.priority) { () throws(WebImageError) in self.step() }
            } while self.hasMore()
        }
        let isEnded = state.withLock { state in
            if !state.isEnded, state.isWorking { state.task = task }
            return state.isEnded
        }
        if isEnded { task.cancel() }
    }

    /// Marks the current step as ended. If bytes arrived during this step, marks the next step as started and returns
    /// true.
    private func hasMore() -> Bool {
        state.withLock { state in
            state.isWorking = false
            state.task = nil
            return state.startsWork()
        }
    }

    private func step() {
        let pieces = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        guard !pieces.isEmpty else { return }
        // Only one thread at a time runs this code. Take the decoder out of the locked state for two reasons: the lock
        // must not be held while a coder runs, and a second reference would make `append` copy the buffer.
        guard var steps = self.steps.withLock({ $0.take() }) else { return }
        let (size, preview) = steps.append(pieces)
        self.steps.withLock { $0 = steps }
        if let size, state.withLock({ !$0.isEnded }) { handle.send(.size(size)) }
        if let preview, state.withLock({ !$0.isEnded }) { handle.send(.partial(preview)) }
    }
}

extension PartialImageReporter.State {
    fileprivate mutating func startsWork() -> Bool {
        guard !isEnded, !isWorking, !waiting.isEmpty else { return false }
        isWorking = true
        return true
    }
}

extension PartialImageReporter? {
    /// Passes an event of a download to `handle`, unless the event contains bytes. The reporter makes partial images
    /// from the bytes. If there is no reporter, the bytes are dropped.
    func pass(_ event: StageEvent, to handle: StageHandle) {
        if case .bytes(let bytes, let offset) = event {
            self?.append(bytes, at: offset)
        } else {
            handle.send(event)
        }
    }
}
