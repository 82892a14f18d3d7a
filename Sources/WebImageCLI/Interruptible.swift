import Dispatch
import Foundation
import WebImage

/// Runs an asynchronous command from a synchronous main, and lets SIGINT and SIGTERM cancel it; a second one ends the
/// process at once.
enum Interruptible {
    /// - Parameter reportsInterrupt: Whether a cancelled command counts as interrupted, whatever it returns.
    static func run(_ body: @escaping Command.Invocation, reportsInterrupt: Bool = true) -> ExitCode {
        // A reader that closes the pipe is reported by write(2), not by death.
        signal(SIGPIPE, SIG_IGN)
        let code = Locked(ExitCode.ok)
        let wasInterrupted = Locked(false)
        let done = DispatchSemaphore(value: 0)
        let task = Task.detached {
            let result = await body()
            code.withLock { $0 = result }
            done.signal()
        }
        // A queue of its own: the global ones share their threads with the work that is to be cancelled.
        let queue = DispatchQueue(label: "webimage.signals")
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                let isSecond = wasInterrupted.withLock { was in
                    defer { was = true }
                    return was
                }
                if isSecond { _exit(ExitCode.interrupted.rawValue) }
                task.cancel()
            }
            source.resume()
            return source
        }
        done.wait()
        sources.forEach { $0.cancel() }
        return reportsInterrupt && wasInterrupted.withLock { $0 } ? .interrupted : code.withLock { $0 }
    }
}
