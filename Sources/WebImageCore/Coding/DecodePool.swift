import Dispatch
import Foundation

/// Runs decoding, encoding and transforming on a bounded number of threads and within a budget of bytes.
///
/// Nothing here runs on the cooperative pool. Waiting jobs are taken by priority, which may move while they wait, then
/// by arrival; a job whose caller is cancelled while waiting never starts.
package final class DecodePool: Sendable {
    /// As many threads as cores, half a gigabyte of pixels at once.
    package static let shared = DecodePool(
        width: max(2, ProcessInfo.processInfo.activeProcessorCount), byteBudget: 512 << 20)

    private struct Job {
        let cost: Int
        let start: @Sendable () -> Void
        let abandon: @Sendable () -> Void
    }

    private struct State {
        var waiting = PriorityQueue<Job>()
        var running = 0
        var runningBytes = 0
        var lastID: UInt64 = 0
        /// Jobs that have a number but are not queued yet; a cancel takes them out.
        var announced: Set<UInt64> = []
    }

    private let width: Int
    private let byteBudget: Int
    private let state = Locked(State())
    private let threads = DispatchQueue(label: "webimage.decode", qos: .userInitiated, attributes: .concurrent)

    package init(width: Int, byteBudget: Int) {
        self.width = width
        self.byteBudget = byteBudget
    }

    /// Jobs running now.
    package var runningCount: Int { state.withLock { $0.running } }

    /// Jobs waiting for a place.
    package var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Runs `work` when its turn comes; `cost` is the memory it will take in bytes.
    ///
    /// - Throws: `.cancelled` when the surrounding task is cancelled before the work began, else the work's own error.
    package func run<Value: Sendable>(
        cost: Int = 0, priority: MovablePriority = MovablePriority(),
        work: @escaping @Sendable () throws(WebImageError) -> Value
    ) async throws(WebImageError) -> Value {
        let id = state.withLock { state in
            state.lastID += 1
            state.announced.insert(state.lastID)
            return state.lastID
        }
        let observer = priority.observe { [weak self] in self?.move(id, to: priority) }
        defer { priority.forget(observer) }
        let outcome: Result<Value, WebImageError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let job = Job(
                    cost: cost,
                    start: { continuation.resume(returning: Result { () throws(WebImageError) in try work() }) },
                    abandon: { continuation.resume(returning: .failure(.cancelled)) })
                enqueue(job, id, priority)
            }
        } onCancel: {
            cancel(id)
        }
        return try outcome.get()
    }

    private func enqueue(_ job: Job, _ id: UInt64, _ priority: MovablePriority) {
        let isAbandoned = state.withLock { state in
            guard state.announced.remove(id) != nil else { return true }
            state.waiting.append(job, id: id, priority: priority.value)
            return false
        }
        if isAbandoned { job.abandon() } else { startWaiting() }
    }

    private func move(_ id: UInt64, to priority: MovablePriority) {
        state.withLock { $0.waiting.move(id, to: priority.value) }
    }

    /// A cancel may come before the job is queued, while it waits, or too late.
    private func cancel(_ id: UInt64) {
        let job = state.withLock { state -> Job? in
            if let job = state.waiting.remove(id) { return job }
            state.announced.remove(id)
            return nil
        }
        job?.abandon()
    }

    private func startWaiting() {
        while let job = takeNext() {
            threads.async {
                job.start()
                self.state.withLock { state in
                    state.running -= 1
                    state.runningBytes -= job.cost
                }
                self.startWaiting()
            }
        }
    }

    private func takeNext() -> Job? {
        state.withLock { state in
            guard state.running < width, let next = state.waiting.first else { return nil }
            // One job larger than the whole budget still runs, alone.
            guard state.running == 0 || state.runningBytes + next.cost <= byteBudget else { return nil }
            state.running += 1
            state.runningBytes += next.cost
            return state.waiting.removeFirst()
        }
    }
}
