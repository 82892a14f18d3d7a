/// A priority that may change while work waits or runs, and those who act on it.
///
/// Observers are called outside the lock and read ``value`` anew under their own, so that the newest value wins
/// whichever thread comes last.
package final class MovablePriority: Sendable {
    private struct State {
        var value: LoadPriority
        var observers: [UInt64: @Sendable () -> Void] = [:]
        var lastID: UInt64 = 0
    }

    private let state: Locked<State>

    package init(_ value: LoadPriority = .normal) { state = Locked(State(value: value)) }

    package var value: LoadPriority { state.withLock { $0.value } }

    package func set(_ value: LoadPriority) {
        let observers = state.withLock { state -> [@Sendable () -> Void] in
            guard state.value != value else { return [] }
            state.value = value
            return Array(state.observers.values)
        }
        for observer in observers { observer() }
    }

    /// Calls `observer` after every change until ``forget(_:)``.
    package func observe(_ observer: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            state.observers[state.lastID] = observer
            return state.lastID
        }
    }

    package func forget(_ id: UInt64) {
        // Released outside the lock: a closure's captures may be anything.
        let observer = state.withLock { $0.observers.removeValue(forKey: id) }
        withExtendedLifetime(observer) {}
    }

    /// Keeps `handle` at this priority while `body` runs.
    package func leading<Output>(
        _ handle: LoadPriorityHandle, _ body: () async throws(WebImageError) -> Output
    ) async throws(WebImageError) -> Output {
        let follow: @Sendable () -> Void = {
            // Two changes may come through at once: whoever writes looks again, so the newest stays.
            repeat { handle.priority = self.value } while handle.priority != self.value
        }
        let id = observe(follow)
        defer { forget(id) }
        follow()
        return try await body()
    }
}

/// How many wait at each priority.
struct PriorityCounts {
    private var low = 0
    private var normal = 0
    private var high = 0

    var highest: LoadPriority? { high > 0 ? .high : normal > 0 ? .normal : low > 0 ? .low : nil }

    mutating func add(_ priority: LoadPriority) { change(priority, by: 1) }

    mutating func remove(_ priority: LoadPriority) { change(priority, by: -1) }

    private mutating func change(_ priority: LoadPriority, by amount: Int) {
        switch priority {
        case .low: low += amount
        case .normal: normal += amount
        case .high: high += amount
        }
    }
}
