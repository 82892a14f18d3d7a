public import WebImage
import WebImageCompatibility

/// A memory layer with keys and objects of any class, under SDWebImage's name. The limits are those of the
/// configuration: `maxMemoryCost` and `maxMemoryCount`.
///
/// Images under string keys are stored in a ``WebImageCore/MemoryCache``, which is the default memory layer of
/// ``SDImageCache``; it also reacts to memory pressure. Other objects are removed in the order of their insertion when
/// a limit is exceeded. Equal strings are one key, whether they are a `String` or an `NSString`. Safe on any thread.
open class SDMemoryCache<KeyType: AnyObject, ObjectType: AnyObject>: SDMemoryCacheProtocol, @unchecked Sendable {
    // Unchecked is correct because the stored properties are immutable or locked. A subclass must protect the
    // properties that it adds.

    /// The configuration of the cache.
    public let config: SDImageCacheConfig
    private let images: MemoryCache
    private let others = Locked(Others())

    private struct Others {
        var entries: [AnyHashable: (object: AnyObject, cost: Int, number: Int)] = [:]
        var order: [Int: AnyHashable] = [:]
        var (first, next, cost) = (0, 0, 0)

        mutating func remove(_ key: AnyHashable) -> AnyObject? {
            guard let old = entries.removeValue(forKey: key) else { return nil }
            order[old.number] = nil
            cost -= old.cost
            return old.object
        }

        /// Returns the removed objects. The caller releases them after unlocking.
        mutating func insert(
            _ object: AnyObject, _ key: AnyHashable, cost added: Int, limit: (cost: Int, count: Int)
        ) -> [AnyObject?] {
            var removed = [remove(key)]
            entries[key] = (object, added, next)
            order[next] = key
            next += 1
            cost += added
            while first < next, cost > limit.cost || entries.count > limit.count {
                if let oldest = order[first] { removed.append(remove(oldest)) }
                first += 1
            }
            return removed
        }
    }

    /// Creates an empty cache.
    public required init(config: SDImageCacheConfig) {
        self.config = config
        images = MemoryCache(config: config.value)
    }

    /// The limit for the sum of all costs in bytes: `maxMemoryCost` of the configuration.
    public final var totalCostLimit: Int {
        get { Int(clamping: config.maxMemoryCost as UInt) }
        set { config.maxMemoryCost = UInt(clamping: newValue) }
    }

    /// The limit for the number of objects: `maxMemoryCount` of the configuration.
    public final var countLimit: Int {
        get { Int(clamping: config.maxMemoryCount as UInt) }
        set { config.maxMemoryCount = UInt(clamping: newValue) }
    }

    /// Returns the object that is stored under a key.
    public final func object(forKey key: KeyType) -> ObjectType? {
        let any: Any = key
        return object(forKey: any) as? ObjectType
    }

    /// Returns the object that is stored under a string.
    public final func object(forKey key: String) -> ObjectType? {
        let any: Any = key
        return object(forKey: any) as? ObjectType
    }

    /// Stores an object under a key. The cost of an image is the size of its pixels; the cost of another object is 0.
    public final func setObject(_ object: ObjectType, forKey key: KeyType) {
        let (any, anyKey): (Any?, Any) = (object, key)
        setObject(any, forKey: anyKey)
    }

    /// Stores an object with a cost in bytes under a key.
    public final func setObject(_ object: ObjectType, forKey key: KeyType, cost: Int) {
        let (any, anyKey): (Any?, Any) = (object, key)
        setObject(any, forKey: anyKey, cost: UInt(clamping: cost))
    }

    /// Removes the entry of a key.
    public final func removeObject(forKey key: KeyType) {
        let any: Any = key
        removeObject(forKey: any)
    }

    /// Returns the object that is stored under a key.
    open func object(forKey key: Any) -> Any? {
        if let name = key as? String, let image: Image = images.object(forKey: name) { return image }
        let key = Self.hashable(key)
        return others.withLock { $0.entries[key]?.object }
    }

    /// Stores an object under a key. The cost of an image is the size of its pixels; the cost of another object is 0.
    open func setObject(_ object: Any?, forKey key: Any) {
        setObject(object, forKey: key, cost: UInt(clamping: (object as? Image)?.memoryCost ?? 0))
    }

