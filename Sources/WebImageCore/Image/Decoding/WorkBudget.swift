/// The time, the memory and the cancellation of all steps of one piece of work, such as a result of the image service:
/// fetching, reading the header, decoding, drawing, transforming and encoding.
///
/// A job of ``DecodePool/run(cost:priority:budget:work:)`` has a budget; a job of `submit`, for which no caller waits, has
/// none. Steps find it in ``current`` and check it between rows, frames or calls of a library. A step that cannot be
/// interrupted states its time before it runs (``admit(_:seconds:)``). If the caller of the job is cancelled, the next
/// check ends the job.
///
/// Thread-safe.
public final class WorkBudget: Sendable {
    private struct State {
        var isCancelled = false
        /// The end of the work, as a time of `now`; nil until ``start()``.
        var end: Duration?
        var workerTimes: DecoderWorkerTimes?
    }

    /// Returns a monotonic time since an arbitrary start.
    package typealias Clock = @Sendable () -> Duration

    private let allowed: Duration?
    /// The memory of all buffers that exist at the same time, in bytes.
    package let maxBytes: Int
    private let now: Clock
    private let countdown: DeadlineCountdown?
    private let state = Locked(State())

    /// The budget of the job that runs in the current task or on the current thread. Nil outside of jobs.
    @TaskLocal public static var current: WorkBudget?

    /// Creates a budget whose time starts at ``start()``.
    ///
    /// - Parameter time: The time for all steps; nil for work that only its caller ends.
    public convenience init(time: Duration?) { self.init(time: time, maxBytes: .max) }

    /// - Parameters:
    ///   - countdown: Ends the work after a number of checks; nil except in tests.
    ///   - maxBytes: The memory of all buffers that exist at the same time, in bytes.
    package init(
        time: Duration?, countdown: DeadlineCountdown? = nil, maxBytes: Int = .max, now: @escaping Clock = systemNow
    ) {
        self.countdown = countdown
        self.maxBytes = maxBytes
        self.now = now
        // Limit the duration to ten years, which is practically unlimited. Adding centuries would overflow the instant.
        allowed = time.map { min($0, .seconds(315_360_000)) }
    }

    private static let epoch = ContinuousClock.now
    static let systemNow: Clock = { ContinuousClock.now - epoch }

    /// Returns a budget with the same end and the same memory, but its own cancellation. Work that serves several
    /// callers has such a part of the budget of its first caller: the work may go on if this caller leaves.
    package func part() -> WorkBudget {
        let part = WorkBudget(time: allowed, countdown: countdown, maxBytes: maxBytes, now: now)
        let end = state.withLock { $0.end }
        part.state.withLock { $0.end = end }
        return part
    }

    /// Returns a started budget with the same memory.
    ///
    /// - Parameter time: The time from now on; nil for the whole time of this budget.
    package func renewed(time: Duration? = nil) -> WorkBudget {
        let budget = WorkBudget(time: time ?? allowed, countdown: countdown, maxBytes: maxBytes, now: now)
        budget.start()
        return budget
    }

    /// Starts the time, unless it was started before. The decode pool calls this function before the first step. A
    /// budget that is not started before uses no time while its work waits for a thread.
    package func start() {
        guard let allowed else { return }
        let end = now() + allowed
        state.withLock { if $0.end == nil { $0.end = end } }
    }

    /// Ends the work at its next check.
    public func cancel() { state.withLock { $0.isCancelled = true } }

    /// Whether the caller no longer needs the work.
    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// The remaining time in seconds. Infinite if the time is not limited; at most 0 if it is used up.
    public var remainingSeconds: Double {
        guard let allowed else { return .infinity }
        return ((state.withLock { $0.end }).map { $0 - now() } ?? allowed).inSeconds
    }

    /// The time for all steps; nil if the time is not limited.
    package var time: Duration? { allowed }

    /// Checks whether the work may continue.
    ///
    /// - Throws: `.cancelled` after ``cancel()``. The error for ``DecodingLimits/Limit/decodeTime`` when the time is
    ///   used up.
    public func check() throws(WebImageError) {
        let (isCancelled, end) = state.withLock { ($0.isCancelled, $0.end) }
        if isCancelled || countdown?.countDown() == true { throw .cancelled }
        guard let end, let allowed, now() >= end else { return }
        throw .limit(
            .decodeTime, actual: Int(allowed.components.seconds), allowed: Int(allowed.components.seconds))
    }

    /// The times that the work spent on decoder processes; nil if it used none.
    package var workerTimes: DecoderWorkerTimes? { state.withLock { $0.workerTimes } }

