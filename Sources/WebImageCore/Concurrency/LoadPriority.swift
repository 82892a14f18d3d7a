/// The priority of a load relative to other loads. Loads of the same priority start in the order of arrival.
public enum LoadPriority: Int, Sendable, Comparable {
    /// Starts after loads of all other priorities.
    case low = -4
    /// Starts after loads of high priority and before loads of low priority.
    case normal = 0
    /// Starts before loads of all other priorities.
    case high = 4

    /// Returns whether the left priority is lower.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The priority of a load. The priority can change while the load waits or runs. Safe on any thread.
///
/// Observers are called outside the lock of the handle. An observer must read ``priority`` and store the value under
/// one lock of its own. Otherwise, if two threads change the priority concurrently, the observer could store the older
/// value last.
public final class LoadPriorityHandle: Sendable {
    private struct State {
        var priority: LoadPriority
        var observers = SmallTable<@Sendable () -> Void>()
        var lastID: UInt64 = 0
        var listener: (@Sendable (LoadPriority) -> Void)?
    }

    private let state: Locked<State>

    /// Creates a handle with an initial priority.
    public init(_ priority: LoadPriority = .normal) { state = Locked(State(priority: priority)) }

    /// The current priority. If a new value differs from the old value, the setter calls the observers before it
    /// returns.
    public var priority: LoadPriority {
        get { state.withLock { $0.priority } }
        set {
            let changed = state.withLock { state -> State? in
                guard state.priority != newValue else { return nil }
                state.priority = newValue
                return state
            }
            guard let changed else { return }
            changed.observers.forEach { $1() }
            guard let listener = changed.listener else { return }
            var told: LoadPriority
            // Two threads can change the priority concurrently. Repeat until the reported value is the current value.
            repeat {
                told = priority
                listener(told)
            } while told != priority
        }
    }

    /// Sets the function that is called after each change of the priority, on the thread that changes the priority.
    /// A new function replaces the earlier function. Nil removes the earlier function.
    public func whenChanged(_ listener: (@Sendable (LoadPriority) -> Void)?) {
        let old = state.withLock { state in
            defer { state.listener = listener }
            return state.listener
        }
        // Release the closure outside the lock, as in `forget`.
        withExtendedLifetime(old) {}
    }

    /// Calls `observer` after every change until the returned identifier is passed to ``forget(_:)``.
    package func observe(_ observer: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            state.observers[state.lastID] = observer
            return state.lastID
        }
    }

    /// Removes an observer.
    package func forget(_ id: UInt64) {
        // Release the closure outside the lock: it can be the last owner of objects whose `deinit` runs other code.
        let observer = state.withLock { $0.observers.remove(id) }
        withExtendedLifetime(observer) {}
    }
}

/// The number of subscribers or jobs at each priority.
package struct PriorityCounts: Sendable {
    private var low = 0
    private var normal = 0
    private var high = 0

    package init() {}

    package var highest: LoadPriority? { high > 0 ? .high : normal > 0 ? .normal : low > 0 ? .low : nil }

    var normalOrHigher: Int { normal + high }

    package mutating func add(_ priority: LoadPriority) { change(priority, by: 1) }

    package mutating func remove(_ priority: LoadPriority) { change(priority, by: -1) }

    private mutating func change(_ priority: LoadPriority, by amount: Int) {
        switch priority {
        case .low: low += amount
        case .normal: normal += amount
        case .high: high += amount
        }
    }
}

/// A table of values by number that stores one value without allocating memory. Shared work usually has one subscriber, and
/// a priority one observer.
@usableFromInline package struct SmallTable<Value> {
    // Not private, so that optimized builds specialise the table in the other targets.
    @usableFromInline var first: (id: UInt64, value: Value)?
    @usableFromInline var others: [UInt64: Value] = [:]

    @inlinable package init() {}

    /// The value of a number. Setting nil removes the value.
    @inlinable package subscript(id: UInt64) -> Value? {
        get { first?.id == id ? first?.value : others[id] }
        set {
            if first == nil || first?.id == id, others[id] == nil {
                first = newValue.map { (id, $0) }
            } else {
                others[id] = newValue
            }
        }
    }

    /// Removes the value of a number and returns it.
    @discardableResult
    @inlinable package mutating func remove(_ id: UInt64) -> Value? {
        guard first?.id == id else { return others.removeValue(forKey: id) }
        return first.take()?.value
    }

    /// Calls `body` for each value, in no particular order.
    @inlinable package func forEach(_ body: (UInt64, Value) -> Void) {
        if let first { body(first.id, first.value) }
        for (id, value) in others { body(id, value) }
    }
}

extension SmallTable: Sendable where Value: Sendable {}
