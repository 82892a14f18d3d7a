import Dispatch

extension MainThread {
    /// Runs `body` on the main actor: at once on the main thread, else asynchronously in the order of the calls.
    package static func run(_ body: @escaping @MainActor @Sendable () -> Void) {
        if isCurrent {
            MainActor.assumeIsolated(body)
        } else {
            DispatchQueue.main.async { MainActor.assumeIsolated(body) }
        }
    }
}
