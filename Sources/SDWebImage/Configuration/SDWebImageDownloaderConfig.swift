public import Foundation
import WebImage
public import WebImageHTTP

/// A downloader's configuration, as an object like SDWebImage's.
///
/// Every property of ``WebImageHTTP/WebImageDownloaderConfig`` can be read and set. The configuration of a downloader is
/// live: a changed property applies to downloads requested later. Safe on any thread.
@dynamicMemberLookup public final class SDWebImageDownloaderConfig: Sendable {
    private let get: @Sendable () -> WebImageDownloaderConfig
    private let set: @Sendable (WebImageDownloaderConfig) -> Void

    /// The configuration of downloaders that are made without one.
    public static let `default` = SDWebImageDownloaderConfig(get: { .default }, set: { .default = $0 })

    /// A copy of the current defaults.
    public convenience init() { self.init(.default) }

    /// A new configuration, independent of any other.
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

    /// A separate configuration with the same properties.
    public func copy() -> Any { SDWebImageDownloaderConfig(value) }

    /// A separate configuration with the same properties.
    public func copy(with zone: NSZone?) -> Any { copy() }

    /// A property of the configuration.
    public subscript<Value>(dynamicMember path: WritableKeyPath<WebImageDownloaderConfig, Value>) -> Value {
        get { value[keyPath: path] }
        set { value[keyPath: path] = newValue }
    }
}

extension WebImageDownloader {
    /// The downloader's configuration; setting a property applies to downloads requested later.
    public var config: SDWebImageDownloaderConfig { SDWebImageDownloaderConfig(of: self) }

    /// Makes a downloader with its own connections; the configuration is copied.
    @_disfavoredOverload public convenience init(config: SDWebImageDownloaderConfig?) {
        self.init(config: config?.value ?? .default)
    }
}
