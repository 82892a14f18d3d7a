import Foundation

/// The default memory layer. It limits cost and count of the images and evicts by the second-chance algorithm.
///
/// A hit costs a lock and a look-up; it marks the image as used and does not reorder the queue. Evicted
/// images are released outside the lock. Weak references to evicted images are kept: if the application still
/// uses such an image, a look-up finds it again, and it is not decoded a second time.
public final class MemoryCache: MemoryCaching {
    private let state: Locked<State>
    private let observation = Locked<(any Sendable)?>(nil)

    private struct State {
        var ring = ClockRing()
        var weak = WeakImageTable()
        var limits: Limits
    }

    private struct Limits {
        var cost: Int
        var count: Int
        var keepsWeakReferences: Bool

        init(_ config: ImageCacheConfig) {
            cost = config.maxMemoryCost == 0 ? MemorySize.automaticCost : max(config.maxMemoryCost, 0)
            count = config.maxMemoryCount <= 0 ? .max : config.maxMemoryCount
            keepsWeakReferences = config.shouldUseWeakMemoryCache
        }
    }

    /// Creates an empty cache with the config's limits. Under memory pressure the cache evicts images until
    /// half of the cost is left; under critical memory pressure it evicts all images.
    public init(config: ImageCacheConfig) {
        state = Locked(State(limits: Limits(config)))
        let source = config.memoryPressureSource ?? MemoryPressureRelay.system
        let token = source.observe { [weak self] pressure in
            guard let self else { return }
            trim(toCost: pressure == .critical ? 0 : totalCost / 2)
        }
        observation.withLock { $0 = token }
    }

    /// Returns the image of a key. A hit makes no allocation.
    public func object(forKey key: String) -> Image? {
        if let image = state.withLock({ $0.ring.use(key) }) { return image }
        return reinsertedWeakImage(key)
    }

    /// Returns an evicted image that the application still uses, and stores it again.
    private func reinsertedWeakImage(_ key: String) -> Image? {
        let (image, evicted): (Image?, [Image]) = state.withLock { state in
            // Another thread may have stored the image after the first look-up released the lock.
            if let image = state.ring.use(key) { return (image, []) }
            guard let found = state.weak.take(key) else { return (nil, []) }
            return (found.image, Self.insert(found.image, key, cost: found.cost, into: &state))
        }
        withExtendedLifetime(evicted) {}
        return image
    }

    /// Stores an image; nil removes the image of the key. An image whose cost exceeds the limit is not stored
    /// and evicts no others; the cache keeps only a weak reference to it, if these are enabled.
    public func setObject(_ object: Image?, forKey key: String, cost: Int) {
        guard let object else { return removeObject(forKey: key) }
        let evicted = state.withLock { state in
            let forgotten = state.weak.take(key)?.image
            let cost = min(max(cost, 0), Self.maxCost)
            return Self.insert(object, key, cost: cost, into: &state) + (forgotten.map { [$0] } ?? [])
        }
        withExtendedLifetime(evicted) {}
    }

    /// Removes an image and its weak reference.
    public func removeObject(forKey key: String) {
        let evicted = state.withLock { ($0.ring.remove(key)?.image, $0.weak.take(key)?.image) }
        withExtendedLifetime(evicted) {}
    }

    /// Removes all images and weak references.
    public func removeAllObjects() {
        let evicted = state.withLock { state in
            defer {
                state.ring = ClockRing()
                state.weak = WeakImageTable()
            }
            return (state.ring, state.weak)
        }
        withExtendedLifetime(evicted) {}
    }

    /// Evicts images until the total cost is at most `cost` bytes. Images that were not used recently are
    /// evicted first.
    ///
    /// Used under memory pressure. A look-up still finds evicted images that the application uses.
    public func trim(toCost cost: Int) {
        let evicted = state.withLock { Self.evict(toCost: max(cost, 0), count: .max, from: &$0) }
        withExtendedLifetime(evicted) {}
    }

    /// Applies the new limits immediately.
    public func configDidChange(_ config: ImageCacheConfig) {
        let limits = Limits(config)
        let evicted = state.withLock { state in
            state.limits = limits
            if !limits.keepsWeakReferences { state.weak = WeakImageTable() }
            return Self.evict(toCost: limits.cost, count: limits.count, from: &state)
        }
        withExtendedLifetime(evicted) {}
    }

    /// The total cost of the stored images in bytes.
    public var totalCost: Int { state.withLock { $0.ring.totalCost } }
    /// The number of stored images.
    public var totalCount: Int { state.withLock { $0.ring.count } }

    /// The cost of one image is limited to this value, 1 TiB, so that the sum of all costs cannot overflow.
    private static let maxCost = 1 << 40

    // MARK: Functions called under the lock; they return the images that the caller must release after unlocking

    private static func insert(_ image: Image, _ key: String, cost: Int, into state: inout State) -> [Image] {
        guard cost <= state.limits.cost else {
            let old = state.ring.remove(key)?.image
            let evicted = state.limits.keepsWeakReferences ? state.weak.put(image, key, cost: cost) : []
            return old.map { evicted + [$0] } ?? evicted
        }
        let old = state.ring.remove(key)?.image
        // Evict before the insertion. The new image is not marked as used, so it would be evicted first if
        // all other images are marked.
        let evicted = evict(toCost: state.limits.cost - cost, count: state.limits.count - 1, from: &state)
        state.ring.append(image, key, cost: cost)
        return old.map { evicted + [$0] } ?? evicted
    }

    private static func evict(toCost cost: Int, count: Int, from state: inout State) -> [Image] {
        var evicted: [Image] = []
        while state.ring.totalCost > cost || state.ring.count > count, let victim = state.ring.evict() {
            if state.limits.keepsWeakReferences {
                evicted += state.weak.put(victim.image, victim.key, cost: victim.cost)
            }
            evicted.append(victim.image)
        }
        return evicted
    }
}
