import Dispatch

extension MainThread {
    /// Runs `body` on the main actor: at once when on main, else in the order of the calls as soon as main has time.
    package static func run(_ body: @escaping @MainActor @Sendable () -> Void) {
        if isCurrent {
            MainActor.assumeIsolated(body)
        } else {
            DispatchQueue.main.async { MainActor.assumeIsolated(body) }
        }
    }
}
