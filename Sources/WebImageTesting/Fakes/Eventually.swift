import Foundation

/// The only loop of the tests that waits by time: a deadline, and pauses between two checks of a condition.
struct Polling {
    private let end: ContinuousClock.Instant
    private static let pause = 0.002

    /// Sets the deadline; it is later under a sanitizer, which slows code down.
    init(seconds: Double) { end = .now + .seconds(Sanitizer.seconds(seconds)) }

    /// Whether the deadline has passed.
    var isOver: Bool { ContinuousClock.now >= end }

    /// Suspends the task for 2 ms.
    func suspend() async { try? await Task.sleep(for: .seconds(Self.pause)) }

    /// Blocks the thread for 2 ms.
    func block() { Thread.sleep(forTimeInterval: Self.pause) }
}

/// Waits until `condition` holds and checks it every 2 ms; false when `seconds` have passed.
///
/// Under a sanitizer it waits twenty times as long.
public func eventually(within seconds: Double = 30, _ condition: () -> Bool) async -> Bool {
    let polling = Polling(seconds: seconds)
    while !condition() {
        // In a cancelled task every sleep ends at once, so that the loop would only spin.
        guard !polling.isOver, !Task.isCancelled else { return condition() }
        await polling.suspend()
    }
    return true
}

/// Waits in the same way, but blocks the calling thread.
package func eventually(within seconds: Double = 30, _ condition: () -> Bool) -> Bool {
    let polling = Polling(seconds: seconds)
    while !condition() {
        guard !polling.isOver else { return condition() }
        polling.block()
    }
    return true
}

/// Waits until `condition` holds.
///
/// - Parameter name: A description of the condition for the error message.
/// - Throws: ``NeverHeld`` when `seconds` have passed; twenty times as many under a sanitizer.
package func eventually(_ name: String, within seconds: Double = 30, _ condition: () -> Bool) async throws {
    guard await eventually(within: seconds, condition) else { throw NeverHeld(name: name) }
}

/// A condition that did not hold before the deadline.
package struct NeverHeld: Error, CustomStringConvertible {
    /// The description of the condition.
    package let name: String

    package var description: String { "did not hold before the deadline: \(name)" }
}
