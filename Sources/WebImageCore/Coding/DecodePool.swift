import Dispatch
import Foundation

/// Runs decoding, encoding and transforming on a bounded number of threads and within a budget of bytes.
///
/// Nothing here runs on the cooperative pool. Waiting jobs are taken by priority, asked anew each time a place frees,
/// then by arrival; a job whose caller is cancelled while waiting never starts.
package final class DecodePool: Sendable {
    /// As many threads as cores, half a gigabyte of pixels at once.
    package static let shared = DecodePool(
        width: max(2, ProcessInfo.processInfo.activeProcessorCount), byteBudget: 512 << 20)

    private struct Job {
        let id: UInt64
        let cost: Int
        let priority: @Sendable () -> LoadPriority
        let start: @Sendable () -> Void
        let abandon: @Sendable () -> Void
    }

    private struct State {
        var waiting: [Job] = []
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
        cost: Int = 0, priority: @escaping @Sendable () -> LoadPriority = { .normal },
        work: @escaping @Sendable () throws(WebImageError) -> Value
    ) async throws(WebImageError) -> Value {
        let id = state.withLock { state in
            state.lastID += 1
            state.announced.insert(state.lastID)
            return state.lastID
        }
        let outcome: Result<Value, WebImageError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                enqueue(
                    Job(
                        id: id, cost: cost, priority: priority,
                        start: { continuation.resume(returning: Result { () throws(WebImageError) in try work() }) },
                        abandon: { continuation.resume(returning: .failure(.cancelled)) }))
            }
        } onCancel: {
            cancel(id)
        }
        return try outcome.get()
    }

    private func enqueue(_ job: Job) {
        let isAbandoned = state.withLock { state in
            guard state.announced.remove(job.id) != nil else { return true }
            state.waiting.append(job)
            return false
        }
        if isAbandoned { job.abandon() } else { startWaiting() }
    }

    /// A cancel may come before the job is queued, while it waits, or too late.
    private func cancel(_ id: UInt64) {
        let job = state.withLock { state -> Job? in
            if let index = state.waiting.firstIndex(where: { $0.id == id }) { return state.waiting.remove(at: index) }
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
            guard state.running < width, !state.waiting.isEmpty else { return nil }
            var best = 0
            var bestPriority = state.waiting[0].priority()
            for index in state.waiting.indices.dropFirst() where bestPriority < .high {
                let priority = state.waiting[index].priority()
                if priority > bestPriority { (best, bestPriority) = (index, priority) }
            }
            let fits = state.runningBytes + state.waiting[best].cost <= byteBudget
            // One job larger than the whole budget still runs, alone.
            guard fits || state.running == 0 else { return nil }
            let job = state.waiting.remove(at: best)
            state.running += 1
            state.runningBytes += job.cost
            return job
        }
    }
}
