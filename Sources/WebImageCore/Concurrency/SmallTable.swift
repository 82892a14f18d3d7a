/// A table of values by number that stores one value without allocating memory. Shared work usually has one subscriber, and
/// a priority one observer.
struct SmallTable<Value> {
    private var first: (id: UInt64, value: Value)?
    private var others: [UInt64: Value] = [:]

    var isEmpty: Bool { first == nil && others.isEmpty }

    /// The value of a number. Setting nil removes the value.
    subscript(id: UInt64) -> Value? {
        get { first?.id == id ? first?.value : others[id] }
        set {
            if first == nil || first?.id == id, others[id] == nil {
                first = newValue.map { (id, $0) }
            } else {
                others[id] = newValue
            }
        }
    }

    /// Removes the value of a number and returns it.
    @discardableResult
    mutating func remove(_ id: UInt64) -> Value? {
        guard first?.id == id else { return others.removeValue(forKey: id) }
        return first.take()?.value
    }

    /// Calls `body` for each value, in no particular order.
    func forEach(_ body: (UInt64, Value) -> Void) {
        if let first { body(first.id, first.value) }
        for (id, value) in others { body(id, value) }
    }
}

extension SmallTable: Sendable where Value: Sendable {}
