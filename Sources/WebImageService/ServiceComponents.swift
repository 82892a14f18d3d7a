import Foundation
import WebImage
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageS3

/// The library components that a service uses.
enum ServiceComponents {
    /// Makes a downloader with the download policy and the limits of the configuration.
    static func downloader(_ settings: ServiceSettings, clock: any DelayClock) -> WebImageDownloader {
        let downloader = WebImageDownloader(config: config(settings), engine: CurlEngine(), clock: clock)
        apply(settings, to: downloader)
        return downloader
    }

    /// Makes the loader of sources in buckets; nil if none is configured. It sends requests only to the endpoints of the
    /// configuration, so the download policy does not apply.
    static func objects(_ settings: ServiceSettings) -> S3ImageLoader? {
        guard !settings.buckets.isEmpty else { return nil }
        return S3ImageLoader(settings.buckets, within: .seconds(settings.configuration.sourceDeadline))
    }

    /// Applies the settings of a configuration to later downloads.
    static func apply(_ settings: ServiceSettings, to downloader: WebImageDownloader) {
        downloader.config = config(settings)
        // A reload can remove the setting. Then the downloader sends its own value again.
        let agent = settings.configuration.userAgent
        downloader.setValue(agent.isEmpty ? Self.userAgent : agent, forHTTPHeaderField: "User-Agent")
    }

    /// The `User-Agent` of a downloader without settings.
    private static let userAgent = WebImageDownloader(config: WebImageDownloaderConfig()).value(
        forHTTPHeaderField: "User-Agent")

    private static func config(_ settings: ServiceSettings) -> WebImageDownloaderConfig {
        let configuration = settings.configuration
        var config = WebImageDownloaderConfig()
        config.policy = settings.downloadPolicy
        config.maxConcurrentDownloads = max(configuration.queue, 1)
        // Limit the concurrent downloads. With more downloads, bodies would arrive faster than the processors can
        // decode them, and the waiting bodies would use memory.
        let downloads = max(16, 8 * Processors.count)
        config.maxConcurrentDownloadsPerHost = max(min(configuration.queuePerHost, downloads), 1)
        config.downloadTimeout = Double(configuration.sourceTimeout)
        config.downloadDeadline = Double(configuration.sourceDeadline)
        config.maxBodyBytes = configuration.maxSourceBytes
        config.maxRedirects = configuration.maxRedirects
        // Other successes have no picture: 204 and 205 have no body, and the body of 201 or 202 describes the request.
        config.acceptableStatusCodes = [200, 203]
        // Use no proxy, and ignore the proxies in environment variables. With a proxy, the addresses of sources cannot
        // be checked.
        config.proxy = ""
        return config
    }

    /// Opens a disk cache for encoded bytes; nil if its maximum size is 0.
    static func cache(_ name: String, bytes: Int, _ configuration: ServiceConfiguration) -> ImageCache? {
        guard bytes > 0 else { return nil }
        var config = ImageCacheConfig()
        config.shouldCacheImagesInMemory = false
        config.maxDiskSize = bytes
        config.maxDiskAge = 30 * 86_400
        config.diskCacheExpireType = .accessDate
        return ImageCache(
            namespace: "service-\(name)",
            diskCacheDirectory: configuration.cacheFolder.isEmpty ? nil : configuration.cacheFolder, config: config)
    }
}
