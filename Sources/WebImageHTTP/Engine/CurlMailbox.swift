import Foundation
import WebImageCore

/// A command from another thread to the engine's thread.
enum CurlCommand: Sendable {
    case start(CurlTransfer)
    case cancel(CurlTransfer)
    case setPriority(CurlTransfer, LoadPriority)
}

/// The only state that callers and the engine's thread share: ordered commands, and whether the thread is awake.
final class CurlMailbox: Sendable {
    private struct State {
        var commands: [CurlCommand] = []
        /// Whether the thread reads commands before it sleeps again, so that it needs no wake-up.
        var isAwake = true
        var isShutDown = false
        var isRetired = false
        var multi: CurlMulti?
    }

    private let state = Locked(State())

    /// Sets the handle that wakes the sleeping thread; valid until ``close()``.
    func open(_ multi: CurlMulti) { state.withLock { $0.multi = multi } }

    /// Adds a command; false after ``shutDown()``.
    func post(_ command: CurlCommand) -> Bool {
        state.withLock { state in
            guard !state.isShutDown else { return false }
            state.commands.append(command)
            // One wake-up serves every command posted until the thread sleeps again.
            if !state.isAwake { state.multi?.wake() }
            state.isAwake = true
            return true
        }
    }

    /// Refuses further commands and lets the thread end.
    func shutDown() {
        state.withLock {
            $0.isShutDown = true
            $0.multi?.wake()
        }
    }

    /// Lets the thread end when it has no more work.
    func retire() {
        state.withLock {
            $0.isRetired = true
            $0.multi?.wake()
        }
    }

    /// Whether the thread may sleep: it has received every command.
    func letSleep() -> Bool {
        state.withLock { state in
            guard state.commands.isEmpty, !state.isShutDown else { return false }
            state.isAwake = false
            return true
        }
    }

    /// Whether the thread has received every command.
    var isEmpty: Bool { state.withLock { $0.commands.isEmpty } }

    /// Whether the thread must end because it has no work; commands are refused from then on.
    ///
    /// Check and change happen under one lock; otherwise a command posted in between would never be performed.
    func endIfRetired() -> Bool {
        state.withLock { state in
            guard state.isRetired, state.commands.isEmpty else { return false }
            state.isShutDown = true
            return true
        }
    }

    /// Releases the handle. Wake-ups happen under the same lock, so none uses a freed handle.
    func close() { state.withLock { $0.multi = nil } }

    /// Removes and returns the commands, and whether the thread must end.
    func drain() -> (commands: [CurlCommand], isShutDown: Bool) {
        state.withLock { state in
            defer { state.commands.removeAll() }
            state.isAwake = true
            return (state.commands, state.isShutDown)
        }
    }
}
