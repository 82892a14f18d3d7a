import Foundation
import WebImageCore

/// A command from another thread to the engine's thread.
enum CurlCommand: Sendable {
    case start(CurlTransfer)
    case cancel(CurlTransfer)
    case setPriority(CurlTransfer, LoadPriority)
}

/// Passes commands from callers to the engine's thread in order, and wakes the thread if it sleeps.
final class CurlMailbox: Sendable {
    private struct State {
        var commands: [CurlCommand] = []
        /// Whether the thread will read new commands before it sleeps again. If true, the thread needs no wake-up.
        var isAwake = true
        var isShutDown = false
        var isRetired = false
        var multi: CurlMulti?
    }

    private let state = Locked(State())

    /// Sets the handle that wakes the sleeping thread. The handle is used until ``close()``.
    func open(_ multi: CurlMulti) { state.withLock { $0.multi = multi } }

    /// Adds a command. Returns false after ``shutDown()`` or a successful ``endIfRetired()``.
    func post(_ command: CurlCommand) -> Bool {
        state.withLock { state in
            guard !state.isShutDown else { return false }
            state.commands.append(command)
            // One wake-up is enough for all commands that are posted until the thread sleeps again.
            if !state.isAwake { state.multi?.wake() }
            state.isAwake = true
            return true
        }
    }

    /// Refuses further commands and wakes the thread so that it ends.
    func shutDown() {
        state.withLock {
            $0.isShutDown = true
            $0.multi?.wake()
        }
    }

    /// Makes the thread end after all transfers and commands are done.
    func retire() {
        state.withLock {
            $0.isRetired = true
            $0.multi?.wake()
        }
    }

    /// Marks the thread as asleep and returns true. If commands are pending or the thread must end, does nothing and
    /// returns false.
    func letSleep() -> Bool {
        state.withLock { state in
            guard state.commands.isEmpty, !state.isShutDown else { return false }
            state.isAwake = false
            return true
        }
    }

    /// Whether no command waits for the thread.
    var isEmpty: Bool { state.withLock { $0.commands.isEmpty } }

    /// Returns whether ``retire()`` was called and no command waits. If true, later commands are refused and the thread
    /// must end.
    ///
    /// The check and the refusal happen under one lock. Otherwise a command that is posted between them would never be
    /// performed.
    func endIfRetired() -> Bool {
        state.withLock { state in
            guard state.isRetired, state.commands.isEmpty else { return false }
            state.isShutDown = true
            return true
        }
    }

    /// Releases the handle. Wake-ups happen under the same lock, so that no wake-up uses a freed handle.
    func close() { state.withLock { $0.multi = nil } }

    /// Removes all commands and returns them. Also returns whether the thread must end. Marks the thread as awake.
    func drain() -> (commands: [CurlCommand], isShutDown: Bool) {
        state.withLock { state in
            defer { state.commands.removeAll() }
            state.isAwake = true
            return (state.commands, state.isShutDown)
        }
    }
}
