import Foundation
import WebImageCore

/// What other threads ask of the engine's thread.
enum CurlCommand: Sendable {
    case start(CurlTransfer)
    case cancel(CurlTransfer)
    case weigh(CurlTransfer, LoadPriority)
}

/// The only state that callers and the engine's thread share: commands in order, and whether the thread is awake.
final class CurlMailbox: Sendable {
    private struct State {
        var commands: [CurlCommand] = []
        /// Whether the thread looks here before it sleeps again, so that nobody needs to wake it.
        var isAwake = true
        var isShutDown = false
        var isRetired = false
        var multi: CurlMulti?
    }

    private let state = Locked(State())

    /// Gives the handle by which a sleeping thread is woken; until ``close()``.
    func open(_ multi: CurlMulti) { state.withLock { $0.multi = multi } }

    /// Hands a command over; false after ``shutDown()``.
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

    /// Refuses commands from now on and lets the thread end.
    func shutDown() {
        state.withLock {
            $0.isShutDown = true
            $0.multi?.wake()
        }
    }

    /// Lets the thread end once it has nothing to do.
    func retire() {
        state.withLock {
            $0.isRetired = true
            $0.multi?.wake()
        }
    }

    /// Whether the thread may sleep: there is nothing to do that it has not seen.
    func letSleep() -> Bool {
        state.withLock { state in
            guard state.commands.isEmpty, !state.isShutDown else { return false }
            state.isAwake = false
            return true
        }
    }

    /// Whether there is nothing to do that the thread has not seen.
    var isEmpty: Bool { state.withLock { $0.commands.isEmpty } }

    /// Whether the thread is to end for want of work; from then on commands are refused.
    ///
    /// Under one lock: a command that came between the question and the end would be answered by nothing.
    func endIfRetired() -> Bool {
        state.withLock { state in
            guard state.isRetired, state.commands.isEmpty else { return false }
            state.isShutDown = true
            return true
        }
    }

    /// Lets go of the handle; waking happens under the same lock, so nobody wakes a freed one.
    func close() { state.withLock { $0.multi = nil } }

    /// The commands so far, and whether the thread is to end.
    func drain() -> (commands: [CurlCommand], isShutDown: Bool) {
        state.withLock { state in
            defer { state.commands.removeAll() }
            state.isAwake = true
            return (state.commands, state.isShutDown)
        }
    }
}
