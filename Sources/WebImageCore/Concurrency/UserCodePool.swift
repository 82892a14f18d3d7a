package import Foundation

/// Runs code that may wait, such as transformers, serializers, progress blocks and reads of files, on threads of its own.
///
/// The pool normally uses as many threads as the program may use processors. If all of them wait, for example in transformers
/// that load further images, no job would ever end. Therefore one more job may start whenever a job has waited for a
/// short time in which no other job has ended. The number of threads never exceeds a maximum.
package final class UserCodePool: Sendable {
    /// The pool for transformers, serializers and delegates.
    package static let shared = UserCodePool(
        name: "webimage.user", width: max(2, Processors.count))
    /// The pool for the blocks of downloads. Transformers that wait for a download must not delay these blocks.
    package static let downloads = UserCodePool(name: "webimage.event", width: 2)

    private struct Job {
        let id: UInt64
        let work: @Sendable () -> Void
    }

    private struct State {
        var waiting = PriorityQueue<Job>()
        var lastID: UInt64 = 0
        var running = 0
        /// The number of jobs that may run now, at least the pool's width.
        var allowed: Int
        /// The number of jobs that have ended.
        var ended: UInt64 = 0
        var isWatched = false
    }

    /// The time without an ended job after which another job may start.
    private static let patience = Duration.milliseconds(100)

    private let width: Int
    private let most: Int
    private let state: Locked<State>
    private let threads: WorkerThreads
    private let clock: any DelayClock

    /// - Parameters:
    ///   - name: The name of the threads, at most 15 bytes.
    ///   - width: The number of jobs that run at the same time while jobs end.
    ///   - most: The maximum number of jobs and threads if all jobs wait.
    package init(
        name: String, width: Int, most: Int = 64, idleTime: DispatchTimeInterval = .seconds(5),
        clock: any DelayClock = SystemClock()
    ) {
        self.width = width
        self.most = max(most, width)
        self.clock = clock
        state = Locked(State(allowed: width))
        threads = WorkerThreads(name: name, most: max(most, width), idleTime: idleTime)
    }

    /// The number of threads, including idle ones.
    package var threadCount: Int { threads.liveCount }

    /// Runs `work` on the pool and returns without waiting for it.
    package func submit(priority: LoadPriority = .normal, _ work: @escaping @Sendable () -> Void) {
        enqueue(priority, work)
    }

    /// Runs `work` on the pool and waits for its result. If the surrounding task is cancelled while the work runs, still
    /// waits for it.
    ///
    /// - Throws: `.cancelled` when the surrounding task is cancelled before the work starts.
    package func run<Value: Sendable>(
        priority: LoadPriority = .normal, work: @escaping @Sendable () -> Value
    ) async throws(WebImageError) -> Value {
        let completion = Completion<Result<Value, WebImageError>>()
        // Claimed by the start of the work or by a cancel.
        let start = Completion<Void>()
        let outcome = await withTaskCancellationHandler {
            await withValueContinuation { continuation in
                completion.whenCompleted { continuation.resume(returning: $0) }
                let number = enqueue(priority) {
                    if start.complete(with: ()) { completion.complete(with: .success(work())) }
                }
                start.whenCancelled { [weak self] in self?.remove(number) }
            }
        } onCancel: {
            if start.cancel(with: ()) { completion.complete(with: .failure(.cancelled)) }
        }
        return try outcome.get()
    }

    @discardableResult
    private func enqueue(_ priority: LoadPriority, _ work: @escaping @Sendable () -> Void) -> UInt64 {
        let id = state.withLock { state in
            state.lastID += 1
            state.waiting.append(Job(id: state.lastID, work: work), id: state.lastID, priority: priority)
            return state.lastID
        }
        wake()
        watch()
        return id
    }

    private func remove(_ id: UInt64) {
        let job = state.withLock { $0.waiting.remove(id) }
        withExtendedLifetime(job) {}
    }

    /// Wakes a thread, or starts one if there are fewer threads than jobs that may run.
    private func wake() {
        let allowed = state.withLock { $0.allowed }
        threads.wake(limit: allowed) { [weak self] in self?.takeNext() }
    }

    private func takeNext() -> (@Sendable () -> Void)? {
        let job = state.withLock { state -> Job? in
            guard state.running < state.allowed, let job = state.waiting.first else { return nil }
            _ = state.waiting.remove(job.id)
            state.running += 1
            return job
        }
        guard let job else { return nil }
        return {
            job.work()
            self.state.withLock { state in
                state.running -= 1
                state.ended += 1
                // An additional job has ended, so one fewer is needed.
                state.allowed = max(state.allowed - 1, self.width)
            }
        }
    }

    /// Checks after ``patience`` whether jobs still wait and no job has ended in the meantime.
    private func watch() {
        let ended = state.withLock { state -> UInt64? in
            guard !state.isWatched, state.waiting.count > 0, width < most else { return nil }
            state.isWatched = true
            return state.ended
        }
        guard let ended else { return }
        _ = clock.schedule(after: Self.patience) { [weak self] in self?.startAnotherJob(ifNoneEndedSince: ended) }
    }

    private func startAnotherJob(ifNoneEndedSince ended: UInt64) {
        let isStuck = state.withLock { state in
            state.isWatched = false
            guard state.waiting.count > 0, state.ended == ended, state.running >= state.allowed, state.allowed < most
            else { return false }
            state.allowed += 1
            return true
        }
        if isStuck { wake() }
        watch()
    }
}

/// Runs blocks one after another on the ``UserCodePool``, in the order in which they were added. Uses a thread only
/// while blocks wait.
package final class SerialUserCode: Sendable {
    private let pool: UserCodePool
    private let flush = Locked(PendingFlush<@Sendable () -> Void>())

    package init(pool: UserCodePool) { self.pool = pool }

    /// Adds a block and returns without waiting for it.
    package func async(_ block: @escaping @Sendable () -> Void) {
        guard flush.withLock({ $0.add(block) }) else { return }
        pool.submit { while let block = self.flush.withLock({ $0.next() }) { block() } }
    }
}
