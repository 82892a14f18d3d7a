public import WebImage

/// A memory layer with SDWebImage's signatures, in which keys and objects have any type. Its methods are called on any
/// thread.
@preconcurrency public protocol SDMemoryCacheProtocol: MemoryCaching {
    /// Creates an empty cache.
    init(config: SDImageCacheConfig)
    /// Returns the object that is stored under a key.
    func object(forKey key: Any) -> Any?
    /// Stores an object under a key. Nil removes the entry.
    func setObject(_ object: Any?, forKey key: Any)
    /// Stores an object with a cost in bytes under a key. Nil removes the entry.
    func setObject(_ object: Any?, forKey key: Any, cost: UInt)
    /// Removes the entry of a key.
    func removeObject(forKey key: Any)
}

extension SDMemoryCacheProtocol {
    /// Creates an empty cache. Converts the configuration to SDWebImage's type.
    public init(config: ImageCacheConfig) { self.init(config: SDImageCacheConfig(config)) }
    /// Returns the image that is stored under a key.
    public func object(forKey key: String) -> Image? {
        let key: Any = key
        return object(forKey: key) as? Image
    }
    /// Stores an image with a cost in bytes under a key. Nil removes the entry.
    public func setObject(_ object: Image?, forKey key: String, cost: Int) {
        let (any, key): (Any?, Any) = (object, key)
        setObject(any, forKey: key, cost: UInt(clamping: cost))
    }
    /// Removes the entry of a key.
    public func removeObject(forKey key: String) {
        let key: Any = key
        removeObject(forKey: key)
    }
}
