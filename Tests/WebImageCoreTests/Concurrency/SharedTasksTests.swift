import Testing
import WebImageTesting

@testable import WebImageCore

struct SharedTasksTests {
    /// The work cancels its only subscriber immediately, often before the subscriber waits for the result.
    @Test func aCancelReachesTheWorkAtOnceHoweverEarlyItComes() async {
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

    @Test func cancelledSubscriberStartsNoWork() async {
        let tasks = SharedTasks<Int, Int>()
        let starts = Locked(0)
        let (isCancelled, gate) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            // The loop ends immediately, because the task is already cancelled.
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
}
