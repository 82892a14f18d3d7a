public import WebImage

/// A memory layer with SDWebImage's signatures, which have keys and objects of any type. Its methods are called on any
/// thread.
@preconcurrency public protocol SDMemoryCacheProtocol: MemoryCaching {
    /// Makes an empty cache.
    init(config: SDImageCacheConfig)
    /// The object of a key.
    func object(forKey key: Any) -> Any?
    /// Stores an object; nil removes the entry.
    func setObject(_ object: Any?, forKey key: Any)
    /// Stores an object with a cost in bytes; nil removes the entry.
    func setObject(_ object: Any?, forKey key: Any, cost: UInt)
    /// Removes an object.
    func removeObject(forKey key: Any)
}

extension SDMemoryCacheProtocol {
    /// Makes the cache with a configuration of SDWebImage's type.
    public init(config: ImageCacheConfig) { self.init(config: SDImageCacheConfig(config)) }
    /// Returns the image of a key.
    public func object(forKey key: String) -> Image? {
        let key: Any = key
        return object(forKey: key) as? Image
    }
    /// Stores an image.
    public func setObject(_ object: Image?, forKey key: String, cost: Int) {
        let (any, key): (Any?, Any) = (object, key)
        setObject(any, forKey: key, cost: UInt(clamping: cost))
    }
    /// Removes an image.
    public func removeObject(forKey key: String) {
        let key: Any = key
        removeObject(forKey: key)
    }
}
