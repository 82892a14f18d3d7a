import Foundation
import WebImageTesting

/// Measures the processor time of the calling thread. Tests use it for time limits that are also valid on a busy or
/// slow machine.
package enum ProcessorTime {
    /// The processor time that the calling thread has used so far, in seconds. Waiting and other threads are not
    /// included.
    package static var seconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// A thread whose processor time other threads can read.
    package struct Thread: Sendable {
        private let clock: clockid_t

        /// The calling thread.
        package static var current: Thread {
            var clock = clockid_t()
            pthread_getcpuclockid(pthread_self(), &clock)
            return Thread(clock: clock)
        }

        /// The processor time that the thread has used so far, in seconds; 0 after the thread has ended.
        package var seconds: Double {
            var time = timespec()
            clock_gettime(clock, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
    }

    /// Runs `work` and returns its processor time as a multiple of the time of a fixed computation in the same process.
    ///
    /// The fixed computation is 100,000 steps of ``SeededRandom``. A slow machine, a debug build or a sanitizer slows
    /// down `work` and the fixed computation, so their ratio remains similar.
    package static func units(_ work: () throws -> Void) rethrows -> Double {
        let start = seconds
        try work()
        return (seconds - start) / unit
    }

    /// The time of the fixed computation in seconds. It is the shortest time of five runs, but at least 1 ms. A release
    /// build runs the fixed computation in less than 1 ms, but `work` does not always become faster by the same factor.
    /// Because of the minimum, tests can use the same limits for debug and release builds.
    package static let unit: Double = {
        let runs = (0..<5).map { run in
            let start = seconds
            var random = SeededRandom(seed: UInt64(run))
            var sum: UInt64 = 0
            for _ in 0..<100_000 { sum &+= random.next() }
            return sum == 0 ? .infinity : seconds - start
        }
        return max(runs.min() ?? 0, 0.001)
    }()
}
