import Foundation

/// The frame stores of the process. Each animation in use has one store. All stores share one memory budget.
package final class FrameStoreRegistry: Sendable {
    package static let shared = FrameStoreRegistry(budget: FrameBudget.automatic)

    private struct State {
        var budget: Int
        var stores: [RoleIdentity: (store: FrameStore, users: Int)] = [:]
        var shares: [RoleIdentity: Int] = [:]
        /// The memory need of each store in bytes. `shares` was computed from these needs. If a need changes, the
        /// shares are computed again.
        var needs: [RoleIdentity: Int] = [:]
    }

    /// The pool that decodes the frames.
    let decodePool: DecodePool
    /// The clock of the delays after which failed frames are decoded again.
    let clock: any DelayClock
    private let state: Locked<State>

    package init(budget: Int, decodePool: DecodePool = .shared, clock: any DelayClock = SystemClock()) {
        (self.decodePool, self.clock) = (decodePool, clock)
        state = Locked(State(budget: budget))
    }

    /// The budget of all animations together in bytes.
    package var budget: Int {
        get { state.withLock { $0.budget } }
        set {
            state.withLock {
                $0.budget = newValue
                $0.needs = [:]
            }
        }
    }

    /// The memory of the decoded frames of all animations in bytes.
    package var byteCount: Int { stores.reduce(0) { $0 + $1.byteCount } }

    private var stores: [FrameStore] { state.withLock { $0.stores.values.map(\.store) } }

    /// Returns the store of a provider. Creates the store if the provider has none. The caller must call
    /// ``release(_:)`` when it no longer uses the store.
    func acquire(_ provider: any AnimatedImageProvider) -> FrameStore {
        let key = RoleIdentity(provider)
        return state.withLock { state in
            let store = state.stores[key]?.store ?? FrameStore(provider: provider, key: key, registry: self)
            state.stores[key] = (store, (state.stores[key]?.users ?? 0) + 1)
            return store
        }
    }

    /// Ends one use of a store. After the last use, the store leaves the registry, and its frames are released.
    package func release(_ store: FrameStore) {
        let key = store.key
        let freed = state.withLock { state -> FrameStore? in
            guard let entry = state.stores[key], entry.store === store else { return nil }
            guard entry.users == 1 else {
                state.stores[key]?.users -= 1
                return nil
            }
            state.stores[key] = nil
            state.needs = [:]
            return store
        }
        freed?.removeAllFrames()
    }

    /// Releases all decoded frames, except the next frame that each animation shows.
    package func trim() { for store in stores { store.trim() } }

    /// Returns the current share of a store in bytes.
    func capacity(of store: FrameStore) -> Int {
        let key = store.key
        let need = store.need
        let (isKnown, others) = state.withLock { state in
            (state.needs[key] == need && state.shares[key] != nil, state.stores.map { ($0.key, $0.value.store) })
        }
        if !isKnown {
            // Read the needs outside the registry's lock. `need` acquires the lock of a store, and nested locks could
            // deadlock.
            let all = others.map { ($0.0, $0.1.need, $0.1) }
            let divided = state.withLock { state in
                // Omit stores that have been released in the meantime. Otherwise they would still receive a share of
                // the budget.
                let needs = all.filter { state.stores[$0.0]?.store === $0.2 }.map { ($0.0, $0.1) }
                let shares = FrameBudget.allot(needs.map(\.1), of: state.budget)
                state.needs = Dictionary(needs, uniquingKeysWith: { $1 })
                state.shares = Dictionary(zip(needs.map(\.0), shares), uniquingKeysWith: { $1 })
                return state.shares
            }
            // The player of another store may stand still, and then never evicts frames by itself.
            for other in others where other.0 != key { other.1.shrink(to: divided[other.0] ?? 0) }
        }
        return state.withLock { $0.shares[key] ?? 0 }
    }
}
