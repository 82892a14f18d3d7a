import Dispatch

extension MainThread {
    /// Runs `body` on the main actor. A call on the main thread runs `body` before it returns. Calls on other threads
    /// return immediately, and their closures run later, in the order of the calls.
    package static func run(_ body: @escaping @MainActor @Sendable () -> Void) {
        if isCurrent {
            MainActor.assumeIsolated(body)
        } else {
            DispatchQueue.main.async { MainActor.assumeIsolated(body) }
        }
    }
}
