import Dispatch
package import Foundation

/// Time as the network room needs it: what time it is, and work after a while. Injected, so that tests do not wait.
package protocol DelayClock: Sendable {
    /// Seconds since 1970, for what servers say in dates.
    var date: TimeInterval { get }
    /// A time that only grows.
    var now: Duration { get }
    /// Runs `work` once after a while, on a queue of the clock's, unless cancelled. The work is short: others wait for it.
    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any WebImageOperation
}

/// The machine's own time.
package struct SystemClock: DelayClock {
    // Serial, because such a queue has a thread of its own: on a global one, tasks of the host that compute would delay
    // every timer.
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

/// Work that runs once, or not at all after a cancel; a cancel lets go of what it holds.
package final class ScheduledWork: WebImageOperation {
    private let work: Locked<(@Sendable () -> Void)?>

    package init(_ work: @escaping @Sendable () -> Void) { self.work = Locked(work) }

    package func run() { work.withLock { $0.take() }?() }
    package func cancel() { _ = work.withLock { $0.take() } }
    package var isCancelled: Bool { work.withLock { $0 == nil } }
}
