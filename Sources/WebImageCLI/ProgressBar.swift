import Foundation
import WebImage

/// Shows the total progress of all loads on one line of the terminal. Prints nothing if standard error is not a
/// terminal.
final class ProgressBar: Sendable {
    private struct State {
        var done = 0
        var bytes: [String: (received: Int, expected: Int)] = [:]
        var lastDrawn = ContinuousClock.Instant.now - .seconds(1)
        var isVisible = false
    }

    private let total: Int
    private let isEnabled: Bool
    private let state = Locked(State())

    init(total: Int, isQuiet: Bool) {
        self.total = total
        isEnabled = Console.statusIsTerminal && !isQuiet
    }

    func update(_ name: String, received: Int, expected: Int) {
        guard isEnabled else { return }
        draw { $0.bytes[name] = (received, max(expected, 0)) }
    }

    /// Counts a finished load and clears the progress line, so that the report of the load can be printed.
    func step(_ name: String) {
        guard isEnabled else { return }
        let wasVisible = state.withLock { state in
            state.done += 1
            state.bytes[name] = nil
            defer { state.isVisible = false }
            return state.isVisible
        }
        if wasVisible { Console.status("\r\u{1B}[K") }
    }

    func finish() {
        let wasVisible = state.withLock { $0.isVisible }
        if isEnabled, wasVisible { Console.status("\r\u{1B}[K") }
    }

    private func draw(_ change: (inout State) -> Void) {
        let line = state.withLock { state -> String? in
            change(&state)
            guard ContinuousClock.now - state.lastDrawn > .milliseconds(80) else { return nil }
            state.lastDrawn = .now
            state.isVisible = true
            return text(state)
        }
        if let line { Console.status("\r\u{1B}[K" + line) }
    }

    private func text(_ state: State) -> String {
        let partial = state.bytes.values.reduce(0.0) { sum, bytes in
            sum + (bytes.expected > 0 ? min(Double(bytes.received) / Double(bytes.expected), 1) : 0)
        }
        let fraction = min((Double(state.done) + partial) / Double(max(total, 1)), 1)
        let width = 30
        let filled = Int(fraction * Double(width))
        let bar = String(repeating: "=", count: filled) + String(repeating: " ", count: width - filled)
        let received = state.bytes.values.reduce(0) { $0 + $1.received }
        return "[\(bar)] \(state.done)/\(total)" + (received > 0 ? "  \(received / 1024) KB under way" : "")
    }
}
