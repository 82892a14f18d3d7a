import WebImageCore

/// A cache that stores values by key and limits their total cost. The cache evicts the least recently used value
/// first. All methods are safe on any thread.
package final class RecentValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Slot {
        var value: Value
        var cost: Int
        var lastUse: UInt64
    }

    private struct State {
        var slots: [Key: Slot] = [:]
        var cost = 0
        var clock: UInt64 = 0
    }

    private let state = Locked(State())
    private let budget: Int

    package init(budget: Int) { self.budget = budget }

    package var totalCost: Int { state.withLock { $0.cost } }

    package func value(for key: Key) -> Value? {
        state.withLock { state in
            state.clock += 1
            state.slots[key]?.lastUse = state.clock
            return state.slots[key]?.value
        }
    }

    /// Stores a value and removes the previous value of the key. A value whose cost exceeds a quarter of the budget is
    /// not stored, because it would evict too many other values.
    package func set(_ value: Value, for key: Key, cost: Int) {
        // The array is declared outside the closure, so that evicted values are released after the lock is released.
        var freed: [Slot] = []
        state.withLock { state in
            state.clock += 1
            if let old = state.slots.removeValue(forKey: key) {
                state.cost -= old.cost
                freed.append(old)
            }
            guard cost <= budget / 4 else { return }
            state.slots[key] = Slot(value: value, cost: cost, lastUse: state.clock)
            state.cost += cost
            guard state.cost > budget else { return }
            // Evict values until at most seven eighths of the budget are used. This makes evictions rare, because
            // each eviction sorts all values.
            for (key, slot) in state.slots.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
                guard state.cost > budget / 8 * 7 else { break }
                state.slots[key] = nil
                state.cost -= slot.cost
                freed.append(slot)
            }
        }
        withExtendedLifetime(freed) {}
    }

    package func removeAll() {
        let freed = state.withLock { state in
            defer { (state.slots, state.cost) = ([:], 0) }
            return state.slots
        }
        withExtendedLifetime(freed) {}
    }

    /// Removes the values for which `isRemoved` returns true. Costs one call for each value.
    package func remove(where isRemoved: (Value) -> Bool) {
        let freed = state.withLock { state in
            let removed = state.slots.filter { isRemoved($0.value.value) }
            for (key, slot) in removed {
                state.slots[key] = nil
                state.cost -= slot.cost
            }
            return removed
        }
        withExtendedLifetime(freed) {}
    }

    package func remove(_ key: Key) {
        let freed = state.withLock { state in
            let old = state.slots.removeValue(forKey: key)
            state.cost -= old?.cost ?? 0
            return old
        }
        withExtendedLifetime(freed) {}
    }
}
