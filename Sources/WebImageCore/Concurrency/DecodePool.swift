import Dispatch
import Foundation

/// Runs decoding, encoding and transforming on a bounded number of threads and within a budget of bytes.
///
/// Nothing here runs on the cooperative pool. Waiting jobs are taken by priority, which may move while they wait, then
/// by arrival; a job whose caller is cancelled while waiting never starts. Beside a main loop its threads give way to
/// whoever draws: two of them on two cores would else hold up frames.
package final class DecodePool: Sendable {
    /// As many threads as cores, half a gigabyte of pixels at once.
    package static let shared = DecodePool(
        width: max(2, ProcessInfo.processInfo.activeProcessorCount), byteBudget: 512 << 20)

    private struct Job {
        let id: UInt64
        let priority: LoadPriorityHandle
        /// Bytes the work will take; nil until ``measure`` has told on one of the pool's threads.
        var cost: Int?
        let measure: @Sendable () -> Int
        let start: @Sendable () -> Void
        let abandon: @Sendable () -> Void
    }

    private struct State {
        var waiting = PriorityQueue<Job>()
        var running = 0
        var runningBytes = 0
        var lastID: UInt64 = 0
        /// Jobs that have a number but are not queued, yet or while they are measured; a cancel takes them out.
        var announced: Set<UInt64> = []

        mutating func makeID() -> UInt64 {
            lastID += 1
            return lastID
        }
    }

    private let width: Int
    private let byteBudget: Int
    private let state = Locked(State())
    private let givesWay: @Sendable () -> Bool
    private let threads = DispatchQueue(label: "webimage.decode", attributes: .concurrent)
    /// On Linux libdispatch runs these threads at nice 10; above the default it would be -2 for those allowed to.
    private let yieldingThreads = DispatchQueue(
        label: "webimage.decode.yielding", qos: .background, attributes: .concurrent)

    /// - Parameter givesWay: Asked for each job: whether it is to yield to the other threads of the process.
    package init(
        width: Int, byteBudget: Int, givesWay: @escaping @Sendable () -> Bool = { MainThread.isAttached }
    ) {
        self.width = width
        self.byteBudget = byteBudget
        self.givesWay = givesWay
    }

    /// Jobs running now.
    package var runningCount: Int { state.withLock { $0.running } }

    /// Jobs waiting for a place.
    package var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Runs `work` when its turn comes; `cost` is the memory it will take in bytes.
    ///
    /// - Throws: `.cancelled` when the surrounding task is cancelled before the work began, else the work's own error.
    package func run<Value: Sendable>(
        cost: Int = 0, priority: LoadPriorityHandle = LoadPriorityHandle(),
        work: @escaping @Sendable () throws(WebImageError) -> Value
    ) async throws(WebImageError) -> Value {
        try await run(cost, { cost }, priority, work)
    }

    /// Runs `work` when its turn comes; `measure` tells before, on the same threads, the memory it will take in bytes.
    ///
    /// - Throws: as ``run(cost:priority:work:)``.
    package func run<Value: Sendable>(
        measuring measure: @escaping @Sendable () -> Int, priority: LoadPriorityHandle = LoadPriorityHandle(),
        work: @escaping @Sendable () throws(WebImageError) -> Value
    ) async throws(WebImageError) -> Value {
        try await run(nil, measure, priority, work)
    }

    /// Runs `work` when its turn comes, for callers that go on meanwhile; `measure` as for those that wait.
    package func submit(
        measuring measure: @escaping @Sendable () -> Int = { 0 }, priority: LoadPriority = .normal,
        work: @escaping @Sendable () -> Void
    ) {
        state.withLock { state in
            let job = Job(
                id: state.makeID(), priority: LoadPriorityHandle(priority), cost: nil, measure: measure, start: work,
                abandon: {})
            state.waiting.append(job, id: job.id, priority: priority)
        }
        startWaiting()
    }

    private func run<Value: Sendable>(
        _ cost: Int?, _ measure: @escaping @Sendable () -> Int, _ priority: LoadPriorityHandle,
        _ work: @escaping @Sendable () throws(WebImageError) -> Value
    ) async throws(WebImageError) -> Value {
        let id = state.withLock { state in
            let id = state.makeID()
            state.announced.insert(id)
            return id
        }
        let observer = priority.observe { [weak self] in self?.move(id, to: priority) }
        defer { priority.forget(observer) }
        let outcome: Result<Value, WebImageError> = await withTaskCancellationHandler {
            await withHandover { continuation in
                let job = Job(
                    id: id, priority: priority, cost: cost, measure: measure,
                    start: { continuation.resume(returning: Result { () throws(WebImageError) in try work() }) },
                    abandon: { continuation.resume(returning: .failure(.cancelled)) })
                enqueue(job)
            }
        } onCancel: {
            cancel(id)
        }
        return try outcome.get()
    }

    private func enqueue(_ job: Job) {
        let isAbandoned = state.withLock { state in
            guard state.announced.remove(job.id) != nil else { return true }
            state.waiting.append(job, id: job.id, priority: job.priority.priority)
            return false
        }
        if isAbandoned { job.abandon() } else { startWaiting() }
    }

    private func move(_ id: UInt64, to priority: LoadPriorityHandle) {
        state.withLock { $0.waiting.move(id, to: priority.priority) }
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
            (givesWay() ? yieldingThreads : threads).async {
                self.perform(job)
                self.startWaiting()
            }
        }
    }

    private func takeNext() -> Job? {
        state.withLock { state in
            guard state.running < width, let next = state.waiting.first else { return nil }
            // One job larger than the whole budget still runs, alone.
            guard state.running == 0 || state.runningBytes + (next.cost ?? 0) <= byteBudget else { return nil }
            state.running += 1
            state.runningBytes += next.cost ?? 0
            // A cancel that comes while it is measured still keeps it from starting.
            if next.cost == nil { state.announced.insert(next.id) }
            return state.waiting.removeFirst()
        }
    }

    private func perform(_ job: Job) {
        guard let cost = job.cost ?? admittedCost(of: job) else { return }
        job.start()
        state.withLock { state in
            state.running -= 1
            state.runningBytes -= cost
        }
    }

    private enum Admission {
        case starts
        case waits
        case abandoned
    }

    /// What a job that holds a thread will cost; nil when it gave its thread back, to wait for memory or for good.
    private func admittedCost(of job: Job) -> Int? {
        var job = job
        let cost = job.measure()
        job.cost = cost
        let admission = state.withLock { state -> Admission in
            let isWanted = state.announced.remove(job.id) != nil
            if isWanted, state.running == 1 || state.runningBytes + cost <= byteBudget {
                state.runningBytes += cost
                return .starts
            }
            state.running -= 1
            guard isWanted else { return .abandoned }
            state.waiting.append(job, id: job.id, priority: job.priority.priority)
            return .waits
        }
        if admission == .abandoned { job.abandon() }
        return admission == .starts ? cost : nil
    }
}
