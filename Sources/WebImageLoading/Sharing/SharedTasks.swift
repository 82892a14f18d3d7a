import Synchronization
package import WebImageCore

/// Runs the work of each key once for all concurrent subscribers.
///
/// This type is in the module of its keys and values, because generic code of another module is not specialised: a load
/// then took 450,000 instructions more.
///
/// ``SharedTaskState`` decides which actions are necessary. Only these decisions run under the lock. Work,
/// continuations and callbacks run outside the lock.
///
/// A new subscriber can still join a finished run while another subscriber uses the run's value. For example, one
/// load decodes or stores a download. A second load of the same URL then does not download the bytes again.
package final class SharedTasks<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    package typealias Outcome = SharedOutcome<Value>
    package typealias Work = @Sendable (SharedTaskHandle) async throws(WebImageError) -> Value
    /// Receives a finished value that no subscriber used, because all subscribers were cancelled. Called at most
    /// once per run, on any thread.
    package typealias Abandon = @Sendable (Value) -> Void

    private typealias Decisions = SharedTaskState<Key, Value>

    private struct Run {
        let origin: UInt64?
        let handle: SharedTaskHandle
        let task: Task<Void, Never>
    }

    private struct State {
        var decisions = Decisions()
        var runs: [UInt64: Run] = [:]
        var continuations: [UInt64: ValueContinuation<Outcome>] = [:]
    }

    /// An action with its operands. Steps are collected under the lock and performed after the lock is released.
    private enum Step {
        case cancel(Task<Void, Never>)
        case resume(ValueContinuation<Outcome>, Outcome)
        case updatePriority(run: UInt64)
        case removeListener(SharedTaskHandle, subscriber: UInt64)
        case abandon(Value)
        case release(Run, Outcome?)
    }

    private let state = Locked(State())
    private let lastSubscriber = Atomic<UInt64>(0)

    package init() {}

    /// The number of runs that have subscribers.
    package var count: Int { state.withLock { $0.decisions.count } }

    /// Whether there are no runs.
    package var isEmpty: Bool { state.withLock { $0.decisions.count == 0 } }

    /// Whether a new subscriber of this key would join an existing run.
    ///
    /// - Parameter finishedOnly: Whether only a run that has its value counts.
    package func hasRun(for key: HashedKey<Key>, finishedOnly: Bool) -> Bool {
        state.withLock { $0.decisions.hasRun(for: key, finishedOnly: finishedOnly) }
    }

    /// The number of subscribers of all runs for whose key `matches` returns true.
    package func subscriberCount(where matches: (Key) -> Bool) -> Int {
        state.withLock { $0.decisions.subscriberCount(where: matches) }
    }

    /// Joins the run for `key`, or starts a new run, and passes the run's value to `body`. Other callers can join
    /// the same run until `body` returns.
    ///
    /// Cancelling the surrounding task immediately ends the wait with `.cancelled`. The work continues for the other
    /// subscribers. While this caller waits, the work's priority is at least `priority`. If every subscriber was
    /// cancelled before the end of its `body`, `onAbandon` receives the value. `demand` says whether `listener` needs
    /// the progress of the work while it runs.
    package func withValue<Output>(
        for key: HashedKey<Key>, priority: LoadPriorityHandle, listener: StageEventListener? = nil,
        demand: ProgressDemand = .always, origin: SharedTaskOrigin? = nil, work: @escaping Work,
        onAbandon: @escaping Abandon = { _ in },
        body: (Value) async throws(WebImageError) -> Output
    ) async throws(WebImageError) -> Output {
        let subscriber = lastSubscriber.wrappingAdd(1, ordering: .relaxed).newValue
        let observer = priority.observe { [weak self] in self?.move(subscriber, to: priority) }
        var isConsumed = false
        defer {
            priority.forget(observer)
            leave(subscriber, consumed: isConsumed, onAbandon: onAbandon)
        }
        // The join runs inside the cancellation handler. Otherwise a cancellation during the join would take
        // effect only when this task suspends.
        let outcome = await withTaskCancellationHandler {
            await withValueContinuation { continuation in
                join(
                    subscriber, key: key, priority: priority, listener: listener, demand: demand,
                    origin: origin, continuation: continuation, work: work, onAbandon: onAbandon)
            }
        } onCancel: {
            perform { $0.cancel(subscriber) }
        }
        let value = try outcome.result.get()
        do throws(WebImageError) {
            let output = try await body(value)
            isConsumed = true
            return output
        } catch {
            isConsumed = !error.isCancellation
            throw error
        }
    }

    /// Does the same for a key that no other key contains.
    package func withValue<Output>(
        for key: Key, priority: LoadPriorityHandle, listener: StageEventListener? = nil,
        demand: ProgressDemand = .always, origin: SharedTaskOrigin? = nil, work: @escaping Work,
        onAbandon: @escaping Abandon = { _ in },
        body: (Value) async throws(WebImageError) -> Output
    ) async throws(WebImageError) -> Output {
        try await withValue(
            for: HashedKey(key), priority: priority, listener: listener, demand: demand, origin: origin,
            work: work, onAbandon: onAbandon, body: body)
    }

    private func join(
        _ subscriber: UInt64, key: HashedKey<Key>, priority: LoadPriorityHandle, listener: StageEventListener?,
        demand: ProgressDemand, origin: SharedTaskOrigin?, continuation: ValueContinuation<Outcome>,
        work: @escaping Work, onAbandon: @escaping Abandon
    ) {
        let value = priority.priority
        let (outcome, joined, handle) = state.withLock { state -> (Outcome?, UInt64?, SharedTaskHandle?) in
            switch state.decisions.join(subscriber, key: key, priority: value) {
            case .cancelled: return (Outcome(.failure(.cancelled)), nil, nil)
            case .finished(let id, let outcome):
                let run = state.runs[id]
                Self.note(run, origin)
                return (outcome, nil, run?.handle)
            case .waits(let id, let isNew):
                let run: Run?
                if isNew {
                    let started = start(id, priority: value, origin: origin?.id, work: work, onAbandon: onAbandon)
                    state.runs[id] = started
                    run = started
                } else {
                    run = state.runs[id]
                }
                Self.note(run, origin)
                state.continuations[subscriber] = continuation
                return (nil, isNew ? nil : id, run?.handle)
            }
        }
        if let handle {
            // Update only the priority of an existing run: a new run already has the priority of its first subscriber.
            if let joined { updatePriority(joined) }
            // If the priority changed after it was read above, the change was not recorded, because the
            // subscriber did not exist yet. Record the change now.
            if priority.priority != value { move(subscriber, to: priority) }
            if let listener { handle.addListener(listener, id: subscriber, demand: demand) }
        }
        if let outcome { continuation.resume(returning: outcome) }
    }

    /// Reports to the subscriber which load started the run. Must be called under the lock, because the run
    /// can end as soon as the lock is released. For this reason, `joined` must not run user code.
    private static func note(_ run: Run?, _ origin: SharedTaskOrigin?) {
        if let origin, let starter = run?.origin { origin.joined(starter) }
    }

    /// Starts the task of a new run. Must be called under the lock: the task can start immediately, but it
    /// cannot report its end before the run is stored and the lock is released.
    private func start(
        _ run: UInt64, priority: LoadPriority, origin: UInt64?, work: @escaping Work, onAbandon: @escaping Abandon
    ) -> Run {
        let handle = SharedTaskHandle(priority)
        let task = Task.detached {
            let outcome: Result<Value, WebImageError>
            do throws(WebImageError) {
                outcome = .success(try await work(handle))
            } catch {
                outcome = .failure(error)
            }
            self.perform(onAbandon) { $0.finish(run, outcome) }
        }
        return Run(origin: origin, handle: handle, task: task)
    }

    private func move(_ subscriber: UInt64, to priority: LoadPriorityHandle) {
        // Read the priority under the lock. Otherwise two concurrent changes could be recorded in the wrong order.
        perform { $0.move(subscriber, to: priority.priority) }
    }

    private func leave(_ subscriber: UInt64, consumed: Bool, onAbandon: @escaping Abandon) {
        perform(onAbandon) { $0.leave(subscriber, consumed: consumed) }
    }

    // MARK: Performing

    private func perform(
        _ onAbandon: Abandon? = nil, _ decide: (inout Decisions) -> [Decisions.Action]
    ) {
        let steps = state.withLock { state in
            let actions = decide(&state.decisions)
            var steps: [Step] = []
            steps.reserveCapacity(actions.count)
            for action in actions { if let step = Self.step(for: action, &state) { steps.append(step) } }
            return steps
        }
        for step in steps {
            switch step {
            case .cancel(let task): task.cancel()
            case .resume(let continuation, let outcome): continuation.resume(returning: outcome)
            case .updatePriority(let run): updatePriority(run)
            case .removeListener(let handle, let subscriber): handle.removeListener(id: subscriber)
            case .abandon(let value): onAbandon?(value)
            case .release: break
            }
        }
        // Release the steps here, outside the lock: outcomes and listeners can own the user's objects.
        withExtendedLifetime(steps) {}
    }

    /// The step for an action; nil if its run or subscriber no longer exists.
    private static func step(for action: Decisions.Action, _ state: inout State) -> Step? {
        switch action {
        case .cancelWork(let run): state.runs[run].map { .cancel($0.task) }
        case .resume(let subscriber, let outcome):
            state.continuations.removeValue(forKey: subscriber).map { .resume($0, outcome) }
        case .updatePriority(let run): .updatePriority(run: run)
        case .removeListener(let subscriber, let run):
            state.runs[run].map { .removeListener($0.handle, subscriber: subscriber) }
        case .abandon(_, let value): .abandon(value)
        case .release(let run, let outcome): state.runs.removeValue(forKey: run).map { .release($0, outcome) }
        }
    }

    /// Sets the priority of the run to the highest priority of its subscribers. Repeats until the value is
    /// correct, because other threads can change these priorities concurrently.
    private func updatePriority(_ run: UInt64) {
        while let (handle, priority) = state.withLock({ state in
            state.decisions.priority(of: run).flatMap { priority in state.runs[run].map { ($0.handle, priority) } }
        }) {
            if handle.priority.priority == priority { return }
            handle.priority.priority = priority
        }
    }
}

/// The identifier of a subscriber's load, and a function that receives the identifier of the load that started
/// the shared work.
package struct SharedTaskOrigin: Sendable {
    /// The identifier of the subscriber's load.
    package let id: UInt64
    /// Receives the ``id`` of the load that started the work. This is the subscriber's load if the subscriber
    /// started the work. Called under a lock.
    package let joined: @Sendable (UInt64) -> Void

    package init(id: UInt64, joined: @escaping @Sendable (UInt64) -> Void) {
        self.id = id
        self.joined = joined
    }
}
