/// Calls its block the first time only: a foreign role that answers twice must not resume a continuation twice.
final class Once<Value: Sendable>: Sendable {
    private let block: Locked<(@Sendable (Value) -> Void)?>

    init(_ block: @escaping @Sendable (Value) -> Void) { self.block = Locked(block) }

    func call(_ value: Value) {
        let block = block.withLock { block in
            defer { block = nil }
            return block
        }
        block?(value)
    }
}
