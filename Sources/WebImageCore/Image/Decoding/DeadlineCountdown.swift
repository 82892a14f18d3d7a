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
