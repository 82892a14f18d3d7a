import Foundation
public import WebImageCore

/// The default memory layer. It limits the total cost and the number of the images. It evicts images according to the
/// second-chance algorithm.
///
/// A hit takes the time of a lock and a look-up. A hit marks the image as used and does not reorder the queue. Evicted
/// images are released outside the lock. The cache stores weak references to evicted images. If the application still
/// uses an evicted image, a look-up finds the image, and the image is not decoded a second time.
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

    /// Creates an empty cache with the limits of `config`. Under memory pressure, the cache evicts images until at most
    /// half of the current cost is left. Under critical memory pressure, the cache evicts all images.
    public init(config: ImageCacheConfig) {
        state = Locked(State(limits: Limits(config)))
        let source = config.memoryPressureSource ?? MemoryPressureRelay.system
        let token = source.observe { [weak self] pressure in
            guard let self else { return }
            trim(toCost: pressure == .critical ? 0 : totalCost / 2)
        }
        observation.withLock { $0 = token }
    }

    /// Returns the image of a key. A hit allocates no memory.
    public func object(forKey key: String) -> Image? {
        if let image = state.withLock({ $0.ring.use(key) }) { return image }
        return reinsertedWeakImage(key)
    }

    /// Finds an evicted image that the application still uses. Stores the image in the cache again and returns the
    /// image.
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

    /// Stores an image; nil removes the image of the key. If the cost of the image exceeds the limit, the image is not
    /// stored and evicts no other images. In this case, the cache stores only a weak reference to the image, if weak
    /// references are enabled.
    public func setObject(_ object: Image?, forKey key: String, cost: Int) {
        guard let object else { return removeObject(forKey: key) }
        let evicted = state.withLock { state in
            let forgotten = state.weak.take(key)?.image
            let cost = min(max(cost, 0), Self.maxCost)
            return Self.insert(object, key, cost: cost, into: &state) + (forgotten.map { [$0] } ?? [])
        }
        withExtendedLifetime(evicted) {}
    }

    /// Returns the keys and images that were found since the last call and are still in the cache.
    func takeUsed() -> [(key: String, image: Image)] {
        state.withLock { $0.ring.takeUsed() }.map { ($0.key, $0.image) }
    }

    /// Removes an image and its weak reference.
    public func removeObject(forKey key: String) {
        let evicted = state.withLock { ($0.ring.remove(key)?.image, $0.weak.take(key)?.image) }
        withExtendedLifetime(evicted) {}
    }

    /// Removes the images for which `isRemoved` returns true, and their weak references. Costs one call for each image.
    func removeObjects(where isRemoved: (Image) -> Bool) {
        // Call the closure outside the lock, because it takes the locks of the images.
        let all = state.withLock { $0.ring.entries.map { ($0.key, $0.image) } + $0.weak.living }
        for (key, image) in all where isRemoved(image) {
            let evicted = state.withLock { state -> [Image?] in
                guard state.ring.image(key) === image || state.weak.image(key) === image else { return [] }
                return [state.ring.remove(key)?.image, state.weak.take(key)?.image]
            }
            withExtendedLifetime(evicted) {}
        }
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

    /// Evicts images until the total cost is at most `cost` bytes. Images that were not used recently are evicted
    /// first.
    ///
    /// The cache calls this method under memory pressure. If weak references are enabled, a look-up still finds the
    /// evicted images that the application uses.
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

    /// The maximum cost of one image, 1 TiB. Higher costs are reduced to this value, so that the sum of all costs
    /// cannot overflow.
    private static let maxCost = 1 << 40

    // MARK: Functions called under the lock; they return the images that the caller must release after unlocking

    private static func insert(_ image: Image, _ key: String, cost: Int, into state: inout State) -> [Image] {
        guard cost <= state.limits.cost else {
            let old = state.ring.remove(key)?.image
            let evicted = state.limits.keepsWeakReferences ? state.weak.put(image, key, cost: cost) : []
            return old.map { evicted + [$0] } ?? evicted
        }
        let old = state.ring.remove(key)?.image
        // Evict before the insertion. The new image is not yet marked as used. If all other images are marked, an
        // eviction after the insertion would therefore evict the new image first.
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

/// Weak references to evicted images by key. While the application uses an evicted image, its weak reference makes the
/// image available to the cache.
struct WeakImageTable {
    private struct Entry {
        weak var image: Image?
        let cost: Int
    }

    private var entries: [String: Entry] = [:]
    private var nextSweep = 64

    /// Adds an image. Returns images that the caller must release after unlocking.
    mutating func put(_ image: Image, _ key: String, cost: Int) -> [Image] {
        entries[key.boundedKey] = Entry(image: image, cost: cost)
        return entries.count >= nextSweep ? sweep() : []
    }

    /// Removes the reference of a key. Returns the image and its cost if the image still exists.
    mutating func take(_ key: String) -> (image: Image, cost: Int)? {
        guard !entries.isEmpty, let entry = entries.removeValue(forKey: key.boundedKey), let image = entry.image else {
            return nil
        }
        return (image, entry.cost)
    }

    /// The images that still exist, with their bounded keys. The caller must release the images after unlocking.
    var living: [(String, Image)] { entries.compactMap { key, entry in entry.image.map { (key, $0) } } }

    /// Returns the image of a key if it still exists. The caller must release it after unlocking.
    func image(_ key: String) -> Image? { entries[key.boundedKey]?.image }

    /// Removes references to released images. The next sweep runs when the table has twice as many entries. Therefore
    /// the average duration per eviction is constant.
    ///
    /// Returns the images that still exist. The caller must release these images after unlocking. Reason: the check
    /// of a weak reference retains the image. If the last other owner releases the image during the sweep, the
    /// release at the end of the sweep deallocates the image and the objects that the user attached to it. This must
    /// not happen under the lock.
    private mutating func sweep() -> [Image] {
        var living: [Image] = []
        entries = entries.filter { entry in
            guard let image = entry.value.image else { return false }
            living.append(image)
            return true
        }
        nextSweep = max(64, entries.count * 2)
        return living
    }
}
