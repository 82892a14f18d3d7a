public import Foundation
import WebImage
public import WebImageHTTP

/// A downloader's configuration, in the original's shape: an object.
///
/// Every property of ``WebImageHTTP/WebImageDownloaderConfig`` can be read and set. That of a downloader is live:
/// setting a property counts for downloads that have not been asked for yet. Safe on any thread.
@dynamicMemberLookup public final class SDWebImageDownloaderConfig: Sendable {
    private let get: @Sendable () -> WebImageDownloaderConfig
    private let set: @Sendable (WebImageDownloaderConfig) -> Void

    /// What downloaders made without a configuration start with.
    public static let `default` = SDWebImageDownloaderConfig(get: { .default }, set: { .default = $0 })

    /// The defaults, as they are now.
    public convenience init() { self.init(.default) }

    /// A configuration of its own.
    public convenience init(_ value: WebImageDownloaderConfig) {
        let box = Locked(value)
        self.init(
            get: { box.withLock { $0 } },
            set: { new in
                box.withLock { $0 = new }
            })
    }

    /// The configuration of a downloader.
    convenience init(of downloader: WebImageDownloader) {
        self.init(get: { downloader.ownConfig }, set: { downloader.ownConfig = $0 })
    }

    private init(
        get: @escaping @Sendable () -> WebImageDownloaderConfig,
        set: @escaping @Sendable (WebImageDownloaderConfig) -> Void
    ) {
        self.get = get
        self.set = set
    }

    /// The whole configuration as a value.
    public var value: WebImageDownloaderConfig {
        get { get() }
        set { set(newValue) }
    }

    /// A configuration of its own with the same properties.
    public func copy() -> Any { SDWebImageDownloaderConfig(value) }

    /// A configuration of its own with the same properties.
    public func copy(with zone: NSZone?) -> Any { copy() }

    /// One property.
    public subscript<Value>(dynamicMember path: WritableKeyPath<WebImageDownloaderConfig, Value>) -> Value {
        get { value[keyPath: path] }
        set { value[keyPath: path] = newValue }
    }
}

extension WebImageDownloader {
    /// How this downloader behaves; setting a property counts for downloads that have not been asked for yet.
    public var config: SDWebImageDownloaderConfig { SDWebImageDownloaderConfig(of: self) }

    /// A downloader with connections of its own; the configuration is copied.
    @_disfavoredOverload public convenience init(config: SDWebImageDownloaderConfig?) {
        self.init(config: config?.value ?? .default)
    }
}
