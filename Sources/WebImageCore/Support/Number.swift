import Foundation

/// Numbers that configuration and other people's files may make anything of.
enum Number {
    /// A scale: at least 1; what is no finite number is 1.
    static func scale(_ value: Double) -> Double { value.isFinite ? Swift.max(value, 1) : 1 }

    /// Seconds a frame is shown: a millisecond at least, so that time passes; what is no number is a tenth of a second.
    static func frameSeconds(_ value: Double) -> Double {
        value.isNaN ? 0.1 : Swift.min(Swift.max(value, 0.001), 1e6)
    }

    /// Seconds that have passed: none when it is no finite number, three centuries at most.
    static func elapsedSeconds(_ value: Double) -> Double {
        value.isFinite ? Swift.min(Swift.max(value, 0), 1e10) : 0
    }

    /// Adding centuries to an instant would overflow; ten years are for ever here.
    static func finite(_ duration: Duration) -> Duration {
        Swift.min(Swift.max(duration, .seconds(-315_360_000)), .seconds(315_360_000))
    }
}
