import CWebImageGTKShim
import Dispatch
import WebImageCore

/// Runs the main actor on the GLib main loop: while the loop runs, so do main-actor tasks and `DispatchQueue.main`.
public enum MainLoop {
    private static let hasComplained = Locked(false)

    /// Lets GLib's default main context run the main queue. Call it first in a synchronous `main`.
    ///
    /// Idempotent. The source wakes the loop only if there is work. Views call this function too, so that a program
    /// without the call works once it has created its first view.
    /// - Returns: false if the caller is not on the process's first thread, as after a suspension in an `async` main,
    ///   which has ended that thread. Nothing is attached; the reason is logged.
    @discardableResult
    public static func attach() -> Bool {
        guard webimage_main_loop_attach() else {
            complainOnce()
            return false
        }
        MainThread.attachCurrentThread()
        return true
    }

    private static func complainOnce() {
        let isNew = hasComplained.withLock { complained in
            defer { complained = true }
            return !complained
        }
        guard isNew else { return }
        WebImageLog.shared.log(
            .warning,
            "the GLib loop was not attached: this is not the process's first thread; "
                + "use a synchronous main, or attach before its first await")
    }
}
