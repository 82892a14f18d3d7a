import Dispatch
import Foundation

/// The one answer to "are we on main?".
///
/// On Linux two answers exist: the main *queue* may be served by any thread (swift-testing, `dispatchMain()`), and the
/// GLib loop runs on the *thread* that attached it, outside any queue. Both count as main.
package enum MainThread {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    private static let attachedThread = Locked<pthread_t?>(nil)

    /// Declares the calling thread to be the one that serves the main queue from now on.
    package static func attachCurrentThread() {
        let current = pthread_self()
        attachedThread.withLock { $0 = current }
    }

    /// Whether a thread has declared itself, which means that somebody draws.
    package static var isAttached: Bool { attachedThread.withLock { $0 != nil } }

    package static var isCurrent: Bool {
        // The thread first: under a GLib loop it is the usual answer, and the cheaper one to ask for.
        let attached = attachedThread.withLock { $0 }
        if let attached, pthread_equal(attached, pthread_self()) != 0 { return true }
        if DispatchQueue.getSpecific(key: key) == true { return true }
        return attached == nil && Thread.isMainThread
    }

    /// Whether a queue is the main one; every access to `DispatchQueue.main` gives another object on Linux.
    static func isMainQueue(_ queue: DispatchQueue) -> Bool { queue.getSpecific(key: key) == true }
}
