public import Foundation
import WebImageCore
import WebImageLoading

/// The configuration of a downloader. Each download uses the values that are set when it is requested.
public struct WebImageDownloaderConfig: Sendable {
    /// The order of waiting downloads of equal priority.
    public enum ExecutionOrder: Int, Sendable, Hashable {
        /// First in, first out: the oldest waiting download is next.
        case fifo = 0
        /// Last in, first out: the newest waiting download is next.
        case lifo = 1
    }

    /// The maximum number of downloads at the same time; at least 1.
    public var maxConcurrentDownloads = 6
    /// The maximum number of downloads at the same time from one host; at least 1. Nil sets no limit per host.
    public var maxConcurrentDownloadsPerHost: Int?
    /// The number of seconds without a received byte after which a download fails. A value that is not positive means
    /// 15 seconds.
    public var downloadTimeout: TimeInterval = 15
    /// The maximum number of seconds of a download, including the wait for a slot and all attempts. Nil sets no
    /// deadline.
    public var downloadDeadline: TimeInterval?
    /// The part of a body, 0 to 1, that must arrive between two progress reports. With 0, every received piece may be
    /// reported.
    public var minimumProgressInterval = 0.0
    /// The retry strategy for failed downloads; nil never retries.
    public var retryStrategy: (any DownloadRetryStrategy)?
    /// The rules for URLs and addresses; nil allows all URLs and addresses. Use ``DownloadPolicy/server`` in programs
    /// that load URLs received from other people.
    public var policy: DownloadPolicy?
    /// The proxy (`http://host:port`) for every request. The empty text uses no proxy. Nil uses the proxies of the
    /// environment, unless the policy forbids them.
    public var proxy: String?
    /// The certificate that identifies this client to servers; nil sends none.
    public var clientCertificate: ClientCertificate?
    /// The class that performs the transfers; nil uses ``WebImageDownloaderOperation``.
    public var operationClass: (any WebImageDownloaderOperationProtocol.Type)?
    /// The folder for partial bodies of broken downloads, from which later downloads continue. Nil stores none.
    ///
    /// The downloader reads this value only when it is made. The files are limited in total size (256 MiB) and age (one
    /// day).
    public var resumeFolder: URL?
    /// The order of waiting downloads.
    public var executionOrder = ExecutionOrder.fifo
    /// The user name for basic and digest authentication.
    public var username: String?
    /// The password for basic and digest authentication.
    public var password: String?
    /// The accepted status codes; nil accepts every status code.
    public var acceptableStatusCodes: IndexSet? = IndexSet(200..<300)
    /// The accepted media types, compared with the `Content-Type` field; nil accepts every type. A response without
    /// that field is accepted.
    public var acceptableContentTypes: Set<String>?
    /// The maximum number of body bytes after content decoding (gzip and similar). A load's `.decodingLimits` take
    /// precedence.
    public var maxBodyBytes = DecodingLimits.default.maxEncodedBytes
    /// The maximum number of body bytes in memory. A longer body is written to a file while it arrives, and the
    /// complete file is memory-mapped.
    ///
    /// The file has no name and is on the same disk as the cache folder. It is freed with the last reference to its
    /// bytes. If no file can be created or the disk is full, the body stays in memory, up to ``maxBodyBytes``.
    public var maxBodyBytesInMemory = 8 << 20
    /// The maximum number of redirects that are followed.
    public var maxRedirects = 10
    /// The path of a PEM file with the certificate authorities to trust, instead of the system's authorities.
    /// It is read for every new connection, so a renewed file needs no new downloader.
    public var certificateAuthorityFile: String?

    /// Fixed addresses of hosts, as `host:port:address`. These hosts are not looked up in DNS.
    package var resolvedHosts: [String] = []

    /// The folder in which unnamed files for long bodies are created.
    package var bodyFolder = WebImageDownloaderConfig.partialFolder

    /// The default folder for partial bodies. The dot in its name prevents a conflict with the folder of a cache.
    static let partialFolder = CacheLocation.standard + "/.partial"

    /// Makes a configuration with the default values.
    public init() {}

    private static let shared = Locked(WebImageDownloaderConfig())

    /// The configuration of downloaders that are made without a configuration. A change applies to downloaders made
    /// later.
    ///
    /// The initial values are: six downloads at a time, a timeout of 15 seconds, first in first out, status codes 200
    /// to 299, all media types, and 100 MB per body.
    public static var `default`: WebImageDownloaderConfig {
        get { shared.withLock { $0 } }
        set { shared.withLock { $0 = newValue } }
    }
}

/// A certificate that identifies this client to servers (TLS client authentication).
public struct ClientCertificate: Sendable, Hashable {
    /// The path of the PEM file with the certificate.
    public var certificateFile: String
    /// The path of the PEM file with the certificate's private key; nil if the key is in ``certificateFile``.
    public var keyFile: String?
    /// The password of the private key; nil when the key has no password.
    public var password: String?

    /// Makes a certificate from the paths of its files.
    public init(certificateFile: String, keyFile: String? = nil, password: String? = nil) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.password = password
    }
}
