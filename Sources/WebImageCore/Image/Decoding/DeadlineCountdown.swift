/// Ends deadlines after a number of checks instead of after a time, so that a test can end a decode at every check.
///
/// Deadlines made inside `DecodeDeadline.$countdown.withValue(…)` use it. Safe on any thread.
package final class DeadlineCountdown: Sendable {
    private let left: Locked<Int>

    /// Allows `checks` checks; every later check reports that the time is used up.
    package init(checks: Int) { left = Locked(checks) }

    /// Whether a check was made after all allowed checks were used.
    package var hasEnded: Bool { left.withLock { $0 < 0 } }

    /// Counts one check; returns true when the time is used up.
    func countDown() -> Bool {
        left.withLock { left in
            if left >= 0 { left -= 1 }
            return left < 0
        }
    }
}

extension DecodeDeadline {
    /// The countdown of deadlines made in this task; nil outside tests.
    @TaskLocal package static var countdown: DeadlineCountdown?
}
