import CWebImageGTKShim
import Dispatch
import WebImageCore

/// Runs the main actor on the GLib main loop: `Task { @MainActor in }` and the blocks of `DispatchQueue.main` run while
/// the loop runs.
public enum MainLoop {
    private static let hasComplained = Locked(false)

    /// Attaches the main queue to GLib's default main context. Call this function first in a synchronous `main`.
    ///
    /// Repeated calls have no further effect. The main queue wakes the loop only when there is work. Each view calls
    /// this function. Therefore an application that does not call it works as soon as its first view exists.
    /// - Returns: false if the caller is not on the process's first thread. The queue is then not attached, and the
    ///   reason is logged. Example: a suspension in an `async` main ends the first thread, so a later call returns
    ///   false.
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
