package import Foundation

/// Runs decoding, encoding and transforming on a limited number of dedicated threads and within a memory budget.
///
/// Waiting jobs start in the order of their priority. Jobs of the same priority start in the order of arrival. The
/// priority of a waiting job can change. If the caller of a waiting job is cancelled, the job never starts. If the caller
/// of a running job is cancelled, the job ends at the next check of its ``WorkBudget``.
///
/// If large jobs use all threads, one additional thread runs small jobs. A small image therefore need not wait until
/// a large image is decoded. `Documentation/Decisions/decode-threads.md` has the reasons and the measurements.
package final class DecodePool: Sendable {
    /// The pool of the process. It has as many threads as the program may use processors, at least 2, and a budget of 512 MiB.
    package static let shared = DecodePool(
        width: max(2, Processors.count), byteBudget: 512 << 20,
        whenIdle: DecodePool.returnFreedMemory, whenBusy: DecodePool.returnFreedMemory)

    /// The default nice value of the threads.
    ///
    /// - 10 if the program has a main loop that draws.
    /// - 0 in a shell command, because a shell command has no other work.
    /// - 5 in any other program, so that its event loops run first.
    static let defaultNiceValue: @Sendable () -> Int32 = {
        MainThread.isAttached ? 10 : isCommand.withLock { $0 } ? 0 : 5
    }

    private static let isCommand = Locked(false)

    /// The pool whose job runs on the current thread. Nil outside of jobs.
    @TaskLocal package static var current: DecodePool?

    /// Returns freed memory to the system before the last idle thread of the pool ends.
    ///
    /// Each arena of glibc's allocator keeps its freed memory. Later threads can use other arenas and then cannot use
    /// this memory (malloc_trim(3)). In a program with a main loop that draws, this function does nothing: returning a
    /// few hundred megabytes locks an arena for tens of milliseconds, and drawing would pause.
    private static let returnFreedMemory: @Sendable () -> Void = {
        guard !MainThread.isAttached else { return }
        // Look `malloc_trim` up by name: the Glibc module does not declare it, and other C libraries do not have it.
        typealias Trim = @convention(c) (_ kept: Int) -> Int32
        if let trim = dlsym(nil, "malloc_trim") { _ = unsafeBitCast(trim, to: Trim.self)(0) }
    }

    /// Declares that this program is a shell command. A shell command has no other work while images are decoded.
    package static func declareCommandLineProgram() { isCommand.withLock { $0 = true } }

    /// Jobs with at least this cost are large: 32 MiB of pixels (8 megapixels).
    package static let largeCost = 32 << 20

    private struct Job {
        let id: UInt64
        let priority: LoadPriorityHandle
        /// The memory of the work in bytes; nil until ``measure`` has run on one of the pool's threads.
        var cost: Int?
        let measure: @Sendable () -> Int
        let start: @Sendable () -> Void
        let abandon: @Sendable () -> Void

        /// Whether the job is large. A job whose cost is not yet known counts as small.
        var isLarge: Bool { (cost ?? 0) >= DecodePool.largeCost }
    }

    private struct State {
        var waiting = PriorityQueue<Job>()
        var running = 0
        var runningLarge = 0
        var runningBytes = 0
        var lastID: UInt64 = 0
        /// The identifiers of jobs that are not in the queue because they are not yet added or are being
        /// measured. Cancelling such a job removes its identifier, and the job does not start.
        var announced: Set<UInt64> = []

        mutating func makeID() -> UInt64 {
            lastID += 1
            return lastID
        }
    }

    private let byteBudget: Int
    private let state = Locked(State())
    private let threads: WorkerThreads
    private let nice: @Sendable () -> Int32
    private let whenBusy: @Sendable () -> Void
    /// The time at which `whenBusy` is called next.
    private let nextCare = Locked(ContinuousClock.now + busyInterval)

    /// The time between two calls of `whenBusy`. A pool with constant work never has an idle thread, and the freed memory
    /// of a burst would stay in the arenas of the allocator.
    private static let busyInterval = Duration.seconds(20)

    /// - Parameters:
    ///   - width: Maximum number of concurrent jobs. If all these jobs are large, one additional small job can run.
    ///   - byteBudget: Maximum memory of all concurrent jobs in bytes. A job that needs more memory runs alone.
    ///   - nice: Called before each job on the job's thread. Returns the minimum nice value (setpriority(2)) of the
    ///     thread.
    ///   - idleTime: The time after which a thread without work ends.
    ///   - whenIdle: Called on the last thread before it ends.
    ///   - whenBusy: Called on a thread after a job, at most once in 20 seconds.
    package init(
        width: Int, byteBudget: Int, nice: @escaping @Sendable () -> Int32 = DecodePool.defaultNiceValue,
        idleTime: DispatchTimeInterval = .seconds(5), whenIdle: @escaping @Sendable () -> Void = {},
        whenBusy: @escaping @Sendable () -> Void = {}
    ) {
        self.whenBusy = whenBusy
        self.width = width
        self.byteBudget = byteBudget
        self.nice = nice
        // One additional thread runs a small job while large jobs use all other threads.
        threads = WorkerThreads(name: "webimage.decode", most: width + 1, idleTime: idleTime, whenIdle: whenIdle)
    }

    /// The number of running jobs.
    package var runningCount: Int { state.withLock { $0.running } }

    /// The number of threads, including idle ones.
    package var threadCount: Int { threads.liveCount }

    /// Calls `body` with the number of threads on which a job may work: its own, and those that the pool does not need now.
    /// While `body` runs, the pool starts no other jobs in place of these threads, except one small one. The threads are
    /// not the pool's: `body` makes them, and they end before it returns. On a thread without a job, there is one.
    ///
    /// - Parameters:
    ///   - most: The number of threads that the job can use.
    ///   - processors: The number of processors that the program may use.
    package static func withIdleThreads<Value>(
        _ most: Int, processors: Int = Processors.count, _ body: (Int) throws(WebImageError) -> Value
    ) throws(WebImageError) -> Value {
        guard let pool = current, case let lent = pool.lend(most - 1, processors), lent > 0 else { return try body(1) }
        defer { pool.takeBack(lent) }
        return try body(1 + lent)
    }

    /// Returns the number of threads that a job gets in addition to its own: none if other jobs wait.
    private func lend(_ most: Int, _ processors: Int) -> Int {
        state.withLock { state in
            guard state.waiting.first == nil else { return 0 }
            let lent = max(0, min(most, min(width, processors) - state.running))
            state.running += lent
            state.runningLarge += lent
            return lent
        }
    }

    private func takeBack(_ lent: Int) {
        state.withLock { state in
            state.running -= lent
            state.runningLarge -= lent
        }
        wake()
    }

    /// The number of waiting jobs.
    package var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// The number of waiting jobs with at least normal priority.
    package var waitingCountWithoutLow: Int { state.withLock { $0.waiting.countWithoutLow } }

    /// The maximum number of concurrent jobs, without the additional small job.
    package let width: Int

    /// Runs `work` on the pool and waits for its result. `cost` is the memory of the work in bytes. The time of `budget`
    /// starts with the work.
    ///
    /// - Throws: `.cancelled` when the surrounding task is cancelled before the work starts or before its last check;
    ///   otherwise the error that the work throws.
    package func run<Value: Sendable>(
        cost: Int = 0, priority: LoadPriorityHandle = LoadPriorityHandle(),
        budget: WorkBudget = WorkBudget(time: nil), work: @escaping @Sendable () throws(WebImageError) -> Value
    ) async throws(WebImageError) -> Value {
        try await run(cost: cost, measure: { cost }, priority: priority, budget: budget, work)
    }

    /// Runs `work` on the pool and waits for its result. Before the work, `measure` runs on one of the pool's
    /// threads and returns the memory of the work in bytes.
    ///
    /// - Throws: The same errors as ``run(cost:priority:budget:work:)``.
    package func run<Value: Sendable>(
        measuring measure: @escaping @Sendable () -> Int, priority: LoadPriorityHandle = LoadPriorityHandle(),
        budget: WorkBudget = WorkBudget(time: nil), work: @escaping @Sendable () throws(WebImageError) -> Value
    ) async throws(WebImageError) -> Value {
        try await run(
            cost: nil, measure: { WorkBudget.$current.withValue(budget, operation: measure) }, priority: priority,
            budget: budget, work)
    }

    /// Runs `work` on the pool and returns without waiting for it. Before the work, `measure` runs on one of the pool's
    /// threads and returns the memory of the work in bytes.
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
        cost: Int?, measure: @escaping @Sendable () -> Int, priority: LoadPriorityHandle, budget: WorkBudget,
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
            await withValueContinuation { continuation in
                let job = Job(
                    id: id, priority: priority, cost: cost, measure: measure,
                    start: {
                        continuation.resume(returning: Result { () throws(WebImageError) in try budget.run(work) })
                    },
                    abandon: { continuation.resume(returning: .failure(.cancelled)) })
                enqueue(job)
            }
        } onCancel: {
            budget.cancel()
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

    /// Cancels a job before it starts. The job can be in the queue, not yet in the queue, or being measured. Does
    /// nothing if the job has started.
    private func cancel(_ id: UInt64) {
        let job = state.withLock { state -> Job? in
            if let job = state.waiting.remove(id) { return job }
            state.announced.remove(id)
            return nil
        }
        job?.abandon()
    }

    private func wake() {
        // The reference is weak, so that the pool can be released. After the release, the threads receive no work and
        // end.
        threads.wake { [weak self] in self?.takeNext() }
    }

    private func takeNext() -> (@Sendable () -> Void)? {
        let (job, mayStartMore) = state.withLock { state -> (Job?, Bool) in
            guard let job = startable(&state) else { return (nil, false) }
            _ = state.waiting.remove(job.id)
            state.running += 1
            if job.isLarge { state.runningLarge += 1 }
            state.runningBytes += job.cost ?? 0
            // Announce the job, so that it can still be cancelled while it is being measured.
            if job.cost == nil { state.announced.insert(job.id) }
            return (job, startable(&state) != nil)
        }
        // If another job can start, wake another thread: one finished job can free memory for several jobs.
        if mayStartMore { wake() }
        guard let job else { return nil }
        return { self.perform(job) }
    }

    /// Returns the next job that can start. Returns nil if no job waits, or if the next job must wait for a thread or
    /// for memory.
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
        // A job whose cost exceeds the whole budget runs when no other job runs. Otherwise this job would never
        // start.
        guard let job, state.running == 0 || state.runningBytes + (job.cost ?? 0) <= byteBudget else { return nil }
        return job
    }

    private func perform(_ job: Job) {
        Processors.raiseNiceValue(to: nice())
        guard let cost = job.cost ?? admittedCost(of: job) else { return }
        Self.$current.withValue(self) { job.start() }
        state.withLock { state in
            state.running -= 1
            if cost >= Self.largeCost { state.runningLarge -= 1 }
            state.runningBytes -= cost
        }
        let isDue = nextCare.withLock { next in
            let now = ContinuousClock.now
            guard now >= next else { return false }
            next = now + Self.busyInterval
            return true
        }
        if isDue { whenBusy() }
    }

    private enum Admission {
        case starts
        case waits
        case abandoned
    }

    /// Measures a job on the current thread and returns the cost of the job if the job can start.
    ///
    /// Returns nil if the job was cancelled. If not enough memory or no regular thread is available, adds the job to
    /// the waiting jobs again and returns nil.
    private func admittedCost(of job: Job) -> Int? {
        var job = job
        let cost = job.measure()
        job.cost = cost
        let (admission, mayStartMore) = state.withLock { state -> (Admission, Bool) in
            let isWanted = state.announced.remove(job.id) != nil
            // A large job must not use the additional thread.
            let hasPlace = !job.isLarge || state.running <= width
            if isWanted, hasPlace, state.running == 1 || state.runningBytes + cost <= byteBudget {
                if job.isLarge { state.runningLarge += 1 }
                state.runningBytes += cost
                // If large jobs now use all regular threads, a small job can start on the additional thread.
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
