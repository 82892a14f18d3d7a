import Dispatch
package import Foundation

/// The source of the current time and of timers for the network code. Tests inject another clock, so that
/// the tests need not wait.
package protocol DelayClock: Sendable {
    /// The current time in seconds since 1970, for comparison with dates from servers.
    var date: TimeInterval { get }
    /// A monotonic time since an arbitrary start, for measuring intervals.
    var now: Duration { get }
    /// Runs `work` once after a delay on a queue of the clock, unless the returned operation is cancelled before
    /// the delay has passed. The work must be short, because other timers wait until the work has finished.
    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any WebImageOperation
}

extension DelayClock {
    /// Suspends the task. Returns false if the task is cancelled meanwhile.
    package func wait(for time: Duration) async -> Bool {
        let completion = Completion<Bool>()
        let timer = schedule(after: time) { completion.complete(with: true) }
        return await withTaskCancellationHandler {
            await withValueContinuation { completion.whenCompleted($0.resume(returning:)) }
        } onCancel: {
            timer.cancel()
            completion.complete(with: false)
        }
    }
}

/// The system's clocks.
package struct SystemClock: DelayClock {
    // The queue is serial, because a serial queue has its own thread. On a global queue, CPU-bound tasks of
    // the program could occupy all threads and delay every timer.
    private static let timers = DispatchQueue(label: "webimage.timers")

    package init() {}

    package var date: TimeInterval { Date().timeIntervalSince1970 }

    package var now: Duration { .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds)) }

    package func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any WebImageOperation {
        let timer = ScheduledWork(work)
        let nanoseconds = max(delay / .nanoseconds(1), 0)
        let interval = DispatchTimeInterval.nanoseconds(Int(min(nanoseconds, 4e18)))
        Self.timers.asyncAfter(deadline: .now() + interval) { timer.run() }
        return timer
    }
}

/// Work that runs at most once. Cancelling the work releases its closure.
package final class ScheduledWork: WebImageOperation {
    private let work: Locked<LockedFunction<@Sendable () -> Void>?>

    package init(_ work: @escaping @Sendable () -> Void) { self.work = Locked(LockedFunction(work)) }

    package func run() { work.withLock { $0.take() }?.call() }
    package func cancel() { _ = work.withLock { $0.take() } }
    package var isCancelled: Bool { work.withLock { $0 == nil } }
}
