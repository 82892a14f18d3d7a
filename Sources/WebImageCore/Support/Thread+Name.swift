package import Foundation

extension Thread {
    /// Creates a thread with a name that system tools such as `top -H` show.
    ///
    /// The thread sets its own name after it has started. If `name` is set before ``start()``, Foundation does not
    /// pass the name to the system. Linux limits the name to 15 bytes (`man 3 pthread_setname_np`).
    ///
    /// - Parameter name: the name in ASCII. Tools show only its first 15 bytes.
    package convenience init(name: String, block: @escaping @Sendable () -> Void) {
        self.init {
            let name = String(name.prefix(15))
            Thread.current.name = name
            // Foundation passes the name to the system only if the creating thread has already recorded this thread's
            // identifier. A new thread that runs before that would keep the name of its creator.
            if let file = fopen("/proc/thread-self/comm", "w") {
                fputs(name, file)
                fclose(file)
            }
            block()
        }
    }
}
