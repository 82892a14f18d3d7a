public import Foundation
package import WebImageCore

/// A clock whose time changes only when a test advances it.
public final class VirtualClock: Sendable {
    private struct State {
        var elapsed = Duration.zero
        var start: TimeInterval
        var works: [(due: Duration, work: ScheduledWork)] = []
    }

    private let state: Locked<State>

    /// Makes a clock that starts at `start` seconds since 1970.
    public init(start: TimeInterval = 1_700_000_000) { state = Locked(State(start: start)) }

    /// Advances the clock. All work that is scheduled up to the new time runs in order of time, on the calling thread.
    public func advance(by duration: Duration) {
        let end = state.withLock { $0.elapsed } + duration
        while let next = state.withLock({ state -> ScheduledWork? in
            state.works.removeAll { $0.work.isCancelled }
            guard let index = state.works.indices.min(by: { state.works[$0].due < state.works[$1].due }),
                state.works[index].due <= end
            else { return nil }
            state.elapsed = max(state.elapsed, state.works[index].due)
            return state.works.remove(at: index).work
        }) { next.run() }
        state.withLock { $0.elapsed = max($0.elapsed, end) }
    }

    /// The number of pieces of work that are scheduled and not cancelled.
    public var waitingCount: Int { state.withLock { $0.works.count { !$0.work.isCancelled } } }

    /// The time until the next scheduled work; nil if no work is scheduled.
    public var nextDelay: Duration? {
        state.withLock { state in state.works.filter { !$0.work.isCancelled }.map { $0.due - state.elapsed }.min() }
    }
}

extension VirtualClock: DelayClock {
    package var date: TimeInterval { state.withLock { $0.start + $0.elapsed / .seconds(1) } }
    package var now: Duration { state.withLock { $0.elapsed } }

    package func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any WebImageOperation {
        let work = ScheduledWork(work)
        state.withLock { $0.works.append((due: $0.elapsed + delay, work: work)) }
        return work
    }
}
