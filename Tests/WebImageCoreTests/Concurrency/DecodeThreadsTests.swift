import Foundation
import Testing
import WebImageCore
import WebImageTestTraits
import WebImageTesting

/// The decode pool has its own threads, bounds their number and shares them fairly between small and large jobs.
@Suite(.timeLimit(minutes: 2))
struct DecodeThreadsTests {
    private let large = DecodePool.largeCost

    /// Jobs that each block a thread until the test calls `letGo()`.
    private final class Blocked: Sendable {
        let gate = DispatchSemaphore(value: 0)
        let finished = Locked(0)
        let count: Int

        init(_ pool: DecodePool, _ count: Int, cost: Int = 0) {
            self.count = count
            for _ in 0..<count {
                pool.submit(measuring: { cost }) {
                    self.gate.wait()
                    self.finished.withLock { $0 += 1 }
                }
            }
        }

        func letGo() async -> Bool {
            for _ in 0..<count { gate.signal() }
            return await eventually { self.finished.withLock { $0 } == self.count }
        }
    }

    @Test func decodeThreadsHaveANameInTheSystem() async throws {
        let pool = DecodePool(width: 1, byteBudget: .max / 2)
        let name = Locked("")
        pool.submit(measuring: { 0 }) {
            let text = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
            name.withLock { $0 = text ?? "unreadable" }
        }
        #expect(await eventually { !name.withLock { $0.isEmpty } })
        #expect(name.withLock { $0 } == "webimage.decode\n")
    }

    @Test func hostTaskRunsWhileEveryThreadIsBlocked() async {
        // `width` is greater than the number of threads that Swift's cooperative pool and a root queue of libdispatch
        // have together.
        let width = 8 * ProcessInfo.processInfo.activeProcessorCount
        let pool = DecodePool(width: width, byteBudget: .max / 2)
        let blocked = Blocked(pool, width)
        #expect(await eventually { pool.runningCount == width })
        for priority in [TaskPriority.high, .medium, .low, .background] {
            let answer = await Task.detached(priority: priority) { 1 }.value
            #expect(answer == 1)
        }
        #expect(pool.runningCount == width)
        #expect(await blocked.letGo())
    }

    @Test func jobsOfEqualPriorityStartInOrderOfArrival() async {
        let pool = DecodePool(width: 1, byteBudget: .max / 2)
        let blocked = Blocked(pool, 1)
        #expect(await eventually { pool.runningCount == 1 })
        let started = Locked<[Int]>([])
        for number in 0..<100 { pool.submit { started.withLock { $0.append(number) } } }
        #expect(pool.waitingCount == 100)
        #expect(await blocked.letGo())
        #expect(await eventually { started.withLock { $0.count } == 100 })
        #expect(started.withLock { $0 } == Array(0..<100))
    }

    @Test func smallJobRunsWhileLargeOnesUseEveryThread() async throws {
        let pool = DecodePool(width: 2, byteBudget: .max / 2)
        let blocked = Blocked(pool, 20, cost: large)
        #expect(await eventually { pool.runningCount == 2 && pool.waitingCount == 18 })
        let done = Locked(0)
        for _ in 0..<200 {
            try await pool.run(cost: large - 1) { () throws(WebImageError) in done.withLock { $0 += 1 } }
        }
        #expect(done.withLock { $0 } == 200)
        #expect(blocked.finished.withLock { $0 } == 0)
        #expect(await blocked.letGo())
    }

    @Test func threadForSmallJobsRunsOneSmallJobAtATime() async {
        let pool = DecodePool(width: 2, byteBudget: .max / 2)
        let larger = Blocked(pool, 2, cost: large)
        #expect(await eventually { pool.runningCount == 2 })
        let further = Blocked(pool, 1, cost: large)
        let small = Blocked(pool, 3)
        #expect(await eventually { pool.runningCount == 3 && pool.waitingCount == 3 })
        #expect(further.finished.withLock { $0 } == 0)
        #expect(await larger.letGo())
        #expect(await small.letGo())
        #expect(await further.letGo())
        #expect(await eventually { pool.runningCount == 0 })
    }

    @Test func idleThreadsEndAndNewOnesStart() async {
        let idleTimes = Locked(0)
        let pool = DecodePool(width: 3, byteBudget: .max / 2, idleTime: .milliseconds(1)) {
            idleTimes.withLock { $0 += 1 }
        }
        #expect(pool.threadCount == 0)
        for number in 0..<20 {
            let blocked = Blocked(pool, 3)
            #expect(await eventually { pool.runningCount == 3 })
            #expect(pool.threadCount >= 3)
            #expect(await blocked.letGo())
            #expect(await eventually { pool.threadCount == 0 })
            // Three threads end. Only the thread that ends last calls the idle handler.
            #expect(await eventually { idleTimes.withLock { $0 } == number + 1 })
        }
    }

    /// A job that arrives while an idle thread ends must not be lost.
    @Test func everyJobRunsOnceWithinTheLimits() async {
        var random = SeededRandom(seed: 19)
        let budget = 3 * large
        let pool = DecodePool(width: 3, byteBudget: budget, idleTime: .microseconds(50))
        let ran = Locked([Int](repeating: 0, count: 3000))
        let (most, bytes) = (Locked(0), Locked((now: 0, most: 0)))
        for number in 0..<3000 {
            let cost = Int(random.next() % UInt64(2 * large))
            let priority = [LoadPriority.low, .normal, .high][Int(random.next() % 3)]
            pool.submit(measuring: { cost }, priority: priority) {
                most.withLock { $0 = max($0, pool.runningCount) }
                bytes.withLock {
                    $0.now += cost
                    $0.most = max($0.most, $0.now)
                }
                ran.withLock { $0[number] += 1 }
                bytes.withLock { $0.now -= cost }
            }
            // Wait sometimes until the pool is idle, so that idle threads end between jobs.
            if number % 50 == 0 { _ = await eventually { pool.runningCount == 0 && pool.waitingCount == 0 } }
        }
        #expect(await eventually { ran.withLock { $0.allSatisfy { $0 == 1 } } })
        #expect(await eventually { pool.runningCount == 0 && pool.threadCount == 0 })
        #expect(most.withLock { $0 } <= 4)
        #expect(bytes.withLock { $0.most } <= budget)
    }
}
