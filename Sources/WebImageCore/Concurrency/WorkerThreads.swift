package import Foundation

/// A bounded number of threads for one pool; they start when needed and end when idle.
///
/// On Linux, all dispatch queues of one quality of service share one root queue with as many threads as cores, and so
/// does Swift's cooperative pool. Decoding on a queue would therefore leave no thread for the process's `async`
/// functions. These threads are independent of that queue.
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
    ///   - idleTime: How long a thread without work is kept.
    ///   - whenIdle: Called by the last thread before it ends.
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
    package var liveCount: Int { state.withLock { $0.live } }

    /// Returns the next work item; nil when none may start.
    package typealias Next = @Sendable () -> (@Sendable () -> Void)?

    /// Wakes or starts one more thread, if possible; call it after adding work. Constant time, except for the start of
    /// a thread.
    package func wake(_ next: @escaping Next) {
        let (wakes, starts) = state.withLock { state -> (Bool, Bool) in
            if state.idle > 0 {
                state.idle -= 1
                return (true, false)
            }
            guard state.live < most else { return (false, false) }
            state.live += 1
            return (false, true)
        }
        if wakes { wakeUps.signal() }
        if starts { start(next) }
    }

    private func start(_ next: @escaping Next) {
        let thread = Thread { [self] in
            repeat { while let work = next() { work() } } while waitsForMore(next)
        }
        thread.name = name
        // Explicit, because the default follows the shell's `ulimit -s`. Untouched pages use no memory.
        thread.stackSize = 8 << 20
        thread.start()
    }

    /// Waits for a wake-up; returns false when the thread should end.
    private func waitsForMore(_ next: Next) -> Bool {
        state.withLock { $0.idle += 1 }
        // Work added after the last check but before `idle` was increased found no idle thread to wake: check again.
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
        // If all idle threads have been woken, a wake-up for this one is on its way.
        if !ends { wakeUps.wait() }
        return !ends
    }

    /// Removes this thread from the idle count. If all idle threads were woken meanwhile, consumes the wake-up meant
    /// for this one.
    private func leaveIdle() {
        let wasWoken = state.withLock { state -> Bool in
            guard state.idle > 0 else { return true }
            state.idle -= 1
            return false
        }
        if wasWoken { wakeUps.wait() }
    }
}
