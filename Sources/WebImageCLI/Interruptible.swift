import Dispatch
import Foundation
import WebImage

/// Runs an asynchronous command from a synchronous main function. The first SIGINT or SIGTERM cancels the command. A
/// second signal ends the process immediately.
enum Interruptible {
    /// Runs a command and waits until it ends.
    ///
    /// - Parameter reportsInterrupt: If true, the exit code of an interrupted command is `.interrupted`, even if the
    ///   command returns another exit code.
    static func run(_ body: @escaping Command.Invocation, reportsInterrupt: Bool = true) -> ExitCode {
        // Ignore SIGPIPE, because the signal would end the process. If the reader has closed the pipe, write(2) then
        // returns an error.
        signal(SIGPIPE, SIG_IGN)
        let code = Locked(ExitCode.ok)
        let wasInterrupted = Locked(false)
        let done = DispatchSemaphore(value: 0)
        let task = Locked<Task<Void, Never>?>(nil)
        // Use a separate queue. The global queues share their threads with the work that the signal must cancel. This
        // work could delay the handler on a global queue.
        let queue = DispatchQueue(label: "webimage.signals")
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                let isSecond = wasInterrupted.withLock { was in
                    defer { was = true }
                    return was
                }
                if isSecond {
                    OutputFile.removeTemporaries()
                    _exit(ExitCode.interrupted.rawValue)
                }
                task.withLock { $0 }?.cancel()
            }
            source.resume()
            return source
        }
        // After the handlers: a signal that comes as soon as the command has begun must cancel it.
        let work = Task.detached {
            let result = await body()
            code.withLock { $0 = result }
            done.signal()
        }
        task.withLock { $0 = work }
        if wasInterrupted.withLock({ $0 }) { work.cancel() }
        done.wait()
        sources.forEach { $0.cancel() }
        return reportsInterrupt && wasInterrupted.withLock { $0 } ? .interrupted : code.withLock { $0 }
    }
}
