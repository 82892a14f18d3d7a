import Dispatch
import Foundation
import WebImage

/// Runs an asynchronous command from a synchronous main. SIGINT and SIGTERM cancel it; a second signal ends the process
/// at once.
enum Interruptible {
    /// - Parameter reportsInterrupt: Whether a cancelled command returns the exit code of an interrupt, whatever its
    ///   result.
    static func run(_ body: @escaping Command.Invocation, reportsInterrupt: Bool = true) -> ExitCode {
        // With SIGPIPE ignored, a closed pipe is an error of write(2) and does not end the process.
        signal(SIGPIPE, SIG_IGN)
        let code = Locked(ExitCode.ok)
        let wasInterrupted = Locked(false)
        let done = DispatchSemaphore(value: 0)
        let task = Task.detached {
            let result = await body()
            code.withLock { $0 = result }
            done.signal()
        }
        // Use a separate queue: the global ones share their threads with the work to be cancelled.
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
