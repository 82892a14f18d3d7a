public import Foundation
import WebImageCore

/// The configuration of a downloader; a value, read for every download.
public struct WebImageDownloaderConfig: Sendable {
    /// The order of waiting downloads of equal priority.
    public enum ExecutionOrder: Int, Sendable, Hashable {
        /// First in, first out: the longest waiting download is next.
        case fifo = 0
        /// Last in, first out: the newest download is next.
        case lifo = 1
    }

    /// The maximum number of downloads at the same time; at least 1.
    public var maxConcurrentDownloads = 6
    /// The maximum number of downloads at the same time from one host, at least 1; nil sets no limit per host.
    public var maxConcurrentDownloadsPerHost: Int?
    /// The seconds without a byte after which a download fails; 15 when not positive.
    public var downloadTimeout: TimeInterval = 15
    /// The seconds after which a download fails, including waiting, all attempts and receiving; nil sets no deadline.
    public var downloadDeadline: TimeInterval?
    /// The part of a body, 0 to 1, that must arrive between two progress reports; 0 reports every piece.
    public var minimumProgressInterval = 0.0
    /// The retry strategy for failed downloads; nil never retries.
    public var retryStrategy: (any DownloadRetryStrategy)?
    /// The rules for URLs and addresses; nil allows all. Use ``DownloadPolicy/server`` in programs that load URLs from
    /// others.
    public var policy: DownloadPolicy?
    /// A proxy (`http://host:port`) for every request; the empty text uses none, nil the environment's proxies.
    public var proxy: String?
    /// The certificate that identifies this client to servers.
    public var clientCertificate: ClientCertificate?
    /// The class of the transfers; nil uses ``WebImageDownloaderOperation``.
    public var operationClass: (any WebImageDownloaderOperationProtocol.Type)?
    /// The folder for the beginnings of broken downloads, from which a later attempt continues; nil stores none.
    ///
    /// Read when the downloader is made. Files are limited in total size (256 MiB) and age (one day).
    public var resumeFolder: URL?
    /// The order of waiting downloads.
    public var executionOrder = ExecutionOrder.fifo
    /// User name for basic and digest authentication.
    public var username: String?
    /// Password for basic and digest authentication.
    public var password: String?
    /// Statuses that are accepted; nil accepts any.
    public var acceptableStatusCodes: IndexSet? = IndexSet(200..<300)
    /// Declared types that are accepted; nil accepts any. A response that declares none is accepted.
    public var acceptableContentTypes: Set<String>?
    /// The maximum number of body bytes after decompression; a load's `.decodingLimits` take precedence.
    public var maxBodyBytes = DecodingLimits.default.maxEncodedBytes
    /// The maximum number of body bytes in memory; a longer body goes to a file as it arrives and is mapped when
    /// complete.
    ///
    /// The file has no name, is in the folder of the caches, and disappears with the last use of its bytes. When no
    /// file can be created or the disk is full, the body stays in memory, up to ``maxBodyBytes``.
    public var maxBodyBytesInMemory = 8 << 20
    /// The maximum number of redirects that are followed.
    public var maxRedirects = 10
    /// PEM file of the certificate authorities to trust instead of the system's.
    public var certificateAuthorityFile: String?

    /// Name service answers that are known in advance, as `host:port:address`.
    package var resolvedHosts: [String] = []

    /// The folder of unnamed files, beside the folders of the caches.
    package var bodyFolder = WebImageDownloaderConfig.partialFolder

    /// The folder for incomplete bodies. The dot in its name prevents a conflict with the folder of a cache.
    static let partialFolder = CacheLocation.standard + "/.partial"

    /// Makes a configuration with the default values.
    public init() {}

    private static let shared = Locked(WebImageDownloaderConfig())

    /// The configuration of downloaders made without one: six downloads at a time, 15 seconds, first in first out,
    /// statuses 200 to 299, any type, 100 MB. A change applies to downloaders made later.
    public static var `default`: WebImageDownloaderConfig {
        get { shared.withLock { $0 } }
        set { shared.withLock { $0 = newValue } }
    }
}
