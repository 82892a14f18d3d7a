import CWebImageCurl
import Foundation

/// The durations of the phases of one transfer. Each duration is measured from the start of the transfer.
public struct DownloadMetrics: Sendable, Hashable {
    /// The time until the host name was resolved.
    public var nameLookup: Duration = .zero
    /// The time until the connection was made. For a reused connection, this is about the same as ``nameLookup``.
    public var connect: Duration = .zero
    /// The time until the TLS handshake was complete; zero without TLS.
    public var secureConnect: Duration = .zero
    /// The time until the first byte of the response.
    public var firstByte: Duration = .zero
    /// The time until the transfer ended.
    public var total: Duration = .zero
    /// The HTTP version of the response: `HTTP/1.0`, `HTTP/1.1`, `HTTP/2` or `HTTP/3`; empty if unknown.
    public var networkProtocol = ""
    /// Whether the transfer used only existing connections.
    public var isReusedConnection = false
    /// The number of redirects before this transfer. The durations are those of the last transfer alone.
    public var redirectCount = 0
    /// The number of body bytes received from the network, before content decoding (gzip and similar).
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
