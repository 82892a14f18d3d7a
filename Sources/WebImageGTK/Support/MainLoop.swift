import CWebImageGTKShim
import Dispatch
import WebImageCore

/// The GLib main loop as the main actor's: `Task { @MainActor in }` and `DispatchQueue.main` run while it spins.
public enum MainLoop {
    private static let hasComplained = Locked(false)

    /// Lets GLib's default main context drain the main queue; call it first thing in a synchronous `main`.
    ///
    /// Idempotent. An idle loop stays idle: the source wakes only when there is work. Views call it themselves, so an
    /// application that forgets it works as soon as it has made its first view.
    /// - Returns: false when the caller is not on the process's first thread, as after a suspension in an `async` main
    ///   (that thread has then ended). Nothing is attached and the reason is logged.
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
