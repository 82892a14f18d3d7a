import Foundation
import WebImageCore

/// A child process. `posix_spawn` starts the process, and `waitpid` waits for its end.
///
/// Unlike Foundation's `Process`, this type sets an empty signal mask for the child and waits without a run loop.
package final class ChildProcess: Sendable {
    private struct State {
        var identifier: pid_t
        var exitStatus: Int32?
    }

    private let state: Locked<State>

    /// Starts the program at `path` with its standard streams on `/dev/null`.
    package init(_ path: String, _ arguments: [String]) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for stream in Int32(0)...2 { posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Set an empty signal mask for the child. Otherwise the child inherits the signal mask of the calling thread.
        // The threads of Dispatch block every signal, so SIGTERM would not end a child that such a thread starts.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var identifier: pid_t = 0
        let result = posix_spawn(&identifier, path, &actions, &attributes, &words, environ)
        guard result == 0 else { throw NginxError("\(path): \(String(cString: strerror(result)))") }
        state = Locked(State(identifier: identifier))
    }

    /// Whether the process still runs. Returns immediately, unless another thread is in ``wait()``.
    package var isRunning: Bool { collect(WNOHANG) == nil }

    /// Blocks until the process has ended and returns its wait status.
    @discardableResult
    package func wait() -> Int32 { collect(0) ?? -1 }

    /// Sends SIGTERM and waits for the end of the process. If the process still runs after one second, sends SIGKILL.
    /// No signal is sent after `waitpid` has reported the end, because the system may reuse the identifier of an ended
    /// process.
    package func terminate() {
        send(SIGTERM)
        _ = eventually(within: 1) { !isRunning }
        send(SIGKILL)
        wait()
    }

    /// Sends a signal unless the process has ended.
    package func send(_ signal: Int32) {
        state.withLock { state in
            if state.exitStatus == nil { kill(state.identifier, signal) }
        }
    }

    /// Stops the execution of the process, and waits until all its threads have stopped. A process with many threads goes on
    /// for a while after the signal: until the thread that receives it runs, which takes long on a busy machine.
    package func pause() {
        state.withLock { state in
            guard state.exitStatus == nil, kill(state.identifier, SIGSTOP) == 0 else { return }
            var status: Int32 = 0
            let result = SystemCall.retrying { waitpid(state.identifier, &status, WUNTRACED) }
            // The low byte of the status of a stopped process is 0x7F.
            if result != state.identifier || status & 0xFF != 0x7F { state.exitStatus = result < 0 ? -1 : status }
        }
    }

    private func collect(_ options: Int32) -> Int32? {
        state.withLock { state in
            if let status = state.exitStatus { return status }
            var status: Int32 = 0
            let result = SystemCall.retrying { waitpid(state.identifier, &status, options) }
            if result == 0 { return nil }
            state.exitStatus = result < 0 ? -1 : status
            return state.exitStatus
        }
    }
}
