import WebImageCore

/// The budget of the work for one result, and the stage in which the work is.
final class WorkProgress: Sendable {
    private struct State {
        var stage = ServiceLogEntry.Stage.queue
        var since: Duration
        var stages: [ServiceLogEntry.Stage: Duration] = [:]
        /// Whether the header of the source is read now, and for how long it was read. The stages count this time as
        /// `queue`, because many jobs that share one decode read the header.
        var readsHeader = false
        var header = Duration.zero

        mutating func add(until now: Duration) {
            stages[stage, default: .zero] += now - since
            if readsHeader { header += now - since }
            since = now
        }
    }

    let budget: WorkBudget
    /// The newest purge that was known when the work began; see ``PurgeJournal``.
    let seen: Int
    private let clock: any DelayClock
    private let state: Locked<State>

    init(_ budget: WorkBudget, _ clock: any DelayClock, seen: Int = 0) {
        self.budget = budget
        self.seen = seen
        self.clock = clock
        state = Locked(State(since: clock.now))
    }

    /// Ends the current stage and begins another one.
    func enter(_ stage: ServiceLogEntry.Stage) {
        let now = clock.now
        state.withLock { state in
            state.add(until: now)
            (state.stage, state.readsHeader) = (stage, false)
        }
    }

    /// Runs the function that reads the header of the source. To read the header of an SVG can take long, because the
    /// whole document is read; this time is work and not a wait.
    func readHeader<Value>(_ read: () -> Value) -> Value {
        enter(.queue)
        state.withLock { $0.readsHeader = true }
        defer { enter(.queue) }
        return read()
    }

    /// The durations of the ended stages before the decode.
    var stages: [ServiceLogEntry.Stage: Duration] { state.withLock { $0.stages } }

    /// The refusal for work whose time is used up. It names the stage that took the time: a picture is not refused as
    /// too expensive because its server was slow.
    var refusal: ServiceRefusal {
        let now = clock.now
        let state = self.state.withLock { state in
            var state = state
            state.add(until: now)
            return state
        }
        let half = (budget.time ?? .zero) / 2
        if state.stages[.fetch, default: .zero] > half { return .slowSource }
        let isWaiting = !state.readsHeader && (state.stage == .fetch || state.stage == .queue)
        // While a decode waits for a decoder process, it does nothing.
        let idle = budget.workerTimes?.waiting ?? .zero
        let waited = state.stages[.queue, default: .zero] - state.header + idle
        let worked = state.stages[.decode, default: .zero] - idle + state.header
        if worked <= half, isWaiting || waited > half {
            return ServiceRefusal(503, .queue, "the time for this picture was used up by waiting", retryAfter: 1)
        }
        return ServiceRefusal(
            WebImageError.limit(.decodeTime, actual: 0, allowed: Int(budget.time?.components.seconds ?? 0)))
    }
}

extension ServiceRefusal {
    /// A refusal because the source arrived too late.
    static var slowSource: ServiceRefusal {
        ServiceRefusal(504, .upstreamTimeout, "the source's server took too long")
    }
}

extension WebImageError {
    /// Whether the work needed more time than it had.
    var isTimeUsedUp: Bool {
        if case .limit(.decodeTime, _, _) = underlying { true } else { false }
    }
}

extension WorkBudget {
    /// The time for which an operation may go on after its time is used up. A step of a library that cannot be
    /// interrupted can take this time.
    private static let grace = Duration.milliseconds(500)

    /// Runs an operation and cancels it when the time of this budget is used up.
    ///
    /// - Returns: The result of the operation. Nil if the operation has not ended half a second after its cancellation:
    ///   the answer does not wait for it.
    func limit<Value: Sendable>(
        _ clock: any DelayClock, _ operation: @escaping @Sendable () async -> Value
    ) async -> Value? {
        let race = FirstResult<Value?>()
        let task = Task { race.finish(await operation()) }
        var timers: [any WebImageOperation] = []
        let seconds = remainingSeconds
        if seconds < .infinity {
            let time = Duration.seconds(max(seconds, 0))
            timers.append(clock.schedule(after: time) { task.cancel() })
            timers.append(clock.schedule(after: time + Self.grace) { race.finish(nil) })
        }
        let value = await withTaskCancellationHandler {
            await race.value()
        } onCancel: {
            task.cancel()
        }
        for timer in timers { timer.cancel() }
        return value
    }
}

/// Receives values from several tasks and provides the first value.
final class FirstResult<Value: Sendable>: Sendable {
    private let state = Locked<(value: Value?, waiter: ValueContinuation<Value>?)>((nil, nil))

    func finish(_ value: Value) {
        let waiter = state.withLock { state -> ValueContinuation<Value>? in
            guard state.value == nil else { return nil }
            state.value = .some(value)
            return state.waiter.take()
        }
        waiter?.resume(returning: value)
    }

    /// Waits for the first value. This function must be called only once.
    func value() async -> Value {
        await withValueContinuation { waiter in
            let known = state.withLock { state -> Value? in
                if state.value == nil { state.waiter = waiter }
                return state.value
            }
            if let known { waiter.resume(returning: known) }
        }
    }
}
