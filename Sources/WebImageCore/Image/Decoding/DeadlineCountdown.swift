/// Lets a ``DecodeDeadline`` expire after a number of checks instead of a time. With it, a test can stop a
/// decode at each of its checks.
///
/// Deadlines created inside `DecodeDeadline.$countdown.withValue(…)` use the countdown. Safe on any thread.
package final class DeadlineCountdown: Sendable {
    private let left: Locked<Int>

    /// Creates a countdown: the first `checks` checks pass, every later check reports that the time is used up.
    package init(checks: Int) { left = Locked(checks) }

    /// Whether a check was made after all allowed checks were used.
    package var hasEnded: Bool { left.withLock { $0 < 0 } }

    /// Counts one check. Returns true when all allowed checks are used.
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
