import Foundation
import Testing
import WebImageCore
import WebImageTestTraits
import WebImageTesting

/// Tests the threads for code of the program. They normally are few. If all of them wait, further threads start.
@Suite(.timeLimit(minutes: 1))
struct UserCodePoolTests {
    @Test func jobsThatEndUseOnlyTheUsualThreads() async throws {
        let clock = VirtualClock()
        let pool = UserCodePool(name: "test.user", width: 2, clock: clock)
        let done = Locked(0)
        for _ in 0..<500 { pool.submit { done.withLock { $0 += 1 } } }
        try await eventually("all jobs have ended") { done.withLock { $0 } == 500 }
        #expect(pool.threadCount <= 2)
    }

    @Test func waitingJobsStartFurtherThreadsUpToTheMaximum() async throws {
        let clock = VirtualClock()
        let pool = UserCodePool(name: "test.user", width: 2, most: 5, clock: clock)
        let (isReleased, started) = (DispatchSemaphore(value: 0), Locked(0))
        for _ in 0..<20 {
            pool.submit {
                started.withLock { $0 += 1 }
                isReleased.wait()
            }
        }
        try await eventually("the usual jobs run") { started.withLock { $0 } == 2 }
        for count in 3...5 {
            clock.advance(by: .milliseconds(100))
            try await eventually("one more job runs") { started.withLock { $0 } == count }
        }
        clock.advance(by: .seconds(10))
        #expect(pool.threadCount == 5 && started.withLock { $0 } == 5)
        for _ in 0..<20 { isReleased.signal() }
        try await eventually("all jobs have run") { started.withLock { $0 } == 20 }
    }

    @Test func cancelledJobDoesNotStart() async throws {
        let pool = UserCodePool(name: "test.user", width: 1, clock: VirtualClock())
        let (isReleased, runs) = (DispatchSemaphore(value: 0), Locked(0))
        pool.submit { isReleased.wait() }
        let task = Task { try await pool.run { runs.withLock { $0 += 1 } } }
        task.cancel()
        await #expect(throws: WebImageError.self) { try await task.value }
        isReleased.signal()
        try await pool.run {}
        #expect(runs.withLock { $0 } == 0)
    }

    @Test func serialBlocksRunInOrderAndOneAtATime() async throws {
        let pool = UserCodePool(name: "test.user", width: 4)
        let lanes = (0..<8).map { _ in (SerialUserCode(pool: pool), Locked<[Int]>([])) }
        for number in 0..<200 {
            for (lane, seen) in lanes { lane.async { seen.withLock { $0.append(number) } } }
        }
        try await eventually("all blocks have run") { lanes.allSatisfy { $0.1.withLock { $0.count } == 200 } }
        for (_, seen) in lanes { #expect(seen.withLock { $0 } == Array(0..<200)) }
    }
}
