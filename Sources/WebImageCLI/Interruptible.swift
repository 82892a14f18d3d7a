import Dispatch
import Foundation
import WebImage

/// Runs an asynchronous command from a synchronous main function. The first SIGINT or SIGTERM cancels the command; a
/// second signal ends the process immediately.
enum Interruptible {
    /// Runs a command and waits until it ends.
    ///
    /// - Parameter reportsInterrupt: Whether an interrupted command always returns the exit code of an interrupt
    ///   instead of its own result.
    static func run(_ body: @escaping Command.Invocation, reportsInterrupt: Bool = true) -> ExitCode {
        // Ignore SIGPIPE, so that write(2) returns an error if the reader has closed the pipe. The signal would end the
        // process.
        signal(SIGPIPE, SIG_IGN)
        let code = Locked(ExitCode.ok)
        let wasInterrupted = Locked(false)
        let done = DispatchSemaphore(value: 0)
        let task = Task.detached {
            let result = await body()
            code.withLock { $0 = result }
            done.signal()
        }
        // Use a separate queue. The global queues share their threads with the work that the signal must cancel, so
        // the handler could be delayed.
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
