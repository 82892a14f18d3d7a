/// Ends deadlines after a number of checks instead of after a time, so that a test can end a decode at each place.
///
/// Deadlines made inside `DecodeDeadline.$countdown.withValue(…)` count it down. Safe on any thread.
package final class DeadlineCountdown: Sendable {
    private let left: Locked<Int>

    /// Lets `checks` checks pass; every later one finds the time used up.
    package init(checks: Int) { left = Locked(checks) }

    /// Whether every allowed check was used and one more was made.
    package var hasEnded: Bool { left.withLock { $0 < 0 } }

    /// Counts one check; true when the time is used up.
    func countDown() -> Bool {
        left.withLock { left in
            if left >= 0 { left -= 1 }
            return left < 0
        }
    }
}

extension DecodeDeadline {
    /// What deadlines made here count down; nil outside tests.
    @TaskLocal package static var countdown: DeadlineCountdown?
}
