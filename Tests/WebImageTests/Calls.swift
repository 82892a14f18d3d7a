import WebImage
import WebImageTesting

/// Records the values that a block was called with.
final class Calls<Value: Sendable>: Sendable {
    private let values = Locked<[Value]>([])
    var all: [Value] { values.withLock { $0 } }
    func append(_ value: Value) { values.withLock { $0.append(value) } }

    /// Waits for the first call and returns its value.
    func wait() async -> Value? {
        _ = await eventually { !all.isEmpty }
        return all.first
    }
}
