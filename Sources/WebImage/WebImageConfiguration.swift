public import Foundation
public import WebImageCore
public import WebImageHTTP
public import WebImageLoading

/// The configuration of one manager: its caches, its downloads and their policy, its loaders and coders, the limits of
/// decoding, and what happens in every load.
///
/// ```swift
/// var configuration = WebImageConfiguration(name: "avatars")
/// configuration.policy = .server
/// configuration.limits.maxPixels = 20_000_000
/// configuration.cache.maxMemoryCost = 64 << 20
/// let manager = WebImageManager(configuration)
/// ```
///
/// The configuration is a value, so it can be kept, copied and changed. Every manager that is made from it has a cache, a
/// downloader and a list of loaders of its own; only the files on disk are shared by managers with the same name. The
/// objects are reachable as ``WebImageManager/imageCache`` and ``WebImageManager/imageLoader``, and their properties change
/// this manager later.
public struct WebImageConfiguration: Sendable {
    // MARK: Caches

    /// The name of the cache folder, not a path. Managers with the same name and folder share their files, also those of
    /// other processes.
    public var name: String
    /// The folder that contains the cache folder. Nil means ``ImageCache/defaultDiskCacheDirectory``.
    public var folder: URL?
    /// The limits, ages and classes of the memory layer and the disk layer.
    public var cache = ImageCacheConfig.default
    /// Further caches, which are asked before the memory and disk layer; the last one is asked first. If there are some,
    /// ``WebImageManager/imageCache`` is an ``ImageCachesManager``.
    public var furtherCaches: [any ImageCaching] = []

    // MARK: Downloads

    /// The limits of downloads, retries, proxies, certificates and accepted responses.
    public var downloads = WebImageDownloaderConfig.default
    /// The rules for URLs and addresses, also for `file:` URLs; nil allows all of them. ``DownloadPolicy/server`` is for
    /// programs that load URLs received from other people. This is the policy of ``downloads``.
    public var policy: DownloadPolicy? {
        get { downloads.policy }
        set { downloads.policy = newValue }
    }
    /// Header fields of every request, in addition to `Accept` and `User-Agent`, which they can replace.
    public var headers: [String: String] = [:]
    /// Changes every request before it is sent.
    public var requestModifier: (any WebImageDownloaderRequestModifierProtocol)?
    /// Changes the head of every response.
    public var responseModifier: (any WebImageDownloaderResponseModifierProtocol)?
    /// Decrypts the received bytes.
    public var decryptor: (any WebImageDownloaderDecryptorProtocol)?
    /// Further loaders, which are asked before those of `http:`, `file:` and `data:` URLs; the last one is asked first.
    public var loaders: [any ImageLoader] = []

    // MARK: Decoding

    /// The coders. The default is the shared list, with every coder that is added to it later.
    public var coders = ImageCodersManager.shared
    /// The limits of decoding. A request can name others.
    public var limits = DecodingLimits.default

    // MARK: Loads

    /// Changes every decoded image. A request can name another transformer.
    public var transformer: (any ImageTransformer)?
    /// Derives the cache key from a URL. A request can name another filter.
    public var cacheKeyFilter: (any WebImageCacheKeyFilterProtocol)?
    /// Chooses the bytes to store on disk. A request can name another serializer.
    public var cacheSerializer: (any WebImageCacheSerializerProtocol)?
    /// Changes the options and the context of every load.
    public var optionsProcessor: (any WebImageOptionsProcessorProtocol)?
    /// The duration for which a failed URL is not tried again. Nil means until its failure is removed.
    public var failedURLLifetime: Duration? = .seconds(300)
    /// Receive the start and the end of every stage of every load. If there are none, the manager has its default
    /// listener (``WebImageManager/listener``).
    public var listeners: [any WebImageManagerListener] = []

    /// Creates a configuration with the default values.
    public init(name: String = "default") { self.name = name }
}

extension WebImageManager {
    /// Creates a manager with a cache, a downloader and loaders of its own. Opens no file and no connection before the
    /// first load.
    public convenience init(_ configuration: WebImageConfiguration) {
        self.init(cache: configuration.makeCache(), loader: configuration.makeLoader())
        if configuration.coders !== ImageCodersManager.shared { coder = configuration.coders }
        if configuration.limits != .default { decodingLimits = configuration.limits }
        transformer = configuration.transformer
        cacheKeyFilter = configuration.cacheKeyFilter
        cacheSerializer = configuration.cacheSerializer
        optionsProcessor = configuration.optionsProcessor
        failedURLLifetime = configuration.failedURLLifetime
        if let first = configuration.listeners.first {
            listener = configuration.listeners.count == 1 ? first : WebImageManagerListeners(configuration.listeners)
        }
    }
}

extension WebImageConfiguration {
    fileprivate func makeCache() -> any ImageCaching {
        var config = cache
        config.coders = coders
        let own = ImageCache(namespace: name, diskCacheDirectory: folder?.path, config: config)
        return furtherCaches.isEmpty ? own : ImageCachesManager(caches: [own] + furtherCaches)
    }

    fileprivate func makeLoader() -> any ImageLoader {
        let downloader = WebImageDownloader(config: downloads)
        for (field, value) in headers { downloader.setValue(value, forHTTPHeaderField: field) }
        downloader.requestModifier = requestModifier
        downloader.responseModifier = responseModifier
        downloader.decryptor = decryptor
        return ImageLoadersManager(loaders: [DataURLImageLoader(), FileImageLoader(), downloader] + loaders)
    }
}
