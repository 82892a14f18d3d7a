import Dispatch

extension MainThread {
    /// Runs `body` on the main actor. On the main thread it runs before this method returns; from other
    /// threads it runs asynchronously, in the order of the calls.
    package static func run(_ body: @escaping @MainActor @Sendable () -> Void) {
        if isCurrent {
            MainActor.assumeIsolated(body)
        } else {
            DispatchQueue.main.async { MainActor.assumeIsolated(body) }
        }
    }
}
