package import Foundation

/// A bounded number of threads that belong to one pool alone; started when needed, ended when idle.
///
/// On Linux every dispatch queue of one quality of service shares one root queue of as many threads as cores, and Swift's
/// cooperative pool is one of them: decoding on a queue keeps every `async` function of the process from a thread. These
/// threads are nobody else's.
package final class WorkerThreads: Sendable {
    private struct State {
        /// Threads that exist.
        var live = 0
        /// Threads that wait and were not woken yet.
        var idle = 0
    }

    private let name: String
    private let most: Int
    private let idleTime: DispatchTimeInterval
    private let state = Locked(State())
    private let wakeUps = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - name: of the threads, at most 15 bytes, as `top -H` shows it.
    ///   - most: threads at once.
    ///   - idleTime: how long a thread without work stays.
    package init(name: String, most: Int, idleTime: DispatchTimeInterval = .seconds(5)) {
        self.name = name
        self.most = most
        self.idleTime = idleTime
    }

    /// Threads that exist now.
    package var liveCount: Int { state.withLock { $0.live } }

    /// Takes the work whose turn it is; nil when there is none that may start.
    package typealias Next = @Sendable () -> (@Sendable () -> Void)?

    /// Makes one more thread look for work, if there is one; called after work has been added. Constant time, but for the
    /// start of a thread.
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
        // Explicit, because the default follows the shell's `ulimit -s`; only touched pages take memory.
        thread.stackSize = 8 << 20
        thread.start()
    }

    /// Waits for a wake-up; false when the thread is to end.
    private func waitsForMore(_ next: Next) -> Bool {
        state.withLock { $0.idle += 1 }
        // Work that was added between the last look and the line above found no idle thread to wake: look once more.
        if let work = next() {
            leaveIdle()
            work()
            return true
        }
        if wakeUps.wait(timeout: .now() + idleTime) == .success { return true }
        let ends = state.withLock { state -> Bool in
            guard state.idle > 0 else { return false }
            state.idle -= 1
            state.live -= 1
            return true
        }
        // All that were idle have been woken, so that a wake-up is on its way to this one as well.
        if !ends { wakeUps.wait() }
        return !ends
    }

    /// Takes this thread out of the idle ones; if all of them were woken meanwhile, takes the wake-up that is its own.
    private func leaveIdle() {
        let wasWoken = state.withLock { state -> Bool in
            guard state.idle > 0 else { return true }
            state.idle -= 1
            return false
        }
        if wasWoken { wakeUps.wait() }
    }
}
