package import Foundation

extension Thread {
    /// A thread whose name the system's tools show, for example `top -H`.
    ///
    /// Foundation gives a name to the system only when a thread sets its own name, so a `name` set before
    /// ``start()`` is not shown. Linux limits the name to 15 bytes (`man 3 pthread_setname_np`).
    ///
    /// - Parameter name: Only the first 15 bytes are shown. ASCII.
    package convenience init(name: String, block: @escaping @Sendable () -> Void) {
        self.init {
            Thread.current.name = String(name.prefix(15))
            block()
        }
    }
}
