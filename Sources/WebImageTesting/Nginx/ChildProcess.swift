import Foundation
import WebImageCore

/// A child process. It is started with `posix_spawn`; its end is awaited with `waitpid`.
///
/// Unlike Foundation's `Process`, it sets an empty signal mask for the child and waits without a run loop.
final class ChildProcess: Sendable {
    private struct State {
        var identifier: pid_t
        var exitStatus: Int32?
    }

    private let state: Locked<State>

    /// Starts `path` with its standard streams on `/dev/null`.
    init(_ path: String, _ arguments: [String]) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for stream in Int32(0)...2 { posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Set an empty signal mask. Dispatch's threads block every signal, and a child inherits the mask: SIGTERM
        // would not end the child.
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

    /// Whether the process has not ended. Never blocks.
    var isRunning: Bool { collect(WNOHANG) == nil }

    /// Blocks until the process has ended and returns its wait status.
    @discardableResult
    func wait() -> Int32 { collect(0) ?? -1 }

    /// Sends SIGTERM, sends SIGKILL if the process runs after one second, and waits for its end. Signals are sent
    /// only before `waitpid` has returned the process, because the system may then reuse its number.
    func terminate() {
        send(SIGTERM)
        _ = eventually(within: 1) { !isRunning }
        send(SIGKILL)
        wait()
    }

    private func send(_ signal: Int32) {
        state.withLock { state in
            if state.exitStatus == nil { kill(state.identifier, signal) }
        }
    }

    private func collect(_ options: Int32) -> Int32? {
        state.withLock { state in
            if let status = state.exitStatus { return status }
            var status: Int32 = 0
            var result = waitpid(state.identifier, &status, options)
            while result < 0, errno == EINTR { result = waitpid(state.identifier, &status, options) }
            if result == 0 { return nil }
            state.exitStatus = result < 0 ? -1 : status
            return state.exitStatus
        }
    }
}
