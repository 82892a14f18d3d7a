import Foundation

/// Processor time of the calling thread, for bounds that hold on a busy or slow machine.
package enum ProcessorTime {
    /// Seconds that the calling thread has computed so far; waiting and other threads do not count.
    package static var seconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The processor time of `work` as a multiple of a fixed computation in the same process.
    ///
    /// The computation is 100,000 steps of ``SeededRandom``. A slow machine, a debug build and a sanitizer slow both.
    package static func units(_ work: () throws -> Void) rethrows -> Double {
        let start = seconds
        try work()
        return (seconds - start) / unit
    }

    /// Seconds of the fixed computation: the shortest of five runs, at least 1 ms so that a release build has the same bounds.
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
