package import Foundation

/// The threads of one pool, up to a maximum number. A thread starts when it is needed and ends after an idle time.
///
/// Dispatch queues are not used for decoding. On Linux, Swift's cooperative pool and all global and concurrent
/// dispatch queues of the same quality of service share as many threads as the machine has cores. Decoding on
/// such a queue could occupy all these threads and leave no thread for the process's `async` functions.
package final class WorkerThreads: Sendable {
    private struct State {
        /// The number of threads.
        var live = 0
        /// The number of threads that wait and have not been woken.
        var idle = 0
    }

    private let name: String
    private let most: Int
    private let idleTime: DispatchTimeInterval
    private let whenIdle: @Sendable () -> Void
    private let state = Locked(State())
    private let wakeUps = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - name: The name of the threads in `top -H`, at most 15 bytes.
    ///   - most: The maximum number of threads.
    ///   - idleTime: The time after which a thread without work ends.
    ///   - whenIdle: Called on the last thread before it ends.
    package init(
        name: String, most: Int, idleTime: DispatchTimeInterval = .seconds(5),
        whenIdle: @escaping @Sendable () -> Void = {}
    ) {
        self.name = name
        self.most = most
        self.idleTime = idleTime
        self.whenIdle = whenIdle
    }

    /// The number of threads, including idle ones.
    var liveCount: Int { state.withLock { $0.live } }

    /// Returns the next work item; nil when no work item can start now.
    package typealias Next = @Sendable () -> (@Sendable () -> Void)?

    /// Wakes an idle thread, or starts a new thread if the limit allows it. Call this method after adding
    /// work. It takes constant time, except when it starts a thread.
    ///
    /// - Parameter limit: The number of threads up to which a new thread may start; nil for the maximum.
    package func wake(limit: Int? = nil, _ next: @escaping Next) {
        let (wakes, starts) = state.withLock { state -> (Bool, Bool) in
            if state.idle > 0 {
                state.idle -= 1
                return (true, false)
            }
            guard state.live < min(limit ?? most, most) else { return (false, false) }
            state.live += 1
            return (false, true)
        }
        if wakes { wakeUps.signal() }
        if starts { start(next) }
    }

    private func start(_ next: @escaping Next) {
        let thread = Thread(name: name) { [self] in
            repeat { while let work = next() { work() } } while waitsForMore(next)
        }
        // Set the stack size, because its default depends on the shell's `ulimit -s`. Stack pages that are never
        // accessed use no memory.
        thread.stackSize = 8 << 20
        thread.start()
    }

    /// Waits for a signal of ``wake(limit:_:)``. Returns false if the idle time has passed and the thread must end.
    private func waitsForMore(_ next: Next) -> Bool {
        state.withLock { $0.idle += 1 }
        // Check again for work: if work was added after the last check but before `idle` was increased,
        // `wake` found no idle thread.
        if let work = next() {
            leaveIdle()
            work()
            return true
        }
        if wakeUps.wait(timeout: .now() + idleTime) == .success { return true }
        let (ends, isLast) = state.withLock { state -> (Bool, Bool) in
            guard state.idle > 0 else { return (false, false) }
            state.idle -= 1
            state.live -= 1
            return (true, state.live == 0)
        }
        if isLast { whenIdle() }
        // If `ends` is false, the wait timed out, but `wake` has already counted this thread as woken. Wait for the
        // signal of `wake`.
        if !ends { wakeUps.wait() }
        return !ends
    }

    /// Removes this thread from the idle count. If `wake` has already counted this thread as woken, waits for the
    /// signal of `wake`, so that the signal does not wake another thread later.
    private func leaveIdle() {
        let wasWoken = state.withLock { state -> Bool in
            guard state.idle > 0 else { return true }
            state.idle -= 1
            return false
        }
        if wasWoken { wakeUps.wait() }
    }
}

extension Thread {
    /// Creates a thread with a name that system tools such as `top -H` show.
    ///
    /// The thread sets its own name after it has started. If `name` is set before ``start()``, Foundation does not
    /// pass the name to the system. Linux limits the name to 15 bytes (`man 3 pthread_setname_np`).
    ///
    /// - Parameter name: the name in ASCII. Tools show only its first 15 bytes.
    package convenience init(name: String, block: @escaping @Sendable () -> Void) {
        self.init {
            Processors.raiseNiceValue()
            let name = String(name.prefix(15))
            Thread.current.name = name
            // Foundation passes the name to the system only if the creating thread has already recorded this thread's
            // identifier. A new thread that runs before that would keep the name of its creator.
            if let file = fopen("/proc/thread-self/comm", "w") {
                fputs(name, file)
                fclose(file)
            }
            block()
        }
    }
}
