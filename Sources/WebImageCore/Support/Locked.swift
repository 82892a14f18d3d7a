import Foundation

/// A value behind a `pthread_mutex_t`: the house lock for short facts.
///
/// `Synchronization.Mutex` reports false races under the thread sanitizer on Linux and is slower uncontended,
/// so every short fact uses this one. Never call user code inside `withLock`.
package final class Locked<State>: @unchecked Sendable {
    // Unchecked is true because `state` is touched only between lock and unlock of `mutex`.
    // Its own check of overlapping accesses would repeat, a sixth of a memory hit, what the lock already excludes.
    @exclusivity(unchecked) private var state: State
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init(_ state: State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    @inline(__always)
    package func withLock<Result, Failure: Error>(_ body: (inout State) throws(Failure) -> Result) throws(Failure)
        -> Result
    {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }
}
