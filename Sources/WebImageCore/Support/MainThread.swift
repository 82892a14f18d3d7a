import Dispatch
import Foundation

/// Decides whether the current code counts as main, which means that it runs on the main queue or on the main thread.
///
/// On Linux the main *queue* and the main *thread* can differ. Under swift-testing or `dispatchMain()`, any thread can
/// serve the main queue. A GLib loop runs on the thread that called ``attachCurrentThread()``, outside any queue. Code
/// on the main queue and code on the attached thread both count as main.
package enum MainThread {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    private static let attachedThread = Locked<pthread_t?>(nil)
    /// The identifier of no thread.
    private static let noThread: pthread_t = 0

    /// Declares that the calling thread serves the main queue from now on. Code on this thread then counts as main.
    package static func attachCurrentThread() {
        let current = pthread_self()
        attachedThread.withLock { $0 = current }
    }

    /// Declares that no thread of this process serves the main queue. A decoder process calls this function, because its
    /// restrictions forbid the threads of queues: memory must be freed by the thread that releases it.
    package static func attachNoThread() {
        attachedThread.withLock { $0 = noThread }
    }

    /// Whether a thread was attached. Only a program with a display attaches a thread.
    static var isAttached: Bool { attachedThread.withLock { $0 != nil } }

    package static var isCurrent: Bool {
        // Compare the current thread with the attached thread first. Under a GLib loop most calls come from the
        // attached thread, and the comparison takes less time than the lookup of the queue.
        let attached = attachedThread.withLock { $0 }
        if let attached {
            if attached == noThread { return false }
            if pthread_equal(attached, pthread_self()) != 0 { return true }
        }
        if DispatchQueue.getSpecific(key: key) == true { return true }
        return attached == nil && Thread.isMainThread
    }

    /// Whether a queue is the main queue. `===` does not work, because on Linux every access to `DispatchQueue.main`
    /// returns another object.
    static func isMainQueue(_ queue: DispatchQueue) -> Bool { queue.getSpecific(key: key) == true }
}
