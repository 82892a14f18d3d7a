import WebImage
import WebImageTesting

/// Records the values with which a block is called.
final class Calls<Value: Sendable>: Sendable {
    private let values = Locked<[Value]>([])
    var all: [Value] { values.withLock { $0 } }
    func append(_ value: Value) { values.withLock { $0.append(value) } }

    /// Waits for the first call and returns its value. Returns nil if there is no call in time.
    func wait() async -> Value? {
        _ = await eventually { !all.isEmpty }
        return all.first
    }
}
