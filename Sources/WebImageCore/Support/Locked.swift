public import Foundation

/// A value that is protected by a `pthread_mutex_t`. One allocation contains both. The package uses this type as its
/// lock for short critical sections.
///
/// `Synchronization.Mutex` is not used for two reasons:
/// - On Linux, the thread sanitizer reports false races in code that uses `Synchronization.Mutex`.
/// - `Synchronization.Mutex` is slower without contention (11 ns; this type: 4 ns).
///
/// A function must not be the state itself: see ``LockedFunction``.
///
/// Never call user code inside `withLock`. Copies of a `Locked` share one state. The size of the state must not be 0.
/// Otherwise the thread sanitizer reports an access to the state as a race with a read of the storage's header.
@usableFromInline package struct Locked<State>: @unchecked Sendable {
    // Unchecked is correct because only `withLock` accesses the state, and only while the mutex is locked. The closures
    // passed to `withLock` return copies or `Sendable` objects, never a reference to protected state.
    //
    // Not private, so that optimized builds specialise `withLock` in the other targets.
    @usableFromInline let storage: LockedStorage<State>

    @inlinable package init(_ state: State) { storage = LockedStorage<State>.make(state) }

    @inlinable @inline(__always)
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
@usableFromInline
final class LockedStorage<State>: ManagedBuffer<State, pthread_mutex_t> {
    @inlinable static func make(_ state: State) -> LockedStorage<State> {
        let buffer = create(minimumCapacity: 1) { _ in state }
        buffer.withUnsafeMutablePointerToElements { _ = pthread_mutex_init($0, nil) }
        return unsafeDowncast(buffer, to: LockedStorage<State>.self)
    }

    deinit { withUnsafeMutablePointerToElements { _ = pthread_mutex_destroy($0) } }
}

/// A function that is the state of a ``Locked``.
///
/// A generic type stores a function in a general form, in which all parameters are passed by reference. An access to it as
/// `inout` converts the function to its own form and back, and stores the result: a function around a function around the
/// function. Each access would make all later calls deeper, until the stack is full. A structure is accessed as it is.
package struct LockedFunction<Function: Sendable>: Sendable {
    package let call: Function

    package init(_ call: Function) { self.call = call }
}
