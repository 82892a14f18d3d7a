public import Foundation

/// Calls a closure once per refresh of the display, on the main actor, until it is stopped.
@MainActor public protocol DisplayLink: AnyObject {
    /// Starts to call `tick` with the seconds since the previous call; the first call receives 0.
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

    /// Whether the timer runs.
    public var isRunning: Bool { timer != nil }

    /// Starts the timer, which calls `tick` at each interval.
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
