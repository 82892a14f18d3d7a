import Dispatch
import Foundation

/// Decides whether the current code runs on the main queue or the main thread.
///
/// On Linux these two are different. Any thread may serve the main *queue* (swift-testing, `dispatchMain()`). The
/// GLib loop runs on the *thread* that attached it, outside any queue. Both count as main.
package enum MainThread {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    private static let attachedThread = Locked<pthread_t?>(nil)

    /// Declares that the calling thread serves the main queue from now on, so that its code counts as main.
    package static func attachCurrentThread() {
        let current = pthread_self()
        attachedThread.withLock { $0 = current }
    }

    /// Whether a thread was attached, which means that the program has a display.
    package static var isAttached: Bool { attachedThread.withLock { $0 != nil } }

    package static var isCurrent: Bool {
        // Check the thread first: under a GLib loop it usually matches, and the check is cheaper.
        let attached = attachedThread.withLock { $0 }
        if let attached, pthread_equal(attached, pthread_self()) != 0 { return true }
        if DispatchQueue.getSpecific(key: key) == true { return true }
        return attached == nil && Thread.isMainThread
    }

    /// Whether a queue is the main queue. Comparing the identity of the objects does not work, because on Linux every
    /// access to `DispatchQueue.main` returns another object.
    static func isMainQueue(_ queue: DispatchQueue) -> Bool { queue.getSpecific(key: key) == true }
}
