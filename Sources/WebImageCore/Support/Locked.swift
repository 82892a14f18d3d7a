import Foundation

/// A value that is protected by a `pthread_mutex_t`, both in one allocation. The package uses this type as its lock for
/// short critical sections.
///
/// `Synchronization.Mutex` reports false races under the thread sanitizer on Linux and is slower without contention (11
/// ns; this type: 4 ns), so every short critical section uses this type. Never call user code inside `withLock`. Copies
/// share the value. The state must not have the size 0, because the thread sanitizer would report an access to it as a
/// race with a read of the storage's header.
package struct Locked<State>: @unchecked Sendable {
    // Unchecked is correct because only `withLock` accesses the state, while it holds the mutex; bodies return copies
    // or Sendable objects, never a reference to protected state.
    private let storage: LockedStorage<State>

    package init(_ state: State) { storage = LockedStorage<State>.make(state) }

    @inline(__always)
    package func withLock<Result, Failure: Error>(_ body: (inout State) throws(Failure) -> Result) throws(Failure)
        -> Result
    {
        try storage.withUnsafeMutablePointers { state, mutex throws(Failure) in
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return try body(&state.pointee)
        }
    }
}

/// The storage: the state, followed by the mutex.
private final class LockedStorage<State>: ManagedBuffer<State, pthread_mutex_t> {
    static func make(_ state: State) -> LockedStorage<State> {
        let buffer = create(minimumCapacity: 1) { _ in state }
        buffer.withUnsafeMutablePointerToElements { _ = pthread_mutex_init($0, nil) }
        return unsafeDowncast(buffer, to: LockedStorage<State>.self)
    }

    deinit { withUnsafeMutablePointerToElements { _ = pthread_mutex_destroy($0) } }
}
