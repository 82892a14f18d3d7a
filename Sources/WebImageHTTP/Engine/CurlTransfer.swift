import Foundation
package import WebImageCore

/// What one transfer is asked to do, beyond the request itself.
package struct CurlTransferRequest: Sendable, Hashable {
    package var request: WebImageRequest
    package var username: String?
    package var password: String?
    /// PEM file of the authorities to trust instead of the system's.
    package var certificateAuthorityFile: String?
    package var clientCertificate: ClientCertificate?
    /// Nil is the environment's proxies, the empty text none.
    package var proxy: String?
    /// With a policy redirects are not followed here, and every address is checked before a byte is sent.
    package var policy: DownloadPolicy?
    package var maxRedirects = 10
    /// Answers of the name service known beforehand, as `host:port:address`.
    package var resolved: [String] = []
    package var priority = LoadPriority.normal

    package init(_ request: WebImageRequest) { self.request = request }
}

/// One request on its way through the engine; the name under which it is started and cancelled.
package final class CurlTransfer: @unchecked Sendable {
    // Unchecked is true because the `var`s are touched on the engine's thread alone; the rest is immutable.
    let order: CurlTransferRequest
    private var sink: (any WebImageDownloaderSink)?
    var easy: CurlEasy?
    var head = ResponseHeadParser()
    var hasDeliveredHead = false
    var bodyBytes = 0
    /// The reason for which a callback stopped curl.
    var refusal: WebImageError?
    /// Why the last address that curl tried may not be connected to.
    var addressRefusal: WebImageError?
    /// Whether a reused connection turned out dead, so that this is the second try over a new one.
    var needsFreshConnection = false
    var lastActivity = ContinuousClock.now
    var lastWireBytes = 0
    private(set) var hasEnded = false

    package init(_ order: CurlTransferRequest, sink: any WebImageDownloaderSink) {
        self.order = order
        self.sink = sink
    }

    var url: URL { order.request.url }
    var maxBodyBytes: Int { order.request.maxBodyBytes }

    /// Ends it once; later calls, and everything else for the sink, are dropped.
    func end(_ result: Result<WebImageDownloadEnd, WebImageError>) {
        guard !hasEnded, let sink else { return }
        hasEnded = true
        self.sink = nil
        sink.transferDidEnd(result)
    }

    /// Makes ready for a second try after a connection on which nothing came.
    func prepareRetry() {
        needsFreshConnection = true
        head = ResponseHeadParser()
        (refusal, addressRefusal) = (nil, nil)
    }

    /// Hands the head to the sink; false when the transfer is to stop at once.
    func deliverHead(_ response: WebImageResponse) -> Bool {
        hasDeliveredHead = true
        refusal = sink?.transferDidReceive(head: response)
        if refusal == nil, let expected = response.expectedContentLength, expected > maxBodyBytes,
            order.request.httpMethod != "HEAD"
        {
            refusal = .bodyLimit(actual: expected, allowed: maxBodyBytes)
        }
        // Reading a short refused body to its end keeps the connection for the next transfer.
        let isShort = response.expectedContentLength.map { $0 <= Self.maxDrainedBytes } ?? false
        return refusal == nil || isShort
    }

    /// Hands bytes to the sink; false when the transfer is to stop.
    func deliver(_ bytes: UnsafeRawBufferPointer) -> Bool {
        lastActivity = .now
        if refusal != nil {
            bodyBytes += bytes.count
            return bodyBytes <= Self.maxDrainedBytes
        }
        guard bytes.count <= maxBodyBytes - bodyBytes else {
            refusal = .bodyLimit(actual: .max, allowed: maxBodyBytes)
            return false
        }
        bodyBytes += bytes.count
        refusal = sink?.transferDidReceive(bytes: bytes)
        return refusal == nil
    }

    private static let maxDrainedBytes = 16 * 1024
}

extension WebImageError {
    /// A head larger than any picture needs.
    static func headLimit(_ url: URL) -> WebImageError {
        WebImageError(
            .invalidDownloadResponse, stage: .download, url: url,
            underlying: .message("the response's head, or a line of it, is over the limit"),
            hint: "The server sends more header fields than any picture needs.")
    }

    /// A body over its cap; `.max` when only so much is known.
    static func bodyLimit(actual: Int, allowed: Int) -> WebImageError {
        var error = WebImageError.limit(.bodyBytes, actual: actual, allowed: allowed, stage: .download)
        error.hint = "Raise maxBodyBytes if you trust the server."
        return error
    }
}
