/// Why a command has no usable answer.
package enum ValkeyFailure: Error, Sendable, Hashable {
    /// No connection stands, or it broke before the answer.
    case down
    /// The answer did not arrive within the budget.
    case late
    /// Too many commands or bytes wait on this connection.
    case busy
    /// The caller's task was cancelled.
    case cancelled
    /// The breaker refuses calls, because earlier ones failed.
    case open
    /// The server answered with an error.
    case refused(String)
}
