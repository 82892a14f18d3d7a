public import WebImage
import WebImageCompatibility

/// A memory layer with keys and objects of any class, under SDWebImage's name. The limits are those of the
/// configuration: `maxMemoryCost` and `maxMemoryCount`.
///
/// Images under string keys are stored in a ``WebImageCore/MemoryCache``, which is the default memory layer of
/// ``SDImageCache``. Other objects are evicted in the order of their insertion when a limit is exceeded; memory pressure
/// evicts the older half of them, and all if it is critical. If `shouldUseWeakMemoryCache` of the configuration is true,
/// a look-up still finds the evicted objects that the program uses. Equal strings are one key, whether they are a
/// `String` or an `NSString`. Safe on any thread.
open class SDMemoryCache<KeyType: AnyObject, ObjectType: AnyObject>: SDMemoryCacheProtocol, @unchecked Sendable {
    // Unchecked is correct because the stored properties are immutable or locked. A subclass must protect the
    // properties that it adds.

    /// The configuration of the cache.
    public let config: SDImageCacheConfig
    private let images: MemoryCache
    private let others = Locked(ObjectTable())
    private let observation = Locked<(any Sendable)?>(nil)

    /// Creates an empty cache.
    public required init(config: SDImageCacheConfig) {
        self.config = config
        images = MemoryCache(config: config.value)
        let source = config.value.memoryPressureSource ?? MemoryPressureRelay.system
        let token = source.observe { [weak self] pressure in self?.evict(under: pressure) }
        observation.withLock { $0 = token }
    }

    private func evict(under pressure: MemoryPressure) {
        let limits = ObjectTable.Limits(config.value)
        let removed = others.withLock { $0.evict(under: pressure, limits: limits) }
        withExtendedLifetime(removed) {}
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
        let (object, mayBeEvicted) = others.withLock { ($0.object(key), $0.hasWeakReferences) }
        return object ?? (mayBeEvicted ? reinsertedObject(key) : nil)
    }

    /// Finds an evicted object that the program still uses. Stores the object in the cache again and returns it.
    private func reinsertedObject(_ key: AnyHashable) -> AnyObject? {
        let limits = ObjectTable.Limits(config.value)
        guard limits.keepsWeakReferences else { return nil }
        let (object, removed) = others.withLock { $0.reinsert(key, limits: limits) }
        withExtendedLifetime(removed) {}
        return object
    }

    /// Stores an object under a key. The cost of an image is the size of its pixels; the cost of another object is 0.
    open func setObject(_ object: Any?, forKey key: Any) {
        setObject(object, forKey: key, cost: UInt(clamping: (object as? Image)?.memoryCost ?? 0))
    }

    /// Stores an object with a cost in bytes under a key. Nil removes the entry. An object whose cost exceeds the limit is
    /// not stored; it is found only while the program uses it.
    open func setObject(_ object: Any?, forKey key: Any, cost: UInt) {
        removeObject(forKey: key)
        guard let object else { return }
        let limits = config.value
        if let image = object as? Image, let name = key as? String {
            images.configDidChange(limits)
            return images.setObject(image, forKey: name, cost: Int(clamping: cost))
        }
        let key = Self.hashable(key)
        let removed = others.withLock {
            $0.insert(
                object as AnyObject, key, cost: min(Int(clamping: cost), 1 << 40), limits: ObjectTable.Limits(limits))
        }
        withExtendedLifetime(removed) {}
    }

    /// Removes the entry of a key.
    open func removeObject(forKey key: Any) {
        if let name = key as? String { images.removeObject(forKey: name) }
        let key = Self.hashable(key)
        let removed = others.withLock { $0.remove(key) }
        withExtendedLifetime(removed) {}
    }

    /// Removes all entries.
    open func removeAllObjects() {
        images.removeAllObjects()
        let removed = others.withLock { others in
            defer { others = ObjectTable() }
            return others
        }
        withExtendedLifetime(removed) {}
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
