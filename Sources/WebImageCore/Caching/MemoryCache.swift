import Foundation

/// The memory layer: bounded by cost and count, second-chance eviction, and a weak map for what is still in use.
///
/// A hit is a lock and a look-up: it marks the image as used and moves nothing. Images pushed out are released
/// outside the lock; one still shown somewhere is found again instead of decoded twice.
public final class MemoryCache: MemoryCaching {
    private let state: Locked<State>
    private let observation = Locked<(any Sendable)?>(nil)

    private struct State {
        var ring = ClockRing()
        var weak = WeakImages()
        var limits: Limits
    }

    private struct Limits {
        var cost: Int
        var count: Int
        var remembersWeakly: Bool

        init(_ config: ImageCacheConfig) {
            cost = config.maxMemoryCost == 0 ? MemorySize.automaticCost : max(config.maxMemoryCost, 0)
            count = config.maxMemoryCount <= 0 ? .max : config.maxMemoryCount
            remembersWeakly = config.shouldUseWeakMemoryCache
        }
    }

    /// Makes an empty cache with the config's limits; under memory pressure it gives back half, or everything.
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
        return recovered(key)
    }

    /// An image that was pushed out and still lives.
    private func recovered(_ key: String) -> Image? {
        let (image, doomed): (Image?, [Image]) = state.withLock { state in
            // Another thread may have been here between the two locks.
            if let image = state.ring.use(key) { return (image, []) }
            guard let found = state.weak.take(key) else { return (nil, []) }
            return (found.image, Self.insert(found.image, key, cost: found.cost, into: &state))
        }
        withExtendedLifetime(doomed) {}
        return image
    }

    /// Keeps an image; nil removes. One that alone is over the limit pushes nothing out and is remembered weakly only.
    public func setObject(_ object: Image?, forKey key: String, cost: Int) {
        guard let object else { return removeObject(forKey: key) }
        let doomed = state.withLock { state in
            let forgotten = state.weak.take(key)?.image
            let cost = min(max(cost, 0), Self.mostCost)
            return Self.insert(object, key, cost: cost, into: &state) + (forgotten.map { [$0] } ?? [])
        }
        withExtendedLifetime(doomed) {}
    }

    /// Forgets an image, also weakly.
    public func removeObject(forKey key: String) {
        let doomed = state.withLock { ($0.ring.remove(key)?.image, $0.weak.take(key)?.image) }
        withExtendedLifetime(doomed) {}
    }

    /// Forgets everything, also weakly.
    public func removeAllObjects() {
        let doomed = state.withLock { state in
            defer {
                state.ring = ClockRing()
                state.weak = WeakImages()
            }
            return (state.ring, state.weak)
        }
        withExtendedLifetime(doomed) {}
    }

    /// Pushes images out, the longest unused first, until at most `cost` bytes are kept: for memory pressure.
    ///
    /// What is still in use elsewhere is found again afterwards.
    public func trim(toCost cost: Int) {
        let doomed = state.withLock { Self.evict(toCost: max(cost, 0), count: .max, from: &$0) }
        withExtendedLifetime(doomed) {}
    }

    /// Keeps the new limits at once.
    public func configDidChange(_ config: ImageCacheConfig) {
        let limits = Limits(config)
        let doomed = state.withLock { state in
            state.limits = limits
            if !limits.remembersWeakly { state.weak = WeakImages() }
            return Self.evict(toCost: limits.cost, count: limits.count, from: &state)
        }
        withExtendedLifetime(doomed) {}
    }

    /// Bytes of the images kept.
    public var totalCost: Int { state.withLock { $0.ring.totalCost } }
    /// Images kept.
    public var totalCount: Int { state.withLock { $0.ring.count } }

    /// A terabyte: costs beyond are as good as equal, and their sum stays a number.
    private static let mostCost = 1 << 40

    // MARK: Under the lock; each gives the images to be released after it

    private static func insert(_ image: Image, _ key: String, cost: Int, into state: inout State) -> [Image] {
        guard cost <= state.limits.cost else {
            let old = state.ring.remove(key)?.image
            let doomed = state.limits.remembersWeakly ? state.weak.put(image, key, cost: cost) : []
            return old.map { doomed + [$0] } ?? doomed
        }
        let old = state.ring.remove(key)?.image
        // Room is made before the newcomer enters: when all others are in use, it would be the one to go.
        let doomed = evict(toCost: state.limits.cost - cost, count: state.limits.count - 1, from: &state)
        state.ring.append(image, key, cost: cost)
        return old.map { doomed + [$0] } ?? doomed
    }

    private static func evict(toCost cost: Int, count: Int, from state: inout State) -> [Image] {
        var doomed: [Image] = []
        while state.ring.totalCost > cost || state.ring.count > count, let victim = state.ring.evict() {
            if state.limits.remembersWeakly {
                doomed += state.weak.put(victim.image, victim.key, cost: victim.cost)
            }
            doomed.append(victim.image)
        }
        return doomed
    }
}
