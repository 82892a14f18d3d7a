import CWebImageCurl
import Foundation

/// The times of one download; each counts from its start.
public struct DownloadMetrics: Sendable, Hashable {
    /// The time until the name was resolved.
    public var nameLookup: Duration = .zero
    /// The time until the connection was made; about ``nameLookup`` for a reused one.
    public var connect: Duration = .zero
    /// The time until the TLS handshake was complete; zero without TLS.
    public var secureConnect: Duration = .zero
    /// The time until the first byte of the response.
    public var firstByte: Duration = .zero
    /// The time until the end.
    public var total: Duration = .zero
    /// The protocol as the response names it: `HTTP/1.1`, `HTTP/2`.
    public var networkProtocol = ""
    /// Whether no connection had to be made.
    public var isReusedConnection = false
    /// Redirects that were followed.
    public var redirectCount = 0
    /// Body bytes on the wire, before content decoding.
    public var bodyBytesReceived = 0

    /// Makes empty metrics.
    public init() {}
}

extension DownloadMetrics {
    init(_ easy: CurlEasy) {
        func time(_ info: CURLINFO) -> Duration { .microseconds(easy.offset(info)) }
        nameLookup = time(CURLINFO_NAMELOOKUP_TIME_T)
        connect = time(CURLINFO_CONNECT_TIME_T)
        secureConnect = time(CURLINFO_APPCONNECT_TIME_T)
        firstByte = time(CURLINFO_STARTTRANSFER_TIME_T)
        total = time(CURLINFO_TOTAL_TIME_T)
        isReusedConnection = easy.long(CURLINFO_NUM_CONNECTS) == 0
        redirectCount = easy.long(CURLINFO_REDIRECT_COUNT)
        bodyBytesReceived = easy.offset(CURLINFO_SIZE_DOWNLOAD_T)
        networkProtocol = Self.protocolName(easy.long(CURLINFO_HTTP_VERSION))
    }

    private static func protocolName(_ version: Int) -> String {
        switch version {
        case CURL_HTTP_VERSION_1_0: "HTTP/1.0"
        case CURL_HTTP_VERSION_1_1: "HTTP/1.1"
        case CURL_HTTP_VERSION_2_0: "HTTP/2"
        case CURL_HTTP_VERSION_3: "HTTP/3"
        default: ""
        }
    }
}