    /// Adds times that the work spent on a decoder process.
    package func add(_ times: DecoderWorkerTimes) {
        state.withLock { state in
            var sum = state.workerTimes ?? DecoderWorkerTimes()
            sum.waiting += times.waiting
            sum.working += times.working
            sum.transit += times.transit
            state.workerTimes = sum
        }
    }

    /// Checks whether a step that cannot be interrupted may begin.
    ///
    /// - Parameters:
    ///   - step: The name of the step, for the error.
    ///   - seconds: The time of the step, estimated from sizes and parameters.
    /// - Throws: As ``check()``. Also the error for ``DecodingLimits/Limit/decodeTime`` if the step takes longer than
    ///   the remaining time.
    public func admit(_ step: String, seconds: Double) throws(WebImageError) {
        try check()
        guard let allowed else { return }
        guard seconds <= remainingSeconds else { throw .tooSlow(step, seconds: seconds, allowed: allowed) }
    }

    /// Calls `body` with this budget as the ``current`` budget.
    package func run<Value>(_ body: () throws(WebImageError) -> Value) throws(WebImageError) -> Value {
        start()
        let result = Self.$current.withValue(self) { Result { () throws(WebImageError) in try body() } }
        return try result.get()
    }

    /// Checks the budget of the current job, if there is one.
    ///
    /// - Throws: As ``check()``.
    package static func checkCurrent() throws(WebImageError) { try current?.check() }

    /// Returns 1 if the current job must end, otherwise 0. C libraries call this function between rows.
    package static let shouldStop: @convention(c) () -> Int32 = {
        do throws(WebImageError) {
            try current?.check()
            return 0
        } catch {
            return 1
        }
    }
}

/// The times that a decode spent on a decoder process, if the program decodes in such processes.
public struct DecoderWorkerTimes: Sendable, Hashable {
    /// The time until a process was free, and until it was started if there was none.
    public var waiting = Duration.zero
    /// The time for which the process worked, as it reports it. At most the time until its answer.
    public var working = Duration.zero
    /// The rest of the time until its answer was used: copies, messages, and waiting for the kernel.
    public var transit = Duration.zero

    /// Makes times of zero.
    public init() {}
}

extension WebImageError {
    /// Makes the error for a step that would take too long.
    fileprivate static func tooSlow(_ step: String, seconds: Double, allowed: Duration) -> WebImageError {
        var error = WebImageError.limit(
            .decodeTime, actual: Int(min(seconds.isNaN ? 1e9 : seconds, 1e9).rounded(.up)),
            allowed: Int(allowed.components.seconds))
        error.hint = "The step '\(step)' would take too long. Request a smaller picture."
        return error
    }
}

extension Duration {
    fileprivate var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}

extension DecodeDeadline {
    /// The remaining time in seconds, at most 0 if it is used up.
    package var remainingSeconds: Double {
        min((end - .now).inSeconds, budget?.remainingSeconds ?? .infinity)
    }

    /// Checks whether a step that cannot be interrupted may begin.
    ///
    /// - Parameters:
    ///   - step: The name of the step, for the error.
    ///   - seconds: The time of the step, estimated from sizes and parameters.
    /// - Throws: The error for ``DecodingLimits/Limit/decodeTime`` if the step takes longer than the remaining time.
    ///   `.cancelled` if the job was cancelled.
    package func admit(_ step: String, seconds: Double) throws(WebImageError) {
        try budget?.admit(step, seconds: seconds)
        guard seconds <= (end - .now).inSeconds else { throw .tooSlow(step, seconds: seconds, allowed: allowed) }
    }
}

/// Makes a ``DecodeDeadline`` expire after a number of checks instead of a time. A test can thus stop a decode
/// at each of its checks.
///
/// A deadline uses the countdown if it is created inside `DecodeDeadline.$countdown.withValue(…)`. Safe on any
/// thread.
package final class DeadlineCountdown: Sendable {
    private let left: Locked<Int>

    /// Creates a countdown. The first `checks` checks pass. Every later check reports that the time is used up.
    package init(checks: Int) { left = Locked(checks) }

    /// Whether a decode made more checks than the countdown allows.
    package var hasEnded: Bool { left.withLock { $0 < 0 } }

    /// Counts one check. Returns true if there were more checks than the countdown allows.
    func countDown() -> Bool {
        left.withLock { left in
            if left >= 0 { left -= 1 }
            return left < 0
        }
    }
}

extension DecodeDeadline {
    /// The countdown for deadlines created in the current task; nil except in tests.
    @TaskLocal package static var countdown: DeadlineCountdown?
}
