// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// The declarations of swift-metrics that the sample uses. They have no implementation.
public final class Counter: Sendable {
    public convenience init(label: String, dimensions: [(String, String)] = []) { self.init() }
    init() {}
    public func increment<Value: BinaryInteger>(by amount: Value) {}
}

public final class Timer: Sendable {
    public convenience init(label: String, dimensions: [(String, String)] = []) { self.init() }
    init() {}
    public func recordNanoseconds(_ duration: Int64) {}
}
