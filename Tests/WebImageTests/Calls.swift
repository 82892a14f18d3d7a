import WebImage
import WebImageTesting

/// What a block was called with.
final class Calls<Value: Sendable>: Sendable {
    private let values = Locked<[Value]>([])
    var all: [Value] { values.withLock { $0 } }
    func append(_ value: Value) { values.withLock { $0.append(value) } }

    /// The first call's value, once there.
    func wait() async -> Value? {
        _ = await eventually { !all.isEmpty }
        return all.first
    }
}
