import Foundation

/// The memory layer: bounded by cost and count, with second-chance eviction and weak references to evicted images.
///
/// A hit is a lock and a look-up: it marks the image as used and moves nothing. Evicted images are released outside the
/// lock. An evicted image that is still in use is found again instead of decoded twice.
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

    /// Creates an empty cache with the config's limits. It releases half of its cost under memory pressure, everything
    /// under critical pressure.
    public init(config: ImageCacheConfig) {
        state = Locked(State(limits: Limits(config)))
        let source = config.memoryPressureSource ?? MemoryPressureRelay.system
        let token = source.observe { [weak self] pressure in
            guard let self else { return }
            trim(toCost: pressure == .critical ? 0 : totalCost / 2)
        }
        observation.withLock { $0 = token }
    }

    /// The image of a key. No allocation on a hit.
    public func object(forKey key: String) -> Image? {
        if let image = state.withLock({ $0.ring.use(key) }) { return image }
        return reinsertedWeakImage(key)
    }

    /// Returns an evicted image that still exists, and stores it again.
    private func reinsertedWeakImage(_ key: String) -> Image? {
        let (image, evicted): (Image?, [Image]) = state.withLock { state in
            // Another thread may have stored the image between the two locks.
            if let image = state.ring.use(key) { return (image, []) }
            guard let found = state.weak.take(key) else { return (nil, []) }
            return (found.image, Self.insert(found.image, key, cost: found.cost, into: &state))
        }
        withExtendedLifetime(evicted) {}
        return image
    }

    /// Stores an image; nil removes it. An image above the cost limit evicts nothing and is only referenced weakly.
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

    /// Evicts images, the longest unused first, until the total cost is at most `cost` bytes; used under memory
    /// pressure.
    ///
    /// Evicted images that are still in use are found again.
    public func trim(toCost cost: Int) {
        let evicted = state.withLock { Self.evict(toCost: max(cost, 0), count: .max, from: &$0) }
        withExtendedLifetime(evicted) {}
    }

    /// Applies the new limits at once.
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

    /// The maximum cost of one image, 1 TiB, so that the sum of costs does not overflow.
    private static let maxCost = 1 << 40

    // MARK: Called under the lock; each returns the images to release after unlocking

    private static func insert(_ image: Image, _ key: String, cost: Int, into state: inout State) -> [Image] {
        guard cost <= state.limits.cost else {
            let old = state.ring.remove(key)?.image
            let evicted = state.limits.keepsWeakReferences ? state.weak.put(image, key, cost: cost) : []
            return old.map { evicted + [$0] } ?? evicted
        }
        let old = state.ring.remove(key)?.image
        // Evicts before the insertion: if all other images are marked as used, the new image would be evicted first.
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
