/// Decides whether a server may be asked. A pure value: the caller passes the time.
///
/// After several failures in a row the breaker opens, and calls are refused at once. After a pause one call, the probe,
/// is allowed. If the probe succeeds, the breaker closes; if it fails, the breaker opens for twice the time. Failures
/// that arrive while the breaker is open belong to older calls and do not prolong the pause.
package struct CircuitBreaker: Sendable {
    package struct Configuration: Sendable {
        /// The number of failures in a row after which the breaker opens.
        package var failures = 5
        /// The first pause.
        package var pause: Duration = .milliseconds(250)
        /// The longest pause.
        var longestPause: Duration = .seconds(10)

        package init() {}
    }

    private enum State {
        case closed(failures: Int)
        /// No call until `until`. The pause is `pause` long.
        case open(until: Duration, pause: Duration)
        /// One call tests the server; `pause` was the last pause.
        case probing(pause: Duration)
    }

    /// The answer to a caller. The caller passes it back with the end of its call.
    package enum Permission: Sendable {
        case granted
        /// Granted as the one probe.
        case probe
        case refused
    }

    private let configuration: Configuration
    private var state = State.closed(failures: 0)

    package init(_ configuration: Configuration = Configuration()) { self.configuration = configuration }

    /// Whether calls are refused, except for a probe.
    package var isOpen: Bool { if case .closed = state { false } else { true } }

    package mutating func permission(at now: Duration) -> Permission {
        switch state {
        case .closed: return .granted
        case .probing: return .refused
        case .open(let until, let pause):
            guard now >= until else { return .refused }
            state = .probing(pause: pause)
            return .probe
        }
    }

    /// Records an answer of the server. An answer that reports an error is a success: the server works.
    package mutating func succeeded() { state = .closed(failures: 0) }

    /// Records a call without an answer.
    package mutating func failed(_ permission: Permission, at now: Duration) {
        switch (state, permission) {
        case (.closed(let failures), _):
            guard failures + 1 >= configuration.failures else {
                state = .closed(failures: failures + 1)
                return
            }
            state = .open(until: now + configuration.pause, pause: configuration.pause)
        case (.probing(let pause), .probe):
            let longer = min(pause * 2, configuration.longestPause)
            state = .open(until: now + longer, pause: longer)
        case (.open, _), (.probing, _): break
        }
    }

    /// Records that a call was given up without a result, for example because its load was cancelled. If the call was
    /// the probe, the next call becomes the probe.
    package mutating func gaveUp(_ permission: Permission) {
        if case .probing(let pause) = state, permission == .probe { state = .open(until: .zero, pause: pause) }
    }
}
