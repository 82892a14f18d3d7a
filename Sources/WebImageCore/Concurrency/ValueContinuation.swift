/// Passes a value to the task that waits in ``withValueContinuation(of:isolation:_:)``.
/// ``resume(returning:)`` must be called exactly once, on any thread.
package struct ValueContinuation<Value: Sendable>: Sendable {
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

/// Waits for the value of a callback, like `withCheckedContinuation`. The value is passed under a lock.
///
/// The lock takes about 20 ns and prevents false reports of the thread sanitizer. If a continuation is resumed
/// before its task suspends, the runtime correctly orders the write and the read of the value. The sanitizer
/// does not detect this order and reports the first read as a race. This was observed with Swift 6.3 on Linux,
/// with a `Dispatch` block that resumes with a new object.
package func withValueContinuation<Value: Sendable>(
    of type: Value.Type = Value.self, isolation: isolated (any Actor)? = #isolation,
    _ start: (ValueContinuation<Value>) -> Void
) async -> Value {
    let place = Locked<Value?>(nil)
    await withCheckedContinuation(isolation: isolation) { continuation in
        start(ValueContinuation(place: place, continuation: continuation))
    }
    guard let value = place.withLock({ $0.take() }) else { preconditionFailure("resumed without a value") }
    return value
}
