import Dispatch
import Testing
import WebImageTesting

@testable import WebImageCore
@testable import WebImageLoading

struct SharedTasksTests {
    /// The work cancels its only subscriber immediately, often before the subscriber waits for the result. The cancel
    /// must cancel the work in every case.
    @Test func cancelReachesTheWorkAtEveryInstant() async {
        let missed = Locked(0)
        for number in 0..<2000 {
            let tasks = SharedTasks<Int, Int>()
            let subscriber = Locked<Task<Bool, Never>?>(nil)
            let (isKnown, gate) = AsyncStream.makeStream(of: Void.self)
            let task = Task.detached {
                for await _ in isKnown {}
                do throws(WebImageError) {
                    return try await tasks.withValue(
                        for: number, priority: LoadPriorityHandle(),
                        work: { _ in
                            subscriber.withLock { $0 }?.cancel()
                            if !Task.isCancelled { missed.withLock { $0 += 1 } }
                            return number
                        },
                        body: { _ in false })
                } catch { return error.isCancellation }
            }
            subscriber.withLock { $0 = task }
            gate.finish()
            #expect(await task.value)
            #expect(await eventually { tasks.count == 0 })
        }
        #expect(missed.withLock { $0 } == 0)
    }

    @Test func concurrentPriorityChangesEndWithTheNewest() async {
        let tasks = SharedTasks<Int, Int>()
        let priority = LoadPriorityHandle()
        let work = Locked<SharedTaskHandle?>(nil)
        let (isDone, gate) = AsyncStream.makeStream(of: Void.self)
        let task = Task.detached {
            try await tasks.withValue(
                for: 1, priority: priority,
                work: { handle in
                    work.withLock { $0 = handle }
                    for await _ in isDone {}
                    return 1
                },
                body: { (value: Int) throws(WebImageError) in value })
        }
        #expect(await eventually { work.withLock { $0 } != nil })
        var stale = 0
        for _ in 0..<20_000 {
            DispatchQueue.concurrentPerform(iterations: 2) { priority.priority = $0 == 0 ? .low : .high }
            if work.withLock({ $0?.priority.priority }) != priority.priority { stale += 1 }
        }
        #expect(stale == 0)
        gate.finish()
        _ = try? await task.value
    }

    @Test func cancelledSubscriberStartsNoWork() async {
        let tasks = SharedTasks<Int, Int>()
        let starts = Locked(0)
        let (isCancelled, gate) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            // The loop ends after `task.cancel()`, so the task subscribes only when it is cancelled.
            for await _ in isCancelled {}
            _ = try? await tasks.withValue(
                for: 1, priority: LoadPriorityHandle(),
                work: { _ in
                    starts.withLock { $0 += 1 }
                    return 1
                },
                body: { (value: Int) throws(WebImageError) in value })
        }
        task.cancel()
        gate.finish()
        await task.value
        #expect(starts.withLock { $0 } == 0 && tasks.count == 0)
    }

    @Test func innerWorkLearnsOnceThatProgressIsNeeded() {
        let (outer, middle, inner) = (SharedTaskHandle(), SharedTaskHandle(), SharedTaskHandle())
        let calls = Locked(0)
        outer.addListener({ _ in }, id: 1, demand: .never)
        middle.addListener({ _ in }, id: 1, demand: outer.stage.demand)
        inner.addListener({ _ in }, id: 1, demand: middle.stage.demand)
        inner.stage.demand.whenNeeded { calls.withLock { $0 += 1 } }
        #expect(calls.withLock { $0 } == 0)
        outer.addListener({ _ in }, id: 2, demand: .always)
        outer.addListener({ _ in }, id: 3, demand: .always)
        #expect(calls.withLock { $0 } == 1)
        // Work that joins later learns it at once.
        let later = SharedTaskHandle()
        later.addListener({ _ in }, id: 1, demand: outer.stage.demand)
        later.stage.demand.whenNeeded { calls.withLock { $0 += 1 } }
        #expect(calls.withLock { $0 } == 2)
    }

    @Test func outerWorkDoesNotKeepInnerWorkThatHasEnded() {
        let outer = SharedTaskHandle()
        weak var ended: SharedTaskHandle?
        do {
            let inner = SharedTaskHandle()
            ended = inner
            inner.addListener({ _ in }, id: 1, demand: outer.stage.demand)
            inner.stage.demand.whenNeeded { Issue.record("no listener needs progress") }
            inner.removeListener(id: 1)
        }
        #expect(ended == nil)
        outer.addListener({ _ in }, id: 1, demand: .always)
    }
}
