import Foundation
import Synchronization

/// Shared tasks: the work of a key runs once for all concurrent subscribers.
///
/// ``SharedTaskState`` decides under a short lock; work, continuations and callbacks run outside the lock. A finished
/// value is joinable while a subscriber uses it, so that a caller that comes during the decode or the store does not
/// start the work again.
package final class SharedTasks<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    package typealias Outcome = Result<Value, WebImageError>
    package typealias Work = @Sendable (SharedTaskHandle) async throws(WebImageError) -> Value
    /// Receives a finished value that no subscriber used because all were cancelled; called once, on any thread.
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

    /// An action with its operands, collected under the lock and performed after it.
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

    /// The number of runs in progress or held by subscribers.
    package var count: Int { state.withLock { $0.decisions.count } }

    /// The number of subscribers of the runs whose key matches.
    package func subscriberCount(where matches: (Key) -> Bool) -> Int {
        state.withLock { $0.decisions.subscriberCount(where: matches) }
    }

    /// Joins or starts the work of `key` and passes its value to `body`; the value is joinable until `body` returns.
    ///
    /// Cancelling the surrounding task ends the wait at once with `.cancelled`; the work continues for the other
    /// subscribers. While this caller waits, the work's priority is at least `priority`. If a cancel ended the bodies
    /// of all subscribers, the value goes to `onAbandon`.
    package func withValue<Output>(
        for key: Key, priority: LoadPriorityHandle, listener: LoadEventListener? = nil,
        origin: SharedTaskOrigin? = nil, work: @escaping Work, onAbandon: @escaping Abandon = { _ in },
        body: (Value) async throws(WebImageError) -> Output
    ) async throws(WebImageError) -> Output {
        let subscriber = lastSubscriber.wrappingAdd(1, ordering: .relaxed).newValue
        let observer = priority.observe { [weak self] in self?.move(subscriber, to: priority) }
        var isConsumed = false
        defer {
            priority.forget(observer)
            leave(subscriber, isConsumed, onAbandon)
        }
        // The cancellation handler also covers the join; otherwise a cancel during the join would take effect only when
        // this task suspends.
        let outcome = await withTaskCancellationHandler {
            await withValueContinuation { continuation in
                join(subscriber, key, priority, listener, origin, continuation, work, onAbandon)
            }
        } onCancel: {
            perform { $0.cancel(subscriber) }
        }
        let value = try outcome.get()
        do throws(WebImageError) {
            let output = try await body(value)
            isConsumed = true
            return output
        } catch {
            isConsumed = !error.isCancellation
            throw error
        }
    }

    private func join(
        _ subscriber: UInt64, _ key: Key, _ priority: LoadPriorityHandle, _ listener: LoadEventListener?,
        _ origin: SharedTaskOrigin?, _ continuation: ValueContinuation<Outcome>, _ work: @escaping Work,
        _ onAbandon: @escaping Abandon
    ) {
        let value = priority.priority
        let (outcome, joined, handle) = state.withLock { state -> (Outcome?, UInt64?, SharedTaskHandle?) in
            switch state.decisions.join(subscriber, key, value) {
            case .cancelled: return (.failure(.cancelled), nil, nil)
            case .finished(let run, let outcome):
                Self.note(state.runs[run], origin)
                return (outcome, nil, state.runs[run]?.handle)
            case .waits(let run, let isNew):
                if isNew { state.runs[run] = start(run, value, origin?.id, work, onAbandon) }
                Self.note(state.runs[run], origin)
                state.continuations[subscriber] = continuation
                return (nil, isNew ? nil : run, state.runs[run]?.handle)
            }
        }
        if let handle {
            // A new run has the priority of its first subscriber.
            if let joined { updatePriority(joined) }
            // A change of the priority between its read and the join was lost, because the subscriber did not exist yet.
            if priority.priority != value { move(subscriber, to: priority) }
            if let listener { handle.addListener(listener, id: subscriber) }
        }
        if let outcome { continuation.resume(returning: outcome) }
    }

    /// Called under the lock: once it is free the run may end, and the subscriber with it. No user code runs here.
    private static func note(_ run: Run?, _ origin: SharedTaskOrigin?) {
        if let origin, let starter = run?.origin { origin.joined(starter) }
    }

    /// Called under the lock: the task may begin at once, but cannot report its end before the lock is free.
    private func start(
        _ run: UInt64, _ priority: LoadPriority, _ origin: UInt64?, _ work: @escaping Work,
        _ onAbandon: @escaping Abandon
    ) -> Run {
        let handle = SharedTaskHandle(priority)
        let task = Task.detached {
            let outcome: Outcome
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
        let value = priority.priority
        perform { $0.move(subscriber, to: value) }
    }

    private func leave(_ subscriber: UInt64, _ isConsumed: Bool, _ onAbandon: @escaping Abandon) {
        perform(onAbandon) { $0.leave(subscriber, consumed: isConsumed) }
    }

    // MARK: Performing

    private func perform(
        _ onAbandon: Abandon? = nil, _ decide: (inout Decisions) -> [Decisions.Action]
    ) {
        let steps = state.withLock { state in
            decide(&state.decisions).compactMap { action -> Step? in
                switch action {
                case .cancelWork(let run): return state.runs[run].map { .cancel($0.task) }
                case .resume(let subscriber, let outcome):
                    return state.continuations.removeValue(forKey: subscriber).map { .resume($0, outcome) }
                case .updatePriority(let run): return .updatePriority(run: run)
                case .removeListener(let subscriber, let run):
                    return state.runs[run].map { .removeListener($0.handle, subscriber: subscriber) }
                case .abandon(_, let value): return .abandon(value)
                case .release(let run, let outcome):
                    return state.runs.removeValue(forKey: run).map { .release($0, outcome) }
                }
            }
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
        // Released here, outside the lock: outcomes and listeners may hold the user's objects.
        withExtendedLifetime(steps) {}
    }

    /// Sets the run's handle to the highest priority; repeats, because other threads may do the same concurrently.
    private func updatePriority(_ run: UInt64) {
        while let (handle, priority) = state.withLock({ state in
            state.decisions.priority(of: run).flatMap { priority in state.runs[run].map { ($0.handle, priority) } }
        }) {
            if handle.priority.priority == priority { return }
            handle.priority.priority = priority
        }
    }
}

/// Which load a subscriber of shared work is, and how it learns whose work it uses.
package struct SharedTaskOrigin: Sendable {
    /// Identifies the load.
    package let id: UInt64
    /// Receives the ``id`` of the load that started the work, its own for new work. Called under a lock.
    package let joined: @Sendable (UInt64) -> Void

    package init(id: UInt64, joined: @escaping @Sendable (UInt64) -> Void) {
        self.id = id
        self.joined = joined
    }
}
