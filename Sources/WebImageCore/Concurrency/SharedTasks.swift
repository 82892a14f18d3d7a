import Foundation

/// Work shared by everybody who wants its result: started by the first subscriber, cancelled when the last one leaves.
///
/// A finished value stays to be joined as long as somebody still holds it, so that whoever comes while the first one
/// is decoding or storing the result does not start the work again. A failure is never joined. Decisions are made
/// under a short lock; work, continuations and callbacks run outside it.
package final class SharedTasks<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    package typealias Outcome = Result<Value, WebImageError>
    package typealias Work = @Sendable (SharedTaskHandle) async throws(WebImageError) -> Value

    private struct Subscriber {
        var priority: LoadPriority
        var isCancelled = false
        var continuation: Handover<Outcome>?
    }

    private struct Run {
        let key: Key
        let handle: SharedTaskHandle
        var task: Task<Void, Never>?
        var outcome: Outcome?
        var subscribers: [UInt64: Subscriber] = [:]

        private var counts = PriorityCounts()
        private var cancelledCount = 0

        init(key: Key, handle: SharedTaskHandle, task: Task<Void, Never>) {
            self.key = key
            self.handle = handle
            self.task = task
        }

        /// The maximum over the subscribers; nil when it is what the handle says.
        var changedPriority: LoadPriority? {
            let highest = counts.highest ?? .normal
            return highest == handle.priority.value ? nil : highest
        }

        mutating func add(_ id: UInt64, priority: LoadPriority) {
            subscribers[id] = Subscriber(priority: priority)
            counts.add(priority)
        }

        mutating func move(_ id: UInt64, to priority: LoadPriority) {
            guard let old = subscribers[id]?.priority else { return }
            subscribers[id]?.priority = priority
            counts.remove(old)
            counts.add(priority)
        }

        mutating func remove(_ id: UInt64) {
            guard let old = subscribers.removeValue(forKey: id) else { return }
            counts.remove(old.priority)
            if old.isCancelled { cancelledCount -= 1 }
        }

        /// Marks a subscriber as gone; gives whom to tell.
        mutating func cancel(_ id: UInt64) -> Handover<Outcome>? {
            guard let subscriber = subscribers[id], !subscriber.isCancelled else { return nil }
            subscribers[id]?.isCancelled = true
            subscribers[id]?.continuation = nil
            cancelledCount += 1
            return subscriber.continuation
        }

        /// Whether nobody wants the result any more.
        var isAbandoned: Bool { cancelledCount == subscribers.count }
    }

    private struct State {
        var runs: [UInt64: Run] = [:]
        /// The run that whoever asks for a key now joins.
        var joinable: [Key: UInt64] = [:]
        var lastID: UInt64 = 0

        mutating func makeID() -> UInt64 {
            lastID += 1
            return lastID
        }
    }

    /// One subscriber's place at one run of the work.
    private struct Lease {
        let run: UInt64
        let subscriber: UInt64
    }

    /// A subscriber from before his lease: a cancel finds the lease, or keeps it from being made.
    private final class Seat: Sendable {
        private let state = Locked<(lease: Lease?, isCancelled: Bool)>((nil, false))

        var lease: Lease? { state.withLock { $0.lease } }

        /// Takes the lease that `make` gives, unless the seat was cancelled.
        func take(_ make: () -> Lease) -> Lease? {
            state.withLock { state in
                guard !state.isCancelled else { return nil }
                let lease = make()
                state.lease = lease
                return lease
            }
        }

        /// The lease whose work is to be left.
        func cancel() -> Lease? {
            state.withLock { state in
                state.isCancelled = true
                return state.lease
            }
        }
    }

    private let state = Locked(State())

    package init() {}

    /// Runs under way or held.
    package var count: Int { state.withLock { $0.runs.count } }

    /// Subscribers of the runs whose key is wanted.
    package func subscriberCount(where isWanted: (Key) -> Bool) -> Int {
        state.withLock { state in
            state.runs.values.filter { isWanted($0.key) }.reduce(0) { $0 + $1.subscribers.count }
        }
    }

    /// Joins or starts the work of `key` and lends its value to `body`; the value can be joined until `body` returns.
    ///
    /// Cancelling the surrounding task ends the wait at once with `.cancelled`; the work goes on for the others. The
    /// work's priority follows `priority` for as long as this caller waits.
    package func withValue<Output>(
        for key: Key, priority: MovablePriority, listener: LoadNewsListener? = nil, work: @escaping Work,
        body: (Value) async throws(WebImageError) -> Output
    ) async throws(WebImageError) -> Output {
        let seat = Seat()
        let observer = priority.observe { [weak self] in
            if let lease = seat.lease { self?.move(lease, to: priority) }
        }
        defer {
            priority.forget(observer)
            if let lease = seat.lease { leave(lease) }
        }
        // From before he joins: work that began in between would otherwise go on until this task gets to wait for it.
        let outcome = await withTaskCancellationHandler {
            guard let lease = join(seat, key, priority: priority.value, listener: listener, work: work) else {
                return Outcome.failure(.cancelled)
            }
            move(lease, to: priority)
            return await value(of: lease)
        } onCancel: {
            cancel(seat)
        }
        return try await body(try outcome.get())
    }

    /// Ends every wait with `.cancelled`; the work stops as its subscribers leave.
    package func cancelAll() {
        let waiting = state.withLock { state in
            state.runs.keys.flatMap { id -> [Handover<Outcome>] in
                let subscribers = state.runs[id]?.subscribers.keys.map { $0 } ?? []
                return subscribers.compactMap { state.runs[id]?.cancel($0) }
            }
        }
        for continuation in waiting { continuation.resume(returning: .failure(.cancelled)) }
    }

    /// A lease; nil for a seat that was cancelled before, which starts nothing.
    private func join(
        _ seat: Seat, _ key: Key, priority: LoadPriority, listener: LoadNewsListener?, work: @escaping Work
    ) -> Lease? {
        let (lease, handle) = state.withLock { state -> (Lease?, SharedTaskHandle?) in
            let lease = seat.take {
                let id = state.joinable[key] ?? start(key, priority, work: work, in: &state)
                let lease = Lease(run: id, subscriber: state.makeID())
                state.runs[id]?.add(lease.subscriber, priority: priority)
                return lease
            }
            return (lease, lease.flatMap { state.runs[$0.run]?.handle })
        }
        guard let lease else { return nil }
        applyPriority(of: lease.run)
        if let listener { handle?.addListener(listener, id: lease.subscriber) }
        return lease
    }

    private func move(_ lease: Lease, to priority: MovablePriority) {
        state.withLock { $0.runs[lease.run]?.move(lease.subscriber, to: priority.value) }
        applyPriority(of: lease.run)
    }

    /// Brings the handle to the maximum; looks again afterwards, since others may do the same at once.
    private func applyPriority(of run: UInt64) {
        while let (handle, priority) = state.withLock({ state in
            state.runs[run].flatMap { run in run.changedPriority.map { (run.handle, $0) } }
        }) {
            handle.priority.set(priority)
        }
    }

    /// Called under the lock: the task may begin at once, but cannot report its end before the lock is free.
    private func start(
        _ key: Key, _ priority: LoadPriority, work: @escaping Work, in state: inout State
    ) -> UInt64 {
        let id = state.makeID()
        let handle = SharedTaskHandle()
        handle.priority.set(priority)
        let task = Task.detached {
            do throws(WebImageError) {
                self.finish(id, .success(try await work(handle)))
            } catch {
                self.finish(id, .failure(error))
            }
        }
        state.runs[id] = Run(key: key, handle: handle, task: task)
        state.joinable[key] = id
        return id
    }

    private func value(of lease: Lease) async -> Outcome {
        await withHandover { continuation in
            let known: Outcome? = state.withLock { state in
                guard let run = state.runs[lease.run], let subscriber = run.subscribers[lease.subscriber],
                    !subscriber.isCancelled
                else { return .failure(.cancelled) }
                if let outcome = run.outcome { return outcome }
                state.runs[lease.run]?.subscribers[lease.subscriber]?.continuation = continuation
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
    }

    private func cancel(_ seat: Seat) {
        guard let lease = seat.cancel() else { return }
        let (waiting, abandoned) = state.withLock { state in
            (state.runs[lease.run]?.cancel(lease.subscriber), abandonedTask(of: lease.run, in: &state))
        }
        // At once, not when the subscriber gets to leave: no stage is to begin in between.
        abandoned?.cancel()
        waiting?.resume(returning: .failure(.cancelled))
    }

    /// The work of a run that nobody waits for, which nobody joins from now on; nil while somebody waits.
    private func abandonedTask(of id: UInt64, in state: inout State) -> Task<Void, Never>? {
        guard let run = state.runs[id], run.isAbandoned else { return nil }
        if state.joinable[run.key] == id { state.joinable[run.key] = nil }
        return run.task
    }

    private func finish(_ id: UInt64, _ outcome: Outcome) {
        let waiting = state.withLock { state -> [Handover<Outcome>] in
            guard var run = state.runs[id] else { return [] }
            let waiting = run.subscribers.values.compactMap(\.continuation)
            for subscriber in run.subscribers.keys { run.subscribers[subscriber]?.continuation = nil }
            run.outcome = outcome
            run.task = nil
            state.runs[id] = run
            // Nobody joins a failure; who waits for this one already has his place.
            if case .failure = outcome, state.joinable[run.key] == id { state.joinable[run.key] = nil }
            return waiting
        }
        for continuation in waiting { continuation.resume(returning: outcome) }
    }

    private func leave(_ lease: Lease) {
        let (abandoned, handle, gone) = state.withLock { state -> (Task<Void, Never>?, SharedTaskHandle?, Run?) in
            state.runs[lease.run]?.remove(lease.subscriber)
            guard let run = state.runs[lease.run] else { return (nil, nil, nil) }
            let task = abandonedTask(of: lease.run, in: &state)
            guard run.subscribers.isEmpty else { return (task, run.handle, nil) }
            return (task, run.handle, state.runs.removeValue(forKey: lease.run))
        }
        // Released outside the lock: a result may hold objects of the user's.
        withExtendedLifetime(gone) {}
        handle?.removeListener(id: lease.subscriber)
        if let abandoned { abandoned.cancel() } else { applyPriority(of: lease.run) }
    }
}
