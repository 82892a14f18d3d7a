public import Foundation
import WebImage
public import WebImageHTTP

/// The configuration of a downloader. This type is a class, because SDWebImage's configuration is a class.
///
/// The class has every property of ``WebImageHTTP/WebImageDownloaderConfig``. If the object is the `config` of a
/// downloader, a changed property applies to downloads that are requested after the change. Safe on any thread.
@dynamicMemberLookup public final class SDWebImageDownloaderConfig: Sendable {
    private let get: @Sendable () -> WebImageDownloaderConfig
    private let set: @Sendable (WebImageDownloaderConfig) -> Void

    /// The default configuration. It applies to downloaders that are created without a configuration.
    public static let `default` = SDWebImageDownloaderConfig(get: { .default }, set: { .default = $0 })

    /// Creates a copy of the default configuration. Later changes of the default configuration do not change the copy.
    public convenience init() { self.init(.default) }

    /// Creates a separate configuration from a value. Changing this configuration changes no downloader and no other
    /// configuration.
    public convenience init(_ value: WebImageDownloaderConfig) {
        let box = Locked(value)
        self.init(
            get: { box.withLock { $0 } },
            set: { new in
                box.withLock { $0 = new }
            })
    }

    /// Creates a configuration that reads and writes the configuration of a downloader.
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

    /// Returns a separate configuration with the same properties.
    public func copy() -> Any { SDWebImageDownloaderConfig(value) }

    /// Returns a separate configuration with the same properties.
    public func copy(with zone: NSZone?) -> Any { copy() }

    /// The class of the transfers; nil means the built-in class. The class must adopt
    /// ``SDWebImageDownloaderOperationProtocol``. Setting another class logs a warning and changes nothing.
    public var operationClass: AnyClass? {
        get { value.operationClass }
        set {
            let chosen = newValue as? any WebImageDownloaderOperationProtocol.Type
            guard let type = newValue, chosen == nil else {
                value.operationClass = chosen
                return
            }
            WebImageLog.shared.log(
                .warning, "\(type) is not set: it does not adopt SDWebImageDownloaderOperationProtocol", metadata: [:])
        }
    }

    /// A property of the configuration.
    public subscript<Value>(dynamicMember path: WritableKeyPath<WebImageDownloaderConfig, Value>) -> Value {
        get { value[keyPath: path] }
        set { value[keyPath: path] = newValue }
    }
}

extension WebImageDownloader {
    /// The downloader's configuration. A changed property applies to downloads that are requested after the change.
    public var config: SDWebImageDownloaderConfig { SDWebImageDownloaderConfig(of: self) }

    /// Creates a downloader with its own connections. The downloader copies the properties of the argument `config`.
    /// Changing the argument later does not change the downloader.
    @_disfavoredOverload public convenience init(config: SDWebImageDownloaderConfig?) {
        self.init(config: config?.value ?? .default)
    }
}
