import CWebImageGTKShim
import Dispatch
import WebImageCore

/// Runs the main actor on the GLib main loop: `Task { @MainActor in }` and `DispatchQueue.main` run while the loop
/// runs.
public enum MainLoop {
    private static let hasComplained = Locked(false)

    /// Attaches the main queue to GLib's default main context; call it first in a synchronous `main`.
    ///
    /// Idempotent. The source wakes the loop only when there is work. Each view calls it, so an application that does
    /// not call it works as soon as it has made its first view.
    /// - Returns: false when the caller is not on the process's first thread, as after a suspension in an `async` main
    ///   (the first thread has then ended). Nothing is attached and the reason is logged.
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
