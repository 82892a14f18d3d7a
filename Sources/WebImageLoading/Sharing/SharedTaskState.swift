package import WebImageCore

/// A key with its precomputed hash. The key of a shared task has dozens of fields, is looked up seven times per run, and is a
/// part of the keys of later stages. Without this class, copying and hashing keys took 200,000 instructions per load.
package final class HashedKey<Key: Hashable & Sendable>: Hashable, Sendable {
    package let key: Key
    private let digest: Int

    package init(_ key: Key) {
        self.key = key
        digest = key.hashValue
    }

    package static func == (left: HashedKey, right: HashedKey) -> Bool {
        left === right || (left.digest == right.digest && left.key == right.key)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}

/// The outcome of shared work, in its own heap object. Without this object, each action and each step that contains an
/// outcome would copy dozens of references.
package final class SharedOutcome<Value: Sendable>: Sendable {
    package let result: Result<Value, WebImageError>

    package init(_ result: Result<Value, WebImageError>) { self.result = result }
}

/// The state of shared tasks. It records which subscriber waits for which run, and it decides which actions are
/// necessary. ``SharedTasks`` performs these actions.
///
/// A run is one execution of the work for a key. A run starts when its first subscriber joins. It is removed when its
/// last subscriber has left. Until then, new subscribers can join the run, even after the work has succeeded. There
/// are two exceptions:
/// - After a failure, no subscriber can join.
/// - If every subscriber is cancelled, the work is cancelled, and no subscriber can join.
struct SharedTaskState<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    typealias ID = UInt64
    typealias Outcome = SharedOutcome<Value>

    /// An action for ``SharedTasks``. ``SharedTasks`` performs the returned actions in their order, after it has
    /// released its lock.
    enum Action: Sendable {
        case cancelWork(run: ID)
        case resume(subscriber: ID, Outcome)
        /// The highest priority of a run's subscribers may have changed.
        case updatePriority(run: ID)
        /// The run has finished with a value that no subscriber used.
        case abandon(run: ID, Value)
        /// The subscriber must receive no more events of the run.
        case removeListener(subscriber: ID, run: ID)
        /// The run has no subscribers any more. The action contains the run's outcome, because the outcome can own
        /// the user's objects, and these objects must not be released under a lock.
        case release(run: ID, Outcome?)
    }

    /// The result of joining.
    enum Joining {
        /// The subscriber was cancelled before it joined. No work is started for it.
        case cancelled
        /// The run has already finished.
        case finished(run: ID, Outcome)
        /// The run has not finished. The subscriber receives the outcome later with ``Action/resume(subscriber:_:)``.
        case waits(run: ID, isNew: Bool)
    }

    // A run is changed in a copy, which is then stored. A change through the subscript of a dictionary, such as
    // `runs[id]?.isConsumed = true`, allocates three coroutine frames; those of one load were 81 blocks.
    private struct Run {
        let key: HashedKey<Key>
        var subscriberCount = 0
        var cancelledCount = 0
        var waiting = SmallTable<Void>()
        var priorities = PriorityCounts()
        var outcome: Outcome?
        var isConsumed = false

        /// Whether every subscriber is cancelled.
        var isAbandoned: Bool { cancelledCount == subscriberCount }
    }

    private struct Subscriber {
        let run: ID
        var priority: LoadPriority
        var isCancelled = false
    }

    private var runs: [ID: Run] = [:]
    private var subscribers: [ID: Subscriber] = [:]
    /// The run that a new subscriber of a key joins.
    private var joinable: [HashedKey<Key>: ID] = [:]
    /// Subscribers that were cancelled before they joined.
    private var cancelledEarly: Set<ID> = []
    private var lastRun: ID = 0

    /// The number of runs that have subscribers.
    var count: Int { runs.count }

    /// Whether there are no runs, no subscribers and no recorded cancellations.
    var isEmpty: Bool { runs.isEmpty && subscribers.isEmpty && joinable.isEmpty && cancelledEarly.isEmpty }

    /// The number of subscribers of all runs for whose key `matches` returns true.
    func subscriberCount(where matches: (Key) -> Bool) -> Int {
        runs.values.reduce(0) { $0 + (matches($1.key.key) ? $1.subscriberCount : 0) }
    }

    /// Whether the key has a run that can be joined.
    func hasRun(for key: HashedKey<Key>, finishedOnly: Bool) -> Bool {
        guard let run = joinable[key] else { return false }
        return !finishedOnly || runs[run]?.outcome != nil
    }

    /// The highest priority of a run's subscribers; nil for a removed run.
    func priority(of run: ID) -> LoadPriority? { runs[run].map { $0.priorities.highest ?? .normal } }

    /// Adds a subscriber to the run of a key. Makes a new run if the key has no run that can be joined.
    mutating func join(_ subscriber: ID, key: HashedKey<Key>, priority: LoadPriority) -> Joining {
        if !cancelledEarly.isEmpty, cancelledEarly.remove(subscriber) != nil { return .cancelled }
        let known = joinable[key]
        let id = known ?? makeID(for: key)
        var run = known.flatMap { runs[$0] } ?? Run(key: key)
        run.subscriberCount += 1
        run.priorities.add(priority)
        if run.outcome == nil { run.waiting[subscriber] = () }
        subscribers[subscriber] = Subscriber(run: id, priority: priority)
        runs[id] = run
        if let outcome = run.outcome { return .finished(run: id, outcome) }
        return .waits(run: id, isNew: known == nil)
    }

    private mutating func makeID(for key: HashedKey<Key>) -> ID {
        lastRun += 1
        joinable[key] = lastRun
        return lastRun
    }

    /// Changes a subscriber's priority.
    mutating func move(_ subscriber: ID, to priority: LoadPriority) -> [Action] {
        guard var known = subscribers[subscriber], known.priority != priority, var run = runs[known.run] else {
            return []
        }
        run.priorities.remove(known.priority)
        run.priorities.add(priority)
        known.priority = priority
        subscribers[subscriber] = known
        runs[known.run] = run
        return [.updatePriority(run: known.run)]
    }

    /// Ends a subscriber's wait with `.cancelled`. ``leave(_:consumed:)`` must still be called for the subscriber.
    mutating func cancel(_ subscriber: ID) -> [Action] {
        guard var known = subscribers[subscriber], var run = runs[known.run] else {
            cancelledEarly.insert(subscriber)
            return []
        }
        guard !known.isCancelled else { return [] }
        known.isCancelled = true
        subscribers[subscriber] = known
        run.cancelledCount += 1
        let waited = run.waiting.remove(subscriber) != nil
        runs[known.run] = run
        // Cancel the work before the subscriber resumes. Otherwise the work could start another stage before it is
        // cancelled.
        var actions = cancelIfAbandoned(known.run, run)
        if waited { actions.append(.resume(subscriber: subscriber, Outcome(.failure(.cancelled)))) }
        return actions
    }

    /// Records the end of a run's work.
    mutating func finish(_ id: ID, _ result: Result<Value, WebImageError>) -> [Action] {
        guard var run = runs[id] else {
            if case .success(let value) = result { return [.abandon(run: id, value)] }
            return []
        }
        let outcome = Outcome(result)
        let waiting = run.waiting
        run.outcome = outcome
        run.waiting = SmallTable()
        runs[id] = run
        // Subscribers that already wait receive the failure. A new subscriber starts a new run.
        if case .failure = result, joinable[run.key] == id { joinable[run.key] = nil }
        var actions: [Action] = []
        waiting.forEach { subscriber, _ in actions.append(.resume(subscriber: subscriber, outcome)) }
        return actions
    }

    /// Removes a subscriber.
    ///
    /// - Parameter consumed: Whether the subscriber processed the value to the end, with a result or an error.
    ///   False if the subscriber was cancelled.
    mutating func leave(_ subscriber: ID, consumed: Bool) -> [Action] {
        guard let known = subscribers.removeValue(forKey: subscriber), var run = runs.removeValue(forKey: known.run)
        else {
            cancelledEarly.remove(subscriber)
            return []
        }
        let id = known.run
        run.subscriberCount -= 1
        run.priorities.remove(known.priority)
        run.waiting.remove(subscriber)
        if known.isCancelled { run.cancelledCount -= 1 }
        if consumed { run.isConsumed = true }
        var actions: [Action] = []
        actions.reserveCapacity(4)
        actions.append(.removeListener(subscriber: subscriber, run: id))
        let cancels = cancelIfAbandoned(id, run)
        actions += cancels
        guard run.subscriberCount == 0 else {
            runs[id] = run
            if cancels.isEmpty { actions.append(.updatePriority(run: id)) }
            return actions
        }
        if case .success(let value) = run.outcome?.result, !run.isConsumed {
            actions.append(.abandon(run: id, value))
        }
        actions.append(.release(run: id, run.outcome))
        return actions
    }

    private mutating func cancelIfAbandoned(_ id: ID, _ run: Run) -> [Action] {
        guard run.isAbandoned else { return [] }
        if joinable[run.key] == id { joinable[run.key] = nil }
        return run.outcome == nil ? [.cancelWork(run: id)] : []
    }
}
