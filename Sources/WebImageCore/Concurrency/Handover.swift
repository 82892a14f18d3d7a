/// Brings the value that a task awaits in ``withHandover(of:isolation:_:)``; ``resume(returning:)`` once, from any thread.
package struct Handover<Value: Sendable>: Sendable {
    private let place: Locked<Value?>
    private let continuation: CheckedContinuation<Void, Never>

    fileprivate init(place: Locked<Value?>, continuation: CheckedContinuation<Void, Never>) {
        self.place = place
        self.continuation = continuation
    }

    package func resume(returning value: Value) {
        place.withLock { $0 = value }
        continuation.resume()
    }
}

/// Waits for the value that a callback brings: `withCheckedContinuation`, but the value passes under a lock.
///
/// A continuation may be resumed before its task awaits. The runtime orders the two then, but does not tell the thread
/// sanitizer, which reports every first read of the value as a race (Swift 6.3 on Linux; a `Dispatch` block that
/// resumes with a fresh object is enough). The lock says it, for some twenty nanoseconds.
package func withHandover<Value: Sendable>(
    of type: Value.Type = Value.self, isolation: isolated (any Actor)? = #isolation,
    _ start: (Handover<Value>) -> Void
) async -> Value {
    let place = Locked<Value?>(nil)
    await withCheckedContinuation(isolation: isolation) { continuation in
        start(Handover(place: place, continuation: continuation))
    }
    guard let value = place.withLock({ $0.take() }) else { preconditionFailure("resumed without a value") }
    return value
}
