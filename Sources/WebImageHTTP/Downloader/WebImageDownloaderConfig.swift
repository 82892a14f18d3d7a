public import Foundation
import WebImageCore

/// How a downloader behaves; a value, read anew for every download.
public struct WebImageDownloaderConfig: Sendable, Hashable {
    /// Which of the waiting downloads of equal priority comes next.
    public enum ExecutionOrder: Int, Sendable, Hashable {
        /// The one that has waited longest.
        case fifo = 0
        /// The one that came last.
        case lifo = 1
    }

    /// Downloads that run at the same time; at least 1.
    public var maxConcurrentDownloads = 6
    /// Seconds without a byte after which a download fails; not positive means 15.
    public var downloadTimeout: TimeInterval = 15
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
    /// Redirects that are followed before a download fails.
    public var maxRedirects = 10
    /// PEM file of the certificate authorities to trust instead of the system's.
    public var certificateAuthorityFile: String?

    /// The values above.
    public init() {}

    /// Six downloads at a time, 15 seconds, first come first served, statuses 200 to 299, any type, 100 MB.
    public static let `default` = WebImageDownloaderConfig()

    var acceptance: ResponseAcceptance {
        ResponseAcceptance(statusCodes: acceptableStatusCodes, contentTypes: acceptableContentTypes)
    }
}
