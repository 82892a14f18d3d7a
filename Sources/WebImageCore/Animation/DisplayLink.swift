public import Foundation

/// Calls once per refresh of a display, on the main actor, while it runs.
@MainActor public protocol DisplayLink: AnyObject {
    /// Begins to call `tick` with the seconds since the previous tick; 0 for the first.
    func start(_ tick: @escaping @MainActor (_ elapsed: TimeInterval) -> Void)
    /// Stops the calls; `tick` is not called after this returns.
    func stop()
}

/// A display link for programs without a display: a timer on the main queue.
@MainActor public final class TimerDisplayLink: DisplayLink {
    private let interval: TimeInterval
    private var timer: (any DispatchSourceTimer)?

    /// Makes a timer that ticks every `interval` seconds, by default 60 times per second.
    public init(interval: TimeInterval = 1.0 / 60) { self.interval = interval }

    /// Whether it ticks.
    public var isRunning: Bool { timer != nil }

    /// Begins to tick.
    public func start(_ tick: @escaping @MainActor (TimeInterval) -> Void) {
        stop()
        var last: ContinuousClock.Instant?
        let timer = DispatchSource.makeTimerSource(queue: .main)
        timer.schedule(deadline: .now(), repeating: interval, leeway: .milliseconds(1))
        timer.setEventHandler {
            MainActor.assumeIsolated {
                let now = ContinuousClock.now
                let time = last.map { now - $0 } ?? .zero
                last = now
                tick(Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18)
            }
        }
        self.timer = timer
        timer.resume()
    }

    /// Stops ticking.
    public func stop() {
        timer?.cancel()
        timer = nil
    }

    isolated deinit { timer?.cancel() }
}
