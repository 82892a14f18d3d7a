public import Foundation

/// Calls a closure at each refresh of the display, on the main actor, until ``stop()`` is called.
@MainActor public protocol DisplayLink: AnyObject {
    /// Starts to call `tick` with the seconds since the previous call; the first call receives 0.
    func start(_ tick: @escaping @MainActor (_ elapsed: TimeInterval) -> Void)
    /// Stops the calls of `tick`. `tick` is not called after this method returns.
    func stop()
}

/// A display link for programs without a display: a timer on the main queue.
@MainActor public final class TimerDisplayLink: DisplayLink {
    private let interval: TimeInterval
    private var timer: (any DispatchSourceTimer)?

    /// Creates a timer that ticks every `interval` seconds. The default is 60 ticks per second.
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

    /// Stops the timer.
    public func stop() {
        timer?.cancel()
        timer = nil
    }

    isolated deinit { timer?.cancel() }
}
