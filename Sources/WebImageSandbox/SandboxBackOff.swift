/// Decides when a further worker may start. A pure value: the caller passes the time.
///
/// A worker that dies before it is ready would die again at once: the pause doubles from 0.1 s to 30 s. A worker that
/// dies in a decode is the fault of its picture; but after three such deaths within ten seconds only four workers a
/// second start, so that a page of hostile pictures cannot keep the machine busy with starts.
struct SandboxBackOff: Sendable {
    private var failedStarts = 0
    private var retryAt = Duration.zero
    /// The times of the last deaths in a decode, at most three.
    private var deaths: [Duration] = []
    private var lastStart: Duration?

    /// The time until which no worker may start; nil if one may start now.
    func pause(at now: Duration) -> Duration? {
        if now < retryAt { return retryAt - now }
        guard deaths.count == 3, let first = deaths.first, now - first < .seconds(10), let lastStart else { return nil }
        let next = lastStart + .milliseconds(250)
        return now < next ? next - now : nil
    }

    /// Whether the last start failed, so that callers must not wait for a worker.
    var isUnavailable: Bool { failedStarts > 0 }

    mutating func started(at now: Duration) {
        failedStarts = 0
        lastStart = now
    }

    mutating func failedToStart(at now: Duration) {
        failedStarts += 1
        retryAt = now + min(.milliseconds(100) * (1 << min(failedStarts - 1, 10)), .seconds(30))
    }

    mutating func died(at now: Duration) { deaths = (deaths + [now]).suffix(3) }
}
