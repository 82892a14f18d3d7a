import WebImageCore
import WebImageLoading

/// Runs work once for all requests that were accepted before the work ended.
///
/// ``SharedTasks`` serves only callers that join while the work runs. A request that was accepted while the work ran
/// can still need the value after the work has ended. So each value is kept until all requests that were accepted
/// before the end of the work have ended. A budget limits the bytes of kept values.
final class CoalescedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct FinishedValue: Sendable {
        let value: Value
        /// Requests with a lower number were accepted before the work ended.
        let end: UInt64
    }

    private struct State {
        var kept: [Key: (ended: FinishedValue, cost: Int)] = [:]
        /// The keys of kept values, in the order in which the work ended. If the work of a key runs several times, the
        /// key can occur several times.
        var queue: [(key: Key, end: UInt64)] = []
        var cost = 0
    }

    private let tasks = SharedTasks<Key, FinishedValue>()
    private let state = Locked(State())
    private let order: RequestOrder
    private let budget: Int
    private let cost: @Sendable (Value) -> Int?

    /// - Parameters:
    ///   - budget: The maximum total size of kept values in bytes. The newest value is kept even if its size exceeds
    ///     the budget.
    ///   - cost: Returns the size of a value in bytes; nil for a value that must not be kept. Such a value is returned
    ///     only to callers that already wait.
    init(order: RequestOrder, budget: Int, cost: @escaping @Sendable (Value) -> Int?) {
        self.order = order
        self.budget = budget
        self.cost = cost
        order.observe { [weak self] in self?.forget(before: $0) }
    }

    /// The number of callers that wait for work.
    var subscriberCount: Int { tasks.subscriberCount { _ in true } }
    var keptCount: Int { state.withLock { $0.kept.count } }

    /// Returns a value of work that ended after the request was accepted. The value is a kept value, the value of
    /// running work or the value of new work.
    ///
    /// - Parameters:
    ///   - request: The number of the request in the order in which requests were accepted.
    ///   - priority: The priority of this caller. The work runs with the highest priority of its waiting callers. A
    ///     handle passes this priority to the work.
    ///   - listener: Receives the events that the work sends with the handle, also earlier ones.
    func value(
        for key: Key, of request: UInt64, priority: LoadPriority = .normal, listener: StageEventListener? = nil,
        work: @escaping @Sendable (SharedTaskHandle) async throws(WebImageError) -> Value
    ) async throws(WebImageError) -> Value {
        while true {
            if let ended = kept(key, for: request) { return ended.value }
            let ended = try await tasks.withValue(
                for: key, priority: LoadPriorityHandle(priority), listener: listener
            ) { handle throws(WebImageError) -> FinishedValue in
                // Other work may have ended between the lookup above and the start of this work.
                if let ended = self.kept(key, for: request) { return ended }
                let value = try await work(handle)
                return self.keep(value, for: key)
            } body: { ended throws(WebImageError) in
                ended
            }
            // The joined work may have returned a kept value that is too old for this request. Try again.
            if ended.end > request { return ended.value }
        }
    }

    private func kept(_ key: Key, for request: UInt64) -> FinishedValue? {
        state.withLock { state in
            guard let ended = state.kept[key]?.ended, ended.end > request else { return nil }
            return ended
        }
    }

    private func keep(_ value: Value, for key: Key) -> FinishedValue {
        let ended = FinishedValue(value: value, end: order.next)
        // If no request is in flight, no request can use the value, so it is not kept.
        guard order.oldest < ended.end, let cost = cost(value) else { return ended }
        var freed: [FinishedValue] = []
        state.withLock { state in
            if let old = state.kept.removeValue(forKey: key) {
                state.cost -= old.cost
                freed.append(old.ended)
            }
            var count = 0
            while state.cost + cost > budget, count < state.queue.count {
                remove(state.queue[count], &state, &freed)
                count += 1
            }
            state.queue.removeFirst(count)
            state.kept[key] = (ended, cost)
            state.queue.append((key, ended.end))
            state.cost += cost
        }
        withExtendedLifetime(freed) {}
        return ended
    }

    private func remove(_ entry: (key: Key, end: UInt64), _ state: inout State, _ freed: inout [FinishedValue]) {
        guard let kept = state.kept[entry.key], kept.ended.end == entry.end else { return }
        state.kept[entry.key] = nil
        state.cost -= kept.cost
        freed.append(kept.ended)
    }

    private func forget(before oldest: UInt64) {
        var freed: [FinishedValue] = []
        state.withLock { state in
            let count = state.queue.prefix { $0.end <= oldest }.count
            guard count > 0 else { return }
            for entry in state.queue.prefix(count) { remove(entry, &state, &freed) }
            state.queue.removeFirst(count)
        }
        withExtendedLifetime(freed) {}
    }
}
