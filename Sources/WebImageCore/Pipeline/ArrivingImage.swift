import Dispatch
import Foundation

/// What can be told and shown of a picture while its bytes arrive: its size, then previews.
///
/// Takes bytes on any thread, works on the decode pool one step at a time: bytes that come faster are merged, so that
/// previews never pile up. Nothing is told after ``end()``.
final class ArrivingImage: Sendable {
    fileprivate struct State {
        /// Bytes that came so far.
        var count = 0
        /// Those among them that the coder has not seen, as they came: the loader's own memory, no copy.
        var waiting: [Data] = []
        /// Chunks that came before those they follow.
        var early: [Int: Data] = [:]
        var isWorking = false
        var isEnded = false
        var task: Task<Void, Never>?
    }

    private let state = Locked(State())
    private let steps: Locked<ProgressiveDecoder?>
    private let pool: DecodePool
    private let handle: StageHandle

    init(_ plan: LoadPlan, _ pool: DecodePool, _ handle: StageHandle) {
        self.pool = pool
        self.handle = handle
        let showsPreviews = plan.options.contains(.progressiveLoad)
        steps = Locked(ProgressiveDecoder(plan.decoding, showsPreviews: showsPreviews, findsSize: true))
    }

    /// Takes the bytes that stand at `offset` of the body.
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

    /// Nothing more is shown.
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

    /// Whether more came meanwhile; if not, the work is over.
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
        // One thread at a time comes here; the lock makes that plain, and no foreign code waits for it. Taken out, so
        // that what is appended to is not copied.
        guard var steps = self.steps.withLock({ $0.take() }) else { return }
        let (size, preview) = steps.news(of: pieces)
        self.steps.withLock { $0 = steps }
        if let size, state.withLock({ !$0.isEnded }) { handle.tell(.size(size)) }
        if let preview, state.withLock({ !$0.isEnded }) { handle.tell(.partial(preview)) }
    }
}

extension ArrivingImage.State {
    fileprivate mutating func startsWork() -> Bool {
        guard !isEnded, !isWorking, !waiting.isEmpty else { return false }
        isWorking = true
        return true
    }
}

extension ArrivingImage? {
    /// Passes the news of a download on; bytes become previews.
    func pass(_ news: LoadNews, to handle: StageHandle) {
        if case .bytes(let bytes, let offset) = news {
            self?.append(bytes, at: offset)
        } else {
            handle.tell(news)
        }
    }
}
