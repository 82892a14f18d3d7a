import Foundation
import WebImage

/// Shows the total progress of all loads on one line of the terminal. Prints nothing if standard error is not a
/// terminal.
final class ProgressBar: Sendable {
    private struct State {
        var done = 0
        /// The received and the expected bytes of each load that runs, by the load's index.
        var bytes: [Int: (received: Int, expected: Int)] = [:]
        var lastDrawn = ContinuousClock.Instant.now - .seconds(1)
        var isVisible = false
    }

    private let total: Int
    private let isEnabled: Bool
    private let print: @Sendable (String) -> Void
    // The line is also printed and cleared under this lock. Otherwise a line could appear after it was cleared.
    private let state = Locked(State())

    private static let columns = 30

    /// - Parameters:
    ///   - total: The number of loads.
    ///   - print: Writes text to the terminal.
    init(
        total: Int, isEnabled: Bool, print: @escaping @Sendable (String) -> Void = { Console.status($0) }
    ) {
        (self.total, self.isEnabled, self.print) = (total, isEnabled, print)
    }

    /// - Parameter expected: The size of the whole picture in bytes; 0 or less if it is not known.
    func update(_ load: Int, received: Int, expected: Int) {
        guard isEnabled else { return }
        state.withLock { state in
            state.bytes[load] = (received, max(expected, 0))
            guard ContinuousClock.now - state.lastDrawn > .milliseconds(80) else { return }
            state.lastDrawn = .now
            clear(&state)
            print(text(state))
            state.isVisible = true
        }
    }

    /// Counts a finished load, and prints its report in place of the progress line.
    func finishLoad(_ load: Int, report: () -> Void) {
        guard isEnabled else { return report() }
        state.withLock { state in
            state.done += 1
            state.bytes[load] = nil
            clear(&state)
            report()
        }
    }

    /// Clears the progress line after the last load.
    func finish() {
        state.withLock { clear(&$0) }
    }

    private func clear(_ state: inout State) {
        if state.isVisible { print("\r\u{1B}[K") }
        state.isVisible = false
    }

    private func text(_ state: State) -> String {
        let partial = state.bytes.values.reduce(0.0) { sum, bytes in
            sum + (bytes.expected > 0 ? min(Double(bytes.received) / Double(bytes.expected), 1) : 0)
        }
        let fraction = min((Double(state.done) + partial) / Double(max(total, 1)), 1)
        let filled = Int(fraction * Double(Self.columns))
        let bar = String(repeating: "=", count: filled) + String(repeating: " ", count: Self.columns - filled)
        let received = state.bytes.values.reduce(0) { $0 + $1.received }
        return "[\(bar)] \(state.done)/\(total)" + (received > 0 ? "  \(received / 1024) KiB under way" : "")
    }
}
