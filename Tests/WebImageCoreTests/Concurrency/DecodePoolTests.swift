import Foundation
import Testing
import WebImageCore
import WebImageTestTraits
import WebImageTesting

@Suite(.timeLimit(minutes: 1))
struct DecodePoolTests {
    @Test func atMostWidthJobsRunAtOnce() async throws {
        let pool = DecodePool(width: 2, byteBudget: .max / 2)
        let most = Locked(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await pool.run { () throws(WebImageError) in
                        most.withLock { $0 = max($0, pool.runningCount) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(most.withLock { $0 } <= 2)
        #expect(await eventually { pool.runningCount == 0 })
    }

    @Test func highestPriorityJobStartsFirst() async throws {
        let pool = DecodePool(width: 1, byteBudget: .max / 2)
        let gate = DispatchSemaphore(value: 0)
        let order = Locked<[LoadPriority]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await pool.run { () throws(WebImageError) in gate.wait() } }
            #expect(await eventually { pool.runningCount == 1 })
            for (index, priority) in [LoadPriority.low, .normal, .high].enumerated() {
                group.addTask {
                    try await pool.run(priority: LoadPriorityHandle(priority)) { () throws(WebImageError) in
                        order.withLock { $0.append(priority) }
                    }
                }
                #expect(await eventually { pool.waitingCount == index + 1 })
            }
            gate.signal()
            try await group.waitForAll()
        }
        #expect(order.withLock { $0 } == [.high, .normal, .low])
    }

    @Test func waitingJobsOfLowPriorityAreCountedSeparately() async throws {
        let pool = DecodePool(width: 1, byteBudget: .max / 2)
        let gate = DispatchSemaphore(value: 0)
        pool.submit { gate.wait() }
        #expect(await eventually { pool.runningCount == 1 })
        let handle = LoadPriorityHandle(.low)
        let moved = Task { try await pool.run(priority: handle) { () throws(WebImageError) in } }
        pool.submit(priority: .low) {}
        pool.submit(priority: .high) {}
        #expect(await eventually { pool.waitingCount == 3 })
        #expect(pool.waitingCountWithoutLow == 1)
        handle.priority = .normal
        #expect(pool.waitingCountWithoutLow == 2)
        moved.cancel()
        await #expect(throws: WebImageError.self) { try await moved.value }
        #expect(pool.waitingCountWithoutLow == 1)
        gate.signal()
        #expect(await eventually { pool.waitingCount == 0 })
        #expect(pool.waitingCountWithoutLow == 0)
    }

    /// A job that can use several threads gets those that no other job needs.
    @Test func idleThreadsAreLentToAJob() async throws {
        let pool = DecodePool(width: 4, byteBudget: .max / 2)
        let lend: @Sendable (Int, Int) throws(WebImageError) -> Int = { most, processors throws(WebImageError) in
            try DecodePool.withIdleThreads(most, processors: processors) { threads throws(WebImageError) in threads }
        }
        #expect(try lend(8, 8) == 1)
        let alone = try await pool.run { () throws(WebImageError) in [try lend(8, 8), try lend(3, 8), try lend(8, 2)] }
        #expect(alone == [4, 3, 2])
        #expect(await eventually { pool.runningCount == 0 })
        // Beside a running job, and while the threads are lent: one small job can start, no other one.
        let gate = DispatchSemaphore(value: 0)
        pool.submit { gate.wait() }
        #expect(await eventually { pool.runningCount == 1 })
        let started = Locked(0)
        let lent = try await pool.run { () throws(WebImageError) in
            try DecodePool.withIdleThreads(8, processors: 8) { threads throws(WebImageError) in
                for _ in 0..<3 { pool.submit { started.withLock { $0 += 1 } } }
                #expect(try lend(8, 8) == 1)
                return threads
            }
        }
        #expect(lent == 3)
        gate.signal()
        #expect(await eventually { pool.runningCount == 0 && started.withLock { $0 } == 3 })
    }

    @Test func noThreadIsLentWhileJobsWait() async throws {
        let pool = DecodePool(width: 2, byteBudget: 100)
        let gate = DispatchSemaphore(value: 0)
        let running = Task {
            try await pool.run(cost: 60) { () throws(WebImageError) in
                gate.wait()
                return try DecodePool.withIdleThreads(8, processors: 8) { threads throws(WebImageError) in threads }
            }
        }
        #expect(await eventually { pool.runningCount == 1 })
        // This job waits for memory, not for a thread.
        let waiting = Task { try await pool.run(cost: 60) { () throws(WebImageError) in } }
        #expect(await eventually { pool.waitingCount == 1 })
        gate.signal()
        #expect(try await running.value == 1)
        try await waiting.value
    }

    @Test func aJobCancelledWhileWaitingNeverStarts() async throws {
        let pool = DecodePool(width: 1, byteBudget: .max / 2)
        let gate = DispatchSemaphore(value: 0)
        let started = Locked(false)
        let blocker = Task { try await pool.run { () throws(WebImageError) in gate.wait() } }
        #expect(await eventually { pool.runningCount == 1 })
        let waiting = Task { try await pool.run { () throws(WebImageError) in started.withLock { $0 = true } } }
        #expect(await eventually { pool.waitingCount == 1 })
        waiting.cancel()
        await #expect(throws: WebImageError.self) { try await waiting.value }
        gate.signal()
        try await blocker.value
        #expect(!started.withLock { $0 })
    }

    @Test func aJobLargerThanTheBudgetRunsAlone() async throws {
        let pool = DecodePool(width: 4, byteBudget: 10)
        let most = Locked(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await pool.run(cost: 100) { () throws(WebImageError) in
                        most.withLock { $0 = max($0, pool.runningCount) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(most.withLock { $0 } == 1)
    }

    @Test func aMeasuredJobWaitsUntilItsBytesAreFree() async throws {
        let pool = DecodePool(width: 2, byteBudget: 10)
        let gate = DispatchSemaphore(value: 0)
        let blocker = Task { try await pool.run(cost: 6) { () throws(WebImageError) in gate.wait() } }
        #expect(await eventually { pool.runningCount == 1 })
        let (measured, started) = (Locked(0), Locked(false))
        let large = Task {
            try await pool.run(
                measuring: {
                    measured.withLock { $0 += 1 }
                    return 5
                }
            ) { () throws(WebImageError) in started.withLock { $0 = true } }
        }
        #expect(await eventually { measured.withLock { $0 } == 1 && pool.waitingCount == 1 })
        #expect(!started.withLock { $0 } && pool.runningCount == 1)
        gate.signal()
        _ = try await (blocker.value, large.value)
        #expect(started.withLock { $0 } && measured.withLock { $0 } == 1)
        #expect(await eventually { pool.runningCount == 0 })
    }

    @Test func aJobCancelledWhileItIsMeasuredNeverStarts() async throws {
        let pool = DecodePool(width: 1, byteBudget: 10)
        let gate = DispatchSemaphore(value: 0)
        let started = Locked(false)
        let job = Task {
            try await pool.run(
                measuring: {
                    gate.wait()
                    return 1
                }
            ) { () throws(WebImageError) in started.withLock { $0 = true } }
        }
        #expect(await eventually { pool.runningCount == 1 })
        job.cancel()
        gate.signal()
        await #expect(throws: WebImageError.self) { try await job.value }
        #expect(await eventually { pool.runningCount == 0 })
        #expect(!started.withLock { $0 })
    }

    @Test func submittedWorkRunsWithoutAWaiter() async {
        let pool = DecodePool(width: 1, byteBudget: 10)
        let done = Locked<[Int]>([])
        for number in 0..<3 { pool.submit(measuring: { 100 }) { done.withLock { $0.append(number) } } }
        #expect(await eventually { done.withLock { $0 } == [0, 1, 2] })
        #expect(await eventually { pool.runningCount == 0 })
    }

    @Test(arguments: [false, true])
    func threadsLowerTheirPriorityBesideAMainLoop(draws: Bool) async throws {
        let pool = DecodePool(width: 1, byteBudget: .max / 2, nice: { draws ? 10 : 0 })
        let nice = try await pool.run { () throws(WebImageError) in getpriority(.init(PRIO_PROCESS.rawValue), 0) }
        let own = getpriority(.init(PRIO_PROCESS.rawValue), UInt32(getpid()))
        #expect(nice == (draws ? max(own, 10) : own))
    }
}
