public import Foundation
public import WebImage

/// A cache's configuration, in the original's shape: an object.
///
/// Every property of ``WebImageCore/ImageCacheConfig`` can be read and set. That of a cache is live: setting a property
/// changes the cache. Safe on any thread.
@dynamicMemberLookup public final class SDImageCacheConfig: Sendable {
    private let get: @Sendable () -> ImageCacheConfig
    private let set: @Sendable (ImageCacheConfig) -> Void

    /// The configuration of caches made without one.
    public static let `default` = SDImageCacheConfig(get: { .default }, set: { .default = $0 })

    /// The defaults, as they are now.
    public convenience init() { self.init(.default) }

    /// A new configuration, independent of any other.
    public convenience init(_ value: ImageCacheConfig) {
        let box = Locked(value)
        self.init(
            get: { box.withLock { $0 } },
            set: { new in
                box.withLock { $0 = new }
            })
    }

    /// The configuration of a cache.
    convenience init(of cache: ImageCache) {
        self.init(get: { cache.ownConfig }, set: { cache.ownConfig = $0 })
    }

    private init(get: @escaping @Sendable () -> ImageCacheConfig, set: @escaping @Sendable (ImageCacheConfig) -> Void) {
        self.get = get
        self.set = set
    }

    /// The whole configuration as a value.
    public var value: ImageCacheConfig {
        get { get() }
        set { set(newValue) }
    }

    /// A separate configuration with the same properties.
    public func copy() -> Any { SDImageCacheConfig(value) }

    /// A separate configuration with the same properties.
    public func copy(with zone: NSZone?) -> Any { copy() }

    /// One property.
    public subscript<Value>(dynamicMember path: WritableKeyPath<ImageCacheConfig, Value>) -> Value {
        get { value[keyPath: path] }
        set { value[keyPath: path] = newValue }
    }
}

extension ImageCache {
    /// The cache's configuration; setting a property changes the cache at once.
    public var config: SDImageCacheConfig { SDImageCacheConfig(of: self) }

    /// A cache with a folder of its own in `diskCacheDirectory`; the configuration is copied.
    @_disfavoredOverload public convenience init(
        namespace: String, diskCacheDirectory: String? = nil, config: SDImageCacheConfig?
    ) {
        self.init(namespace: namespace, diskCacheDirectory: diskCacheDirectory, config: config?.value)
    }
}
