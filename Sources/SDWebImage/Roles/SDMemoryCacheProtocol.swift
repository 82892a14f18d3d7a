public import WebImage

/// A memory layer, in the original's shape: keys and objects of any kind. Called on any thread.
@preconcurrency public protocol SDMemoryCacheProtocol: MemoryCaching {
    /// Makes an empty cache.
    init(config: SDImageCacheConfig)
    /// The object of a key.
    func object(forKey key: Any) -> Any?
    /// Keeps an object; nil removes.
    func setObject(_ object: Any?, forKey key: Any)
    /// Keeps an object of a cost in bytes; nil removes.
    func setObject(_ object: Any?, forKey key: Any, cost: UInt)
    /// Forgets an object.
    func removeObject(forKey key: Any)
}

extension SDMemoryCacheProtocol {
    /// Forwards the configuration in the original's shape.
    public init(config: ImageCacheConfig) { self.init(config: SDImageCacheConfig(config)) }
    /// The picture of a key.
    public func object(forKey key: String) -> Image? {
        let key: Any = key
        return object(forKey: key) as? Image
    }
    /// Keeps a picture.
    public func setObject(_ object: Image?, forKey key: String, cost: Int) {
        let (any, key): (Any?, Any) = (object, key)
        setObject(any, forKey: key, cost: UInt(clamping: cost))
    }
    /// Forgets a picture.
    public func removeObject(forKey key: String) {
        let key: Any = key
        removeObject(forKey: key)
    }
}
