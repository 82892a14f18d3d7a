import Foundation

/// A deadline, and the pause between two checks of a condition. All loops in the tests that wait for a condition use
/// this type.
struct Polling {
    private let end: ContinuousClock.Instant
    private static let pause = 0.002

    /// Sets the deadline in seconds from now. Under a sanitizer the time is twenty times as long, because sanitizers
    /// slow code down.
    init(seconds: Double) { end = .now + .seconds(Sanitizer.seconds(seconds)) }

    /// Whether the deadline has passed.
    var isOver: Bool { ContinuousClock.now >= end }

    /// Suspends the task for 2 ms.
    func suspend() async { try? await Task.sleep(for: .seconds(Self.pause)) }

    /// Blocks the thread for 2 ms.
    func block() { Thread.sleep(forTimeInterval: Self.pause) }
}

/// Waits until `condition` is true; checks it every 2 ms. Returns false if `condition` is still false after `seconds`.
///
/// Under a sanitizer, the time limit is twenty times as long.
public func eventually(within seconds: Double = 30, _ condition: () -> Bool) async -> Bool {
    let polling = Polling(seconds: seconds)
    while !condition() {
        // In a cancelled task every sleep returns immediately, so the loop would spin without pauses.
        guard !polling.isOver, !Task.isCancelled else { return condition() }
        await polling.suspend()
    }
    return true
}

/// Blocks the calling thread until `condition` is true; checks it every 2 ms. Returns false if `condition` is still
/// false after `seconds`. Under a sanitizer, the time limit is twenty times as long.
package func eventually(within seconds: Double = 30, _ condition: () -> Bool) -> Bool {
    let polling = Polling(seconds: seconds)
    while !condition() {
        guard !polling.isOver else { return condition() }
        polling.block()
    }
    return true
}

/// Waits until `condition` is true. Under a sanitizer, the time limit is twenty times as long.
///
/// - Parameter name: A description of the condition for the error message.
/// - Throws: ``NeverHeld`` if `condition` is still false after `seconds`.
package func eventually(_ name: String, within seconds: Double = 30, _ condition: () -> Bool) async throws {
    guard await eventually(within: seconds, condition) else { throw NeverHeld(name: name) }
}

/// The error for a condition that was still false at the deadline.
package struct NeverHeld: Error, CustomStringConvertible {
    /// The description of the condition.
    package let name: String

    package var description: String { "did not hold before the deadline: \(name)" }
}
