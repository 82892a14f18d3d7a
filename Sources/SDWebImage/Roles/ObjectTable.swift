import WebImage

/// The objects of a ``SDMemoryCache`` in the order of their insertion, and weak references to evicted objects.
///
/// The functions return the objects that they remove. The caller must release these objects after unlocking, because
/// their deinitialisers are code of the program.
struct ObjectTable {
    /// The limits that apply to an insertion or an eviction.
    struct Limits {
        let cost: Int
        let count: Int
        let keepsWeakReferences: Bool

        init(_ config: ImageCacheConfig) {
            cost = config.maxMemoryCost == 0 ? .max : config.maxMemoryCost
            count = config.maxMemoryCount == 0 ? .max : config.maxMemoryCount
            keepsWeakReferences = config.shouldUseWeakMemoryCache
        }
    }

    private struct Entry {
        let object: AnyObject
        let cost: Int
        let number: Int
    }

    private struct Evicted {
        weak var object: AnyObject?
        let cost: Int
    }

    private var entries: [AnyHashable: Entry] = [:]
    private var order: [Int: AnyHashable] = [:]
    private var (first, next, totalCost) = (0, 0, 0)
    private var evicted: [AnyHashable: Evicted] = [:]
    private var nextSweep = 64

    /// Whether a look-up can find an evicted object.
    var hasWeakReferences: Bool { !evicted.isEmpty }

    /// Returns the stored object of a key.
    func object(_ key: AnyHashable) -> AnyObject? { entries[key]?.object }

    /// Stores an object and evicts the oldest objects until the limits hold. An object whose cost exceeds the limit is
    /// not stored and evicts no other object.
    mutating func insert(_ object: AnyObject, _ key: AnyHashable, cost: Int, limits: Limits) -> [AnyObject] {
        let replaced = remove(key)
        guard cost <= limits.cost else {
            return replaced + (limits.keepsWeakReferences ? reference(object, key, cost: cost) : [])
        }
        entries[key] = Entry(object: object, cost: cost, number: next)
        order[next] = key
        next += 1
        totalCost += cost
        return replaced + evict(toCost: limits.cost, count: limits.count, keepsReferences: limits.keepsWeakReferences)
    }

    /// Removes an object and its weak reference.
    mutating func remove(_ key: AnyHashable) -> [AnyObject] {
        let reference = evicted.removeValue(forKey: key)?.object
        return [take(key)?.object, reference].compactMap { $0 }
    }

    /// Stores an evicted object again if the program still uses it.
    mutating func reinsert(_ key: AnyHashable, limits: Limits) -> (object: AnyObject?, removed: [AnyObject]) {
        guard let entry = evicted[key], let object = entry.object else { return (entries[key]?.object, []) }
        return (object, insert(object, key, cost: entry.cost, limits: limits))
    }

    /// Evicts the older half of the objects. Evicts all objects if the memory pressure is critical.
    mutating func evict(under pressure: MemoryPressure, limits: Limits) -> [AnyObject] {
        let count = pressure == .critical ? 0 : entries.count / 2
        return evict(toCost: .max, count: count, keepsReferences: limits.keepsWeakReferences)
    }

    private mutating func evict(toCost cost: Int, count: Int, keepsReferences: Bool) -> [AnyObject] {
        var removed: [AnyObject] = []
        while first < next, totalCost > cost || entries.count > count {
            if let key = order[first], let entry = take(key) {
                removed.append(entry.object)
                if keepsReferences { removed += reference(entry.object, key, cost: entry.cost) }
            }
            first += 1
        }
        return removed
    }

    private mutating func take(_ key: AnyHashable) -> Entry? {
        guard let entry = entries.removeValue(forKey: key) else { return nil }
        order[entry.number] = nil
        totalCost -= entry.cost
        return entry
    }

    /// Adds a weak reference. When the number of references has doubled, removes the references to released objects and
    /// returns the living objects: the check retains them, so that the caller may be their last owner.
    private mutating func reference(_ object: AnyObject, _ key: AnyHashable, cost: Int) -> [AnyObject] {
        evicted[key] = Evicted(object: object, cost: cost)
        guard evicted.count >= nextSweep else { return [] }
        var living: [AnyObject] = []
        evicted = evicted.filter { entry in
            guard let object = entry.value.object else { return false }
            living.append(object)
            return true
        }
        nextSweep = max(64, evicted.count * 2)
        return living
    }
}
