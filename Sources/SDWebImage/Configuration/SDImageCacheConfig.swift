public import Foundation
public import WebImage
import WebImageCompatibility
import WebImageStore

/// The configuration of a cache. This type is a class, because SDWebImage's configuration is a class.
///
/// The class has every property of ``WebImageCore/ImageCacheConfig``. If the object is the `config` of a cache, setting
/// a property changes that cache. Safe on any thread.
@dynamicMemberLookup public final class SDImageCacheConfig: Sendable {
    private let get: @Sendable () -> ImageCacheConfig
    private let set: @Sendable (ImageCacheConfig) -> Void

    /// The default configuration. It applies to caches that are created without a configuration.
    public static let `default` = SDImageCacheConfig(get: { .default }, set: { .default = $0 })

    /// Creates a copy of the default configuration. Later changes of the default configuration do not change the copy.
    public convenience init() { self.init(.default) }

    /// Creates a separate configuration from a value. Changing this configuration changes no cache and no other
    /// configuration.
    public convenience init(_ value: ImageCacheConfig) {
        let box = Locked(value)
        self.init(
            get: { box.withLock { $0 } },
            set: { new in
                box.withLock { $0 = new }
            })
    }

    /// Creates a configuration that reads and writes the configuration of a cache.
    convenience init(of cache: ImageCache) {
        self.init(get: { cache.ownConfig }, set: { cache.ownConfig = $0 })
    }

    /// Creates a configuration that reads and writes the configuration of a disk layer.
    convenience init(of disk: DiskCache) {
        self.init(get: { disk.ownConfig }, set: { disk.configDidChange($0) })
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

    /// Returns a separate configuration with the same properties.
    public func copy() -> Any { SDImageCacheConfig(value) }

    /// Returns a separate configuration with the same properties.
    public func copy(with zone: NSZone?) -> Any { copy() }

    /// The class of the memory layer of caches that are created with this configuration. The class must adopt
    /// ``SDMemoryCacheProtocol``. Setting another class logs a warning and changes nothing.
    public var memoryCacheClass: AnyClass {
        get { value.memoryCacheClass.flatMap { $0 as? AnyClass } ?? MemoryCache.self }
        set {
            guard let chosen = newValue as? any MemoryCaching.Type else {
                return Self.refuse(newValue, "SDMemoryCache")
            }
            value.memoryCacheClass = chosen
        }
    }

    /// The class of the disk layer of caches that are created with this configuration. The class must adopt
    /// ``SDDiskCacheProtocol``. Setting another class logs a warning and changes nothing.
    public var diskCacheClass: AnyClass {
        get { value.diskCacheClass.flatMap { $0 as? AnyClass } ?? DiskCache.self }
        set {
            guard let chosen = newValue as? any DiskCaching.Type else { return Self.refuse(newValue, "SDDiskCache") }
            value.diskCacheClass = chosen
        }
    }

    private static func refuse(_ type: AnyClass, _ role: String) {
        WebImageLog.shared.log(.warning, "\(type) is not set: it does not adopt \(role)Protocol", metadata: [:])
    }

    /// A property of the configuration.
    public subscript<Value>(dynamicMember path: WritableKeyPath<ImageCacheConfig, Value>) -> Value {
        get { value[keyPath: path] }
        set { value[keyPath: path] = newValue }
    }
}

extension ImageCache {
    /// The cache's configuration. Setting a property of the configuration changes the cache immediately.
    public var config: SDImageCacheConfig { SDImageCacheConfig(of: self) }

    /// Creates a cache with its own folder in `diskCacheDirectory`. The cache copies the properties of the argument
    /// `config`. Changing the argument later does not change the cache.
    @_disfavoredOverload public convenience init(
        namespace: String, diskCacheDirectory: String? = nil, config: SDImageCacheConfig?
    ) {
        self.init(namespace: namespace, diskCacheDirectory: diskCacheDirectory, config: config?.value)
    }
}
