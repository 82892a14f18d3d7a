import Foundation

/// Limits numbers from the configuration and from untrusted files to a valid range.
package enum NumberLimits {
    /// Returns `value` as a scale of at least 1. A value that is not finite becomes 1.
    package static func scale(_ value: Double) -> Double { value.isFinite ? Swift.max(value, 1) : 1 }

    /// Returns `value` as the duration of a frame in seconds. The minimum is 1 ms, so that an animation always
    /// advances. The maximum is 10⁶ s. NaN becomes 0.1 s.
    static func frameSeconds(_ value: Double) -> Double {
        value.isNaN ? 0.1 : Swift.min(Swift.max(value, 0.001), 1e6)
    }

    /// Limits an elapsed time in seconds to the range from 0 to 10¹⁰ s (about three centuries). A value that is not
    /// finite becomes 0.
    static func elapsedSeconds(_ value: Double) -> Double {
        value.isFinite ? Swift.min(Swift.max(value, 0), 1e10) : 0
    }

    /// Limits a duration to the range from −10 to 10 years. Adding a duration of centuries to an instant would
    /// overflow.
    package static func finite(_ duration: Duration) -> Duration {
        Swift.min(Swift.max(duration, .seconds(-315_360_000)), .seconds(315_360_000))
    }
}
