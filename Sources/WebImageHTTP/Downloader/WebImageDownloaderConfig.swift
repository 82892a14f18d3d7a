public import Foundation
import WebImageCore

/// How a downloader behaves; a value, read anew for every download.
public struct WebImageDownloaderConfig: Sendable {
    /// Which of the waiting downloads of equal priority comes next.
    public enum ExecutionOrder: Int, Sendable, Hashable {
        /// The one that has waited longest.
        case fifo = 0
        /// The one that came last.
        case lifo = 1
    }

    /// Downloads that run at the same time; at least 1.
    public var maxConcurrentDownloads = 6
    /// Downloads that run at the same time from one host, at least 1; nil is no limit of its own.
    public var maxConcurrentDownloadsPerHost: Int?
    /// Seconds without a byte after which a download fails; not positive means 15.
    public var downloadTimeout: TimeInterval = 15
    /// Seconds after which a download fails, whatever it is doing: waiting, several attempts, receiving. Nil is never.
    public var downloadDeadline: TimeInterval?
    /// The part of a body, 0 to 1, that must have come since the last progress; 0 is every piece.
    public var minimumProgressInterval = 0.0
    /// Whether and when what failed is tried again; nil is never.
    public var retryStrategy: (any DownloadRetryStrategy)?
    /// What may be fetched from where; nil is anything. ``DownloadPolicy/server`` for programs that load others' URLs.
    public var policy: DownloadPolicy?
    /// A proxy (`http://host:port`) for every request; the empty text is none; nil those of the environment.
    public var proxy: String?
    /// What shows servers who this client is.
    public var clientCertificate: ClientCertificate?
    /// Makes the transfers; nil is ``WebImageDownloaderOperation``.
    public var operationClass: (any WebImageDownloaderOperationProtocol.Type)?
    /// Where the beginnings of broken downloads are kept, so that another attempt goes on from there; nil is nowhere.
    ///
    /// Read when the downloader is made. Files are bounded in size (256 MB) and age (a day).
    public var resumeFolder: URL?
    /// Which of the waiting downloads comes next.
    public var executionOrder = ExecutionOrder.fifo
    /// User name for basic and digest authentication.
    public var username: String?
    /// Password for basic and digest authentication.
    public var password: String?
    /// Statuses that are accepted; nil accepts any.
    public var acceptableStatusCodes: IndexSet? = IndexSet(200..<300)
    /// Declared types that are accepted; nil accepts any. A response that declares none is accepted.
    public var acceptableContentTypes: Set<String>?
    /// Bytes a body may have after decompression; a load's `.decodingLimits` go before.
    public var maxBodyBytes = DecodingLimits.default.maxEncodedBytes
    /// Bytes of a body that are held in memory while it comes; a longer one goes to a file as it arrives and is mapped
    /// when it is whole.
    ///
    /// The file has no name, stands in the folder of the caches, and is gone with the last use of its bytes. Where none
    /// can be made or the disk is full, the body stays in memory, up to ``maxBodyBytes``.
    public var maxBodyBytesInMemory = 8 << 20
    /// Redirects that are followed before a download fails.
    public var maxRedirects = 10
    /// PEM file of the certificate authorities to trust instead of the system's.
    public var certificateAuthorityFile: String?

    /// Answers of the name service known beforehand, as `host:port:address`.
    package var resolvedHosts: [String] = []

    /// Where files without a name stand; beside the caches' folders.
    package var bodyFolder = WebImageDownloaderConfig.partialFolder

    /// The folder for what is not whole; a cache's name cannot begin with a dot by chance.
    static let partialFolder = CacheLocation.standard + "/.partial"

    /// The values above.
    public init() {}

    private static let shared = Locked(WebImageDownloaderConfig())

    /// What downloaders made without a configuration start with: six downloads at a time, 15 seconds, first come first
    /// served, statuses 200 to 299, any type, 100 MB. A change counts for downloaders made later.
    public static var `default`: WebImageDownloaderConfig {
        get { shared.withLock { $0 } }
        set { shared.withLock { $0 = newValue } }
    }
}