    /// Stores an object with a cost in bytes under a key. Nil removes the entry.
    open func setObject(_ object: Any?, forKey key: Any, cost: UInt) {
        removeObject(forKey: key)
        guard let object else { return }
        let limits = config.value
        if let image = object as? Image, let name = key as? String {
            images.configDidChange(limits)
            return images.setObject(image, forKey: name, cost: Int(clamping: cost))
        }
        let key = Self.hashable(key)
        let limit = (
            cost: limits.maxMemoryCost == 0 ? Int.max : limits.maxMemoryCost,
            count: limits.maxMemoryCount == 0 ? Int.max : limits.maxMemoryCount
        )
        let dropped = others.withLock {
            $0.insert(object as AnyObject, key, cost: min(Int(clamping: cost), 1 << 40), limit: limit)
        }
        withExtendedLifetime(dropped) {}
    }

    /// Removes the entry of a key.
    open func removeObject(forKey key: Any) {
        if let name = key as? String { images.removeObject(forKey: name) }
        let key = Self.hashable(key)
        let dropped = others.withLock { $0.remove(key) }
        withExtendedLifetime(dropped) {}
    }

    /// Removes all entries.
    open func removeAllObjects() {
        images.removeAllObjects()
        let dropped = others.withLock { others in
            defer { others = Others() }
            return others
        }
        withExtendedLifetime(dropped) {}
    }

    /// Applies a changed configuration of the cache that uses this layer.
    open func configDidChange(_ config: ImageCacheConfig) {
        self.config.value = config
        images.configDidChange(config)
    }

    private static func hashable(_ key: Any) -> AnyHashable {
        if let string = key as? String { return AnyHashable(string) }
        return (key as? AnyHashable) ?? AnyHashable(ObjectIdentifier(key as AnyObject))
    }
}

extension MemoryCache: SDMemoryCacheProtocol {
    /// Creates an empty cache.
    public convenience init(config: SDImageCacheConfig) { self.init(config: config.value) }

    /// Returns the image that is stored under a key. Nil if the key is not a string.
    public func object(forKey key: Any) -> Any? {
        guard let key = key as? String else { return nil }
        let image: Image? = object(forKey: key)
        return image
    }

    /// Stores an image under a key. The cost is the size of its pixels. Ignores objects that are not images.
    public func setObject(_ object: Any?, forKey key: Any) {
        setObject(object, forKey: key, cost: UInt(clamping: (object as? Image)?.memoryCost ?? 0))
    }

    /// Stores an image with a cost in bytes under a key. Nil removes the entry. Ignores objects that are not images.
    public func setObject(_ object: Any?, forKey key: Any, cost: UInt) {
        guard let key = key as? String else { return }
        let image = object as? Image
        if image != nil || object == nil { setObject(image, forKey: key, cost: Int(clamping: cost)) }
    }

    /// Removes the entry of a key.
    public func removeObject(forKey key: Any) {
        if let key = key as? String { removeObject(forKey: key) }
    }
}

extension ImageCache {
    /// The memory layer.
    public var memoryCache: any SDMemoryCacheProtocol {
        ownMemoryCache as? any SDMemoryCacheProtocol ?? AdoptedMemoryCache(ownMemoryCache)
    }
}

/// Gives SDWebImage's signatures to a memory layer that was written for `WebImage`.
private final class AdoptedMemoryCache: SDMemoryCacheProtocol {
    private let own: any MemoryCaching

    init(_ own: any MemoryCaching) { self.own = own }

    convenience init(config: SDImageCacheConfig) { self.init(MemoryCache(config: config.value)) }

    func object(forKey key: Any) -> Any? { (key as? String).flatMap { own.object(forKey: $0) } }

    func setObject(_ object: Any?, forKey key: Any) { setObject(object, forKey: key, cost: 0) }

    func setObject(_ object: Any?, forKey key: Any, cost: UInt) {
        guard let key = key as? String, object == nil || object is Image else { return }
        own.setObject(object as? Image, forKey: key, cost: Int(clamping: cost))
    }

    func removeObject(forKey key: Any) {
        if let key = key as? String { own.removeObject(forKey: key) }
    }

    func removeAllObjects() { own.removeAllObjects() }
}
