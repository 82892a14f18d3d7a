package import Foundation

/// Runs decoding, encoding and transforming on a bounded number of threads of its own and within a budget of bytes.
///
/// Waiting jobs are taken by priority, which may change while they wait, then by arrival. When large jobs hold all
/// threads, one thread more runs small jobs, so that a small picture shares the cores with a huge one instead of waiting
/// for its end. A job whose caller is cancelled while waiting never starts. `Documentation/Decisions/decode-threads.md`
/// has the reasons and the figures.
package final class DecodePool: Sendable {
    /// As many threads as cores, half a gigabyte of pixels at once.
    package static let shared = DecodePool(
        width: max(2, ProcessInfo.processInfo.activeProcessorCount), byteBudget: 512 << 20)

    /// The nice value of the threads: 5, so that event loops of the program go first, 10 beside a main loop that draws, 0
    /// in a command that only waits for the pictures.
    package static let usualNice: @Sendable () -> Int32 = {
        MainThread.isAttached ? 10 : isCommand.withLock { $0 } ? 0 : 5
    }

    private static let isCommand = Locked(false)

    /// Declares that this program is a command of a shell, which has nothing else to do.
    package static func servesCommand() { isCommand.withLock { $0 = true } }

    /// From so many bytes of pixels on (8 megapixels) a job is a large one.
    package static let largeCost = 32 << 20

    private struct Job {
        let id: UInt64
        let priority: LoadPriorityHandle
        /// Bytes the work will take; nil until ``measure`` has told on one of the pool's threads.
        var cost: Int?
        let measure: @Sendable () -> Int
        let start: @Sendable () -> Void
        let abandon: @Sendable () -> Void

        /// A job that was not measured yet counts as small.
        var isLarge: Bool { (cost ?? 0) >= DecodePool.largeCost }
    }

    private struct State {
        var waiting = PriorityQueue<Job>()
        var running = 0
        var runningLarge = 0
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
    private let threads: WorkerThreads
    private let nice: @Sendable () -> Int32

    /// - Parameters:
    ///   - width: jobs at once; one small job more while all of them are large.
    ///   - byteBudget: bytes of pixels at once; a job larger than that runs alone.
    ///   - nice: asked before each job: the least nice value (setpriority(2)) its thread is to have from then on.
    ///   - idleTime: how long a thread without work stays.
    package init(
        width: Int, byteBudget: Int, nice: @escaping @Sendable () -> Int32 = DecodePool.usualNice,
        idleTime: DispatchTimeInterval = .seconds(5)
    ) {
        self.width = width
        self.byteBudget = byteBudget
        self.nice = nice
        // One more for a small job beside large ones.
        threads = WorkerThreads(name: "webimage.decode", most: width + 1, idleTime: idleTime)
    }

    /// Jobs running now.
    package var runningCount: Int { state.withLock { $0.running } }

    /// Threads that exist now, idle ones included.
    package var threadCount: Int { threads.liveCount }

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
        wake()
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
            state.waiting.append(job, id: job.id, priority: job.priority.priority, isLarge: job.isLarge)
            return false
        }
        if isAbandoned { job.abandon() } else { wake() }
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

    private func wake() {
        // Weak: a pool that is gone leaves threads without work, which end.
        threads.wake { [weak self] in self?.takeNext() }
    }

    private func takeNext() -> (@Sendable () -> Void)? {
        let (job, mayStartMore) = state.withLock { state -> (Job?, Bool) in
            guard let job = startable(&state) else { return (nil, false) }
            _ = state.waiting.remove(job.id)
            state.running += 1
            if job.isLarge { state.runningLarge += 1 }
            state.runningBytes += job.cost ?? 0
            // A cancel that comes while it is measured still keeps it from starting.
            if job.cost == nil { state.announced.insert(job.id) }
            return (job, startable(&state) != nil)
        }
        // Each start passes the wake-up on, so that memory or a place for several jobs is used by several threads.
        if mayStartMore { wake() }
        guard let job else { return nil }
        return { self.perform(job) }
    }

    /// The job whose turn it is, if there are a place and memory for it.
    private func startable(_ state: inout State) -> Job? {
        guard let next = state.waiting.first else { return nil }
        let job: Job? =
            if state.running < width {
                next
            } else if state.running == width, state.runningLarge == width {
                state.waiting.firstSmall
            } else {
                nil
            }
        // One job larger than the whole budget still runs, alone.
        guard let job, state.running == 0 || state.runningBytes + (job.cost ?? 0) <= byteBudget else { return nil }
        return job
    }

    private func perform(_ job: Job) {
        becomeNice()
        guard let cost = job.cost ?? admittedCost(of: job) else { return }
        job.start()
        state.withLock { state in
            state.running -= 1
            if cost >= Self.largeCost { state.runningLarge -= 1 }
            state.runningBytes -= cost
        }
    }

    /// Raises the calling thread's nice value; the way back would need a privilege.
    private func becomeNice() {
        let wanted = nice()
        // 0 is the calling thread (setpriority(2), "C library/kernel differences").
        guard wanted > getpriority(.init(PRIO_PROCESS.rawValue), 0) else { return }
        setpriority(.init(PRIO_PROCESS.rawValue), 0, wanted)
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
        let (admission, mayStartMore) = state.withLock { state -> (Admission, Bool) in
            let isWanted = state.announced.remove(job.id) != nil
            // The one thread more is for small jobs alone.
            let hasPlace = !job.isLarge || state.running <= width
            if isWanted, hasPlace, state.running == 1 || state.runningBytes + cost <= byteBudget {
                if job.isLarge { state.runningLarge += 1 }
                state.runningBytes += cost
                // With the last thread taken by a large job there is a place for a small one.
                return (.starts, startable(&state) != nil)
            }
            state.running -= 1
            guard isWanted else { return (.abandoned, false) }
            state.waiting.append(job, id: job.id, priority: job.priority.priority, isLarge: job.isLarge)
            return (.waits, false)
        }
        if mayStartMore { wake() }
        if admission == .abandoned { job.abandon() }
        return admission == .starts ? cost : nil
    }
}
