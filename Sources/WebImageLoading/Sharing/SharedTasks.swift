package import Foundation
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
    package typealias Outcome = Result<Value, WebImageError>
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
    /// cancelled before the end of its `body`, `onAbandon` receives the value.
    package func withValue<Output>(
        for key: HashedKey<Key>, priority: LoadPriorityHandle, listener: LoadEventListener? = nil,
        origin: SharedTaskOrigin? = nil, work: @escaping Work, onAbandon: @escaping Abandon = { _ in },
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
                    subscriber, key: key, priority: priority, listener: listener, origin: origin,
                    continuation: continuation, work: work, onAbandon: onAbandon)
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

    /// Does the same for a key that no other key contains.
    package func withValue<Output>(
        for key: Key, priority: LoadPriorityHandle, listener: LoadEventListener? = nil,
        origin: SharedTaskOrigin? = nil, work: @escaping Work, onAbandon: @escaping Abandon = { _ in },
        body: (Value) async throws(WebImageError) -> Output
    ) async throws(WebImageError) -> Output {
        try await withValue(
            for: HashedKey(key), priority: priority, listener: listener, origin: origin, work: work,
            onAbandon: onAbandon, body: body)
    }

    private func join(
        _ subscriber: UInt64, key: HashedKey<Key>, priority: LoadPriorityHandle, listener: LoadEventListener?,
        origin: SharedTaskOrigin?, continuation: ValueContinuation<Outcome>, work: @escaping Work,
        onAbandon: @escaping Abandon
    ) {
        let value = priority.priority
        let (outcome, joined, handle) = state.withLock { state -> (Outcome?, UInt64?, SharedTaskHandle?) in
            switch state.decisions.join(subscriber, key: key, priority: value) {
            case .cancelled: return (.failure(.cancelled), nil, nil)
            case .finished(let run, let outcome):
                Self.note(state.runs[run], origin)
                return (outcome, nil, state.runs[run]?.handle)
            case .waits(let run, let isNew):
                if isNew {
                    state.runs[run] = start(run, priority: value, origin: origin?.id, work: work, onAbandon: onAbandon)
                }
                Self.note(state.runs[run], origin)
                state.continuations[subscriber] = continuation
                return (nil, isNew ? nil : run, state.runs[run]?.handle)
            }
        }
        if let handle {
            // Update only the priority of an existing run: a new run already has the priority of its first subscriber.
            if let joined { updatePriority(joined) }
            // If the priority changed after it was read above, the change was not recorded, because the
            // subscriber did not exist yet. Record the change now.
            if priority.priority != value { move(subscriber, to: priority) }
            if let listener { handle.addListener(listener, id: subscriber) }
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
        // Release the steps here, outside the lock: outcomes and listeners can own the user's objects.
        withExtendedLifetime(steps) {}
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

/// The connection from shared work to its subscribers. The handle provides the highest priority of the subscribers
/// and sends events to the subscribers.
package final class SharedTaskHandle: Sendable {
    private struct State {
        var listeners = SmallTable<LoadEventListener>()
        var past = Past()
    }

    /// The previous events that a late subscriber receives when it joins.
    private struct Past {
        var progress: LoadEvent?
        var started: LoadEvent?
        var size: LoadEvent?
        var partial: LoadEvent?
        var bytes: [LoadEvent] = []
        var byteCount = 0

        /// The maximum size of a body that is kept in memory for late subscribers: 8 MiB. A longer body is not kept:
        /// the loader can move such a body to a file to save memory, and a second copy here would use this memory
        /// again.
        static let maxBytes = 8 << 20

        mutating func add(_ event: LoadEvent) {
            switch event {
            case .progress: progress = event
            case .loaderStarted: started = event
            case .size: size = event
            case .partial: partial = event
            case .bytes(let data, _):
                byteCount += data.count
                if byteCount <= Self.maxBytes { bytes.append(event) } else { bytes = [] }
            }
        }

        var all: [LoadEvent] { [started, progress, size].compactMap { $0 } + bytes + [partial].compactMap { $0 } }
    }

    private let state = Locked(State())

    /// The maximum of the current subscribers' priorities.
    package let priority: LoadPriorityHandle

    package init(_ priority: LoadPriority = .normal) { self.priority = LoadPriorityHandle(priority) }

    /// Sends an event to every subscriber.
    package func send(_ event: LoadEvent) {
        let listeners = state.withLock { state in
            state.past.add(event)
            return state.listeners
        }
        listeners.forEach { $1(event) }
    }

    /// Adds a subscriber. The subscriber receives all previous events before this method returns.
    ///
    /// If more than 8 MiB of the body have already arrived, the subscriber does not receive these bytes and cannot make
    /// partial images. If another thread sends a new event during this call, the subscriber can receive the new event
    /// before the previous events. Byte events therefore contain the offset of their bytes.
    func addListener(_ listener: @escaping LoadEventListener, id: UInt64) {
        let past = state.withLock { state in
            state.listeners[id] = listener
            return state.past.all
        }
        for event in past { listener(event) }
    }

    func removeListener(id: UInt64) {
        let listener = state.withLock { $0.listeners.remove(id) }
        withExtendedLifetime(listener) {}
    }
}

/// The connection from one stage of the shared work to its subscribers. The handle provides their highest priority and
/// sends events to them.
package struct StageHandle: Sendable {
    package let priority: LoadPriorityHandle
    package let send: LoadEventListener

    package init(priority: LoadPriorityHandle, send: @escaping LoadEventListener) {
        self.priority = priority
        self.send = send
    }

    /// Returns a handle that applies `change` to every event.
    func mapping(_ change: @escaping @Sendable (LoadEvent) -> LoadEvent) -> StageHandle {
        StageHandle(priority: priority) { send(change($0)) }
    }
}

extension SharedTaskHandle {
    package var stage: StageHandle { StageHandle(priority: priority) { self.send($0) } }
}

/// An event that running shared work sends to its subscribers.
package enum LoadEvent: Sendable {
    /// The number of received bytes and the number of expected bytes.
    case progress(received: Int, expected: Int, url: URL?)
    /// The loader was started, because no cache contains the image.
    case loaderStarted
    /// The next bytes of a body, and the offset of these bytes in the body.
    case bytes(Data, offset: Int)
    /// The pixel size of the image before transformers.
    case size(PixelSize)
    /// A partial image.
    case partial(Image)
}

package typealias LoadEventListener = @Sendable (LoadEvent) -> Void
